#include "reference/quantization.h"

#include <algorithm>
#include <cmath>

#include "reference/work.h"

namespace planish::reference {

ScaleMap::ScaleMap(const Call& call, const Dims& x, const Dims& scale) {
  const auto rank = static_cast<int64_t>(x.size());
  const int64_t given_block = call.attributes.get_int("block_size", 0);
  if (scale.empty() || (scale.size() == 1 && scale[0] == 1 && given_block == 0)) {
    single_ = true;
    return;
  }
  const int64_t axis = normal_axis(call, call.attributes.get_int("axis", 1), rank);
  length_ = x[static_cast<size_t>(axis)];
  inner_ = span_size(x, axis + 1, rank);
  if (scale.size() == 1 && given_block == 0) {
    if (scale[0] != length_) {
      fail(ErrorCode::kInvalidInput, "{}: {} scales for axis {} of length {}", call.op, scale[0],
           axis, length_);
    }
    return;
  }
  if (scale.size() != x.size()) {
    fail(ErrorCode::kInvalidInput,
         "{}: scales [{}] for an input of [{}] are neither one, nor per axis, nor blocks", call.op,
         dims_to_string(scale), dims_to_string(x));
  }
  blocked_ = true;
  blocks_ = scale[static_cast<size_t>(axis)];
  for (size_t i = 0; i < x.size(); ++i) {
    if (static_cast<int64_t>(i) != axis && scale[i] != x[i]) {
      fail(ErrorCode::kInvalidInput, "{}: scales [{}] differ from the input [{}] away from axis {}",
           call.op, dims_to_string(scale), dims_to_string(x), axis);
    }
  }
  // Without a size, the blocks divide the axis evenly.
  block_ = given_block > 0
               ? given_block
               : (blocks_ > 0 ? std::max<int64_t>(1, (length_ + blocks_ - 1) / blocks_) : 1);
  if (given_block < 0 || length_ / block_ + (length_ % block_ != 0 ? 1 : 0) != blocks_) {
    fail(ErrorCode::kInvalidInput,
         "{}: {} scales along axis {} do not cover {} elements in blocks of {}", call.op, blocks_,
         axis, length_, block_);
  }
}

std::vector<double> zero_points(const Call& call, size_t input, const Tensor& scale) {
  if (!call.has(input)) return std::vector<double>(static_cast<size_t>(scale.size()), 0.0);
  const Tensor& zero = call.tensor(input);
  if (zero.size() != scale.size() || (scale.rank() > 1 && zero.dims() != scale.dims())) {
    fail(ErrorCode::kInvalidInput, "{}: the zero point [{}] and the scale [{}] differ in shape",
         call.op, dims_to_string(zero.dims()), dims_to_string(scale.dims()));
  }
  return to_doubles(zero);
}

CodeRange code_range(DType type) {
  const int bits = bit_width(type);
  if (!is_integer(type) || bits > 16) {
    fail(ErrorCode::kInvalidModel, "{} is not a quantized integer type", to_string(type));
  }
  const double span = std::ldexp(1.0, bits);
  return is_signed_integer(type) ? CodeRange{-span / 2, span / 2 - 1} : CodeRange{0, span - 1};
}

double saturate(double value, CodeRange range) {
  if (std::isnan(value)) return 0;
  const double floor = std::floor(value), rest = value - floor;
  const double even = std::fmod(floor, 2) == 0 ? floor : floor + 1;
  const double rounded = std::isinf(value) ? value
                         : rest < 0.5      ? floor
                         : rest > 0.5      ? floor + 1
                                           : even;
  return std::clamp(rounded, range.low, range.high);
}

double round_to(DType type, double value) {
  switch (type) {
    case DType::kFloat32:
      return static_cast<double>(static_cast<float>(value));
    case DType::kFloat16:
      return static_cast<double>(static_cast<float>(Float16(value)));
    case DType::kBfloat16:
      return static_cast<double>(static_cast<float>(Bfloat16(value)));
    default:
      return value;
  }
}

}  // namespace planish::reference
