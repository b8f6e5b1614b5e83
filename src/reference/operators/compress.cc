// Compress: the slices along `axis` (elements, without one) whose condition holds. Positions beyond
// the condition's end are left out.
#include <algorithm>

#include "reference/movement.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_compress(const Call& call) {
  const Tensor &x = call.tensor(0), &condition = call.tensor(1);
  if (condition.rank() != 1 || condition.dtype() != DType::kBool) {
    fail(ErrorCode::kInvalidInput, "{}: the condition must be a vector of bools, got {} [{}]",
         call.op, to_string(condition.dtype()), dims_to_string(condition.dims()));
  }
  const bool flat = !call.attributes.has("axis");
  const int64_t axis = flat ? 0 : normal_axis(call, call.attributes.get_int("axis"), x.rank());
  const int64_t length = flat ? x.size() : x.dim(static_cast<int>(axis));
  const int64_t outer = flat ? 1 : span_size(x.dims(), 0, axis),
                inner = flat ? 1 : span_size(x.dims(), axis + 1, x.rank());
  const std::vector<int64_t> holds = to_ints(condition);
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < std::min(length, condition.size()); ++i) {
    if (holds[static_cast<size_t>(i)] != 0) kept.push_back(i);
  }
  Dims dims = flat ? Dims{0} : x.dims();
  dims[static_cast<size_t>(axis)] = static_cast<int64_t>(kept.size());
  Tensor y = call.make(x.dtype(), dims);
  int64_t to = 0;
  for (int64_t o = 0; o < outer; ++o) {
    for (const int64_t i : kept) {
      copy_run(y, to, x, (o * length + i) * inner, inner);
      to += inner;
    }
  }
  return results(std::move(y));
}

}  // namespace

PLANISH_REFERENCE(compress) { return {"", "Compress", &eval_compress}; }

}  // namespace planish::reference
