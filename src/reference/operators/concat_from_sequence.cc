#include "reference/sequence.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_concat_from_sequence(const Call& call) {
  const Sequence& s = sequence_input(call, 0);
  if (s.empty()) fail(ErrorCode::kData, "ConcatFromSequence: the sequence is empty");
  const Tensor& head = s[0].tensor();
  const bool stack = call.attributes.get_int("new_axis", 0) != 0;
  const int64_t rank = head.rank() + (stack ? 1 : 0);
  const int64_t axis = normal_axis(call, call.attributes.get_int("axis"), rank);
  const auto widened = [&](const Tensor& t) {
    Dims dims = t.dims();
    if (stack) dims.insert(dims.begin() + std::min<int64_t>(axis, t.rank()), 1);
    return dims;
  };
  const auto at = static_cast<size_t>(axis);
  Dims dims = widened(head);
  dims[at] = 0;
  for (const Value& v : s) {
    const Tensor& t = v.tensor();
    Dims part = widened(t), want = widened(head);
    if (part.size() == want.size()) want[at] = part[at];
    if (part != want || t.dtype() != head.dtype())
      fail(ErrorCode::kInvalidInput, "ConcatFromSequence: {} does not fit {}",
           dims_to_string(t.dims()), dims_to_string(head.dims()));
    grow(call, dims[at], part[at]);
  }
  Tensor out = call.make(head.dtype(), dims);
  const std::vector<int64_t> strides = row_major(dims);
  int64_t first = 0;
  for (const Value& v : s) {
    const Dims part = widened(v.tensor());
    copy_walk(call, part, out, {first, strides}, v.tensor(), {0, row_major(part)});
    first += part[at] * strides[at];
  }
  return single(std::move(out));
}

}  // namespace

PLANISH_REFERENCE(concat_from_sequence) {
  return {"", "ConcatFromSequence", &eval_concat_from_sequence};
}

}  // namespace planish::reference
