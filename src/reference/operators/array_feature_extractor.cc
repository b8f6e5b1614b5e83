// ai.onnx.ml ArrayFeatureExtractor: the columns Y of the last axis of X.
#include "reference/movement.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_array_feature_extractor(const Call& call) {
  const Tensor &x = call.tensor(0), &picks = call.tensor(1);
  if (x.rank() < 1) fail(ErrorCode::kInvalidInput, "{}: the input is a scalar", call.op);
  const int64_t columns = x.dim(x.rank() - 1), rows = columns == 0 ? 0 : x.size() / columns,
                count = picks.size();
  Dims dims = x.rank() == 1 ? Dims{1, count} : x.dims();
  dims.back() = count;
  const std::vector<int64_t> indices = to_ints(picks);
  for (const int64_t i : indices) {
    if (i < 0 || i >= columns)
      fail(ErrorCode::kData, "{}: column {} is outside [0, {})", call.op, i, columns);
  }
  Tensor y = call.make(x.dtype(), dims);
  with_mover(y, x, [&](auto move) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t k = 0; k < count; ++k)
        move(r * count + k, r * columns + indices[static_cast<size_t>(k)]);
    }
  });
  return results(std::move(y));
}

}  // namespace

PLANISH_REFERENCE(array_feature_extractor) {
  return {"ai.onnx.ml", "ArrayFeatureExtractor", &eval_array_feature_extractor};
}

}  // namespace planish::reference
