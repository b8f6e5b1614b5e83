#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_split(const Call& call) {
  const Tensor& x = call.tensor(0);
  const auto at =
      static_cast<size_t>(normal_axis(call, call.attributes.get_int("axis", 0), x.rank()));
  const int64_t extent = x.dims()[at];
  std::vector<int64_t> sizes;
  if (call.has(1)) {
    sizes = integers(call.tensor(1));
  } else {
    // Equal parts, the last one smaller where it must be.
    const int64_t parts =
        call.attributes.get_int("num_outputs", static_cast<int64_t>(call.outputs));
    if (parts <= 0) fail(ErrorCode::kInvalidModel, "Split: num_outputs is {}", parts);
    const int64_t size = extent / parts + (extent % parts != 0);
    for (int64_t i = 0, left = extent; i < parts && i < static_cast<int64_t>(call.outputs); ++i) {
      sizes.push_back(std::min(size, left));
      left -= sizes.back();
    }
  }
  int64_t sum = 0;
  for (const int64_t size : sizes) {
    if (size < 0 || size > extent - sum)
      fail(ErrorCode::kInvalidInput, "Split: the sizes do not add up to {}", extent);
    sum += size;
  }
  if (sum != extent || sizes.size() != call.outputs)
    fail(ErrorCode::kInvalidInput, "Split: {} sizes with sum {} for {} outputs of an axis of {}",
         sizes.size(), sum, call.outputs, extent);
  const std::vector<int64_t> strides = row_major(x.dims());
  std::vector<Value> out;
  int64_t first = 0;
  for (const int64_t size : sizes) {
    Dims dims = x.dims();
    dims[at] = size;
    out.emplace_back(take_walk(call, std::move(dims), x, {first, strides}));
    first += size * strides[at];
  }
  return out;
}

}  // namespace

PLANISH_REFERENCE(split) { return {"", "Split", &eval_split}; }

}  // namespace planish::reference
