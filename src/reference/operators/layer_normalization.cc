// LayerNormalization over the axes from `axis` on; outputs 1 and 2 are mean and 1 / deviation in
// the type that stash_type names.
#include "reference/normalization.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_layer_normalization(const Call& call) {
  const Tensor& x = call.tensor(0);
  const int64_t axis = normal_axis(call, call.attributes.get_int("axis", -1), x.rank());
  const double epsilon = call.attributes.get_float("epsilon", 1e-5f);
  const auto stash = type_attribute(call, "stash_type", DType::kFloat32);
  if (stash != DType::kFloat32 && stash != DType::kBfloat16 && stash != DType::kFloat16 &&
      stash != DType::kFloat64) {
    fail(ErrorCode::kInvalidModel, "{}: stash_type {} is not a float type", call.op,
         static_cast<int>(stash));
  }
  const int64_t length = span_size(x.dims(), axis, x.rank()), rows = span_size(x.dims(), 0, axis);
  Dims kept(x.dims());
  for (size_t i = static_cast<size_t>(axis); i < kept.size(); ++i) kept[i] = 1;
  std::vector<double> y = to_doubles(x), means(static_cast<size_t>(rows)),
                      inverses(static_cast<size_t>(rows));
  call.parallel_for(rows, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const Moments m = standardize(
          std::span(y).subspan(static_cast<size_t>(r * length), static_cast<size_t>(length)),
          epsilon);
      means[static_cast<size_t>(r)] = m.mean,
      inverses[static_cast<size_t>(r)] = m.inverse_deviation;
    }
  });
  scale_and_shift(call, x, 1, 2, y);
  std::vector<Value> out = results(from_doubles(x.dtype(), x.dims(), y));
  if (call.outputs > 1) out.emplace_back(from_doubles(stash, kept, means));
  if (call.outputs > 2) out.emplace_back(from_doubles(stash, kept, inverses));
  return out;
}

}  // namespace

PLANISH_REFERENCE(layer_normalization) {
  return {"", "LayerNormalization", &eval_layer_normalization};
}

}  // namespace planish::reference
