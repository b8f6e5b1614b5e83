#include "reference/sequence.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_split_to_sequence(const Call& call) {
  const Tensor& x = call.tensor(0);
  const auto axis =
      static_cast<size_t>(normal_axis(call, call.attributes.get_int("axis", 0), x.rank()));
  const int64_t extent = x.dims()[axis];
  // Without sizes: slices of 1, whose axis may be dropped. A scalar: chunks of that size.
  const bool drop = !call.has(1) && call.attributes.get_int("keepdims", 1) == 0;
  std::vector<int64_t> sizes;
  if (call.has(1) && call.tensor(1).rank() > 0) {
    sizes = integers(call.tensor(1));
  } else {
    const int64_t chunk = call.has(1) ? one_integer(call, 1) : 1;
    if (chunk <= 0) fail(ErrorCode::kData, "SplitToSequence: split is {}", chunk);
    // An axis of a tensor without elements may be of any length.
    constexpr int64_t kMostParts = int64_t{1} << 24;
    if (extent / chunk > kMostParts)
      fail(ErrorCode::kOutOfMemory, "SplitToSequence: over {} parts of {}", kMostParts, extent);
    for (int64_t left = extent; left > 0; left -= sizes.back())
      sizes.push_back(std::min(chunk, left));
  }
  int64_t sum = 0;
  for (const int64_t size : sizes) {
    if (size < 0 || size > extent - sum)
      fail(ErrorCode::kData, "SplitToSequence: the sizes do not add up to {}", extent);
    sum += size;
  }
  if (sum != extent)
    fail(ErrorCode::kData, "SplitToSequence: the sizes add up to {}, not {}", sum, extent);
  const std::vector<int64_t> strides = row_major(x.dims());
  Sequence out;
  int64_t first = 0;
  for (const int64_t size : sizes) {
    Dims dims = x.dims();
    dims[axis] = size;
    Tensor part = take_walk(call, dims, x, {first, strides});
    if (drop) dims.erase(dims.begin() + static_cast<int64_t>(axis));
    out.emplace_back(std::move(part).reshaped(std::move(dims)));
    first += size * strides[axis];
  }
  return single_sequence(std::move(out));
}

}  // namespace

PLANISH_REFERENCE(split_to_sequence) { return {"", "SplitToSequence", &eval_split_to_sequence}; }

}  // namespace planish::reference
