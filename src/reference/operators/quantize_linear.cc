// QuantizeLinear: y = saturate(round(x / scale) + zero point). The quotient is rounded to the type
// of the scale (or `precision`) first, as ONNX says: it decides ties.
#include "reference/quantization.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

DType output_type(const Call& call) {
  const auto named = type_attribute(call, "output_dtype", DType::kUndefined);
  const DType zero = call.has(2) ? call.tensor(2).dtype() : DType::kUndefined;
  if (named != DType::kUndefined && zero != DType::kUndefined && named != zero) {
    fail(ErrorCode::kInvalidModel, "{}: output_dtype {} and the zero point's type {} differ",
         call.op, to_string(named), to_string(zero));
  }
  if (named != DType::kUndefined) return named;
  return zero != DType::kUndefined ? zero : DType::kUint8;
}

std::vector<Value> eval_quantize_linear(const Call& call) {
  const Tensor &x = call.tensor(0), &scale = call.tensor(1);
  const DType type = output_type(call);
  const ScaleMap map(call, x.dims(), scale.dims());
  const std::vector<double> scales = to_doubles(scale), zeros = zero_points(call, 2, scale);
  const auto named = type_attribute(call, "precision", DType::kUndefined);
  // An integer scale (with int32 inputs) divides as a float32; so does a power of two.
  const DType precision = named != DType::kUndefined ? named
                          : scale.dtype() == DType::kFloat16 || scale.dtype() == DType::kBfloat16
                              ? scale.dtype()
                              : DType::kFloat32;
  const bool integer = is_integer(type);
  const CodeRange range = integer ? code_range(type) : CodeRange{};
  std::vector<double> y = to_doubles(x);
  call.parallel_for(static_cast<int64_t>(y.size()), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      double& v = y[static_cast<size_t>(i)];
      const auto s = static_cast<size_t>(map.index(i));
      v = round_to(precision, v / scales[s]);
      // Rounding comes before the zero point: 0.5 becomes 0, whatever is added.
      if (integer) {
        v = saturate(saturate(v, {-1e9, 1e9}) + zeros[s], range);
      } else {
        v += zeros[s];
      }
    }
  });
  const bool saturating = call.attributes.get_int("saturate", 1) != 0;
  return results(from_doubles(type, x.dims(), y, saturating));
}

}  // namespace

PLANISH_REFERENCE(quantize_linear) { return {"", "QuantizeLinear", &eval_quantize_linear}; }

}  // namespace planish::reference
