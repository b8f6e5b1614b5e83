// ai.onnx.ml Normalizer: each row divided by its maximum, its sum of magnitudes or its Euclidean
// norm; rows whose divisor is 0 stay.
#include <algorithm>
#include <cmath>
#include <string>

#include "reference/post_transform.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_normalizer(const Call& call) {
  const std::string norm = call.attributes.get_string("norm", "MAX");
  if (norm != "MAX" && norm != "L1" && norm != "L2")
    fail(ErrorCode::kInvalidModel, "{}: '{}' is no norm", call.op, norm);
  Rows x = read_rows(call);
  for (int64_t r = 0; r < x.rows && x.columns > 0; ++r) {
    const auto row = std::span(x.values).subspan(static_cast<size_t>(r * x.columns),
                                                 static_cast<size_t>(x.columns));
    double divisor = norm == "MAX" ? row[0] : 0;
    for (const double v : row) {
      if (norm == "MAX")
        divisor = std::max(divisor, v);
      else
        divisor += norm == "L1" ? std::abs(v) : v * v;
    }
    if (norm == "L2") divisor = std::sqrt(divisor);
    for (double& v : row) {
      if (divisor != 0) v /= divisor;
    }
  }
  return results(from_doubles(DType::kFloat32, call.tensor(0).dims(), x.values));
}

}  // namespace

PLANISH_REFERENCE(normalizer) { return {"ai.onnx.ml", "Normalizer", &eval_normalizer}; }

}  // namespace planish::reference
