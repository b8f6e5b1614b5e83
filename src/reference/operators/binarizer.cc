// ai.onnx.ml Binarizer: 1 where x > threshold, else 0.
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_binarizer(const Call& call) {
  const Tensor& x = call.tensor(0);
  const double threshold = call.attributes.get_float("threshold", 0.0f);
  std::vector<double> y = to_doubles(x);
  for (double& v : y) v = v > threshold ? 1 : 0;
  return results(from_doubles(x.dtype(), x.dims(), y));
}

}  // namespace

PLANISH_REFERENCE(binarizer) { return {"ai.onnx.ml", "Binarizer", &eval_binarizer}; }

}  // namespace planish::reference
