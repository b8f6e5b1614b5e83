// ai.onnx.ml Scaler: (x - offset) * scale; each is one number or one per feature.
#include "reference/post_transform.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_scaler(const Call& call) {
  Rows x = read_rows(call);
  const Floats &offset = call.attributes.get_floats("offset"),
               &scale = call.attributes.get_floats("scale");
  for (const Floats* list : {&offset, &scale}) {
    if (list->size() > 1 && static_cast<int64_t>(list->size()) != x.columns) {
      fail(ErrorCode::kInvalidInput, "{}: offset or scale has {} entries for {} features", call.op,
           list->size(), x.columns);
    }
  }
  const auto pick = [](const Floats& list, size_t column, double fallback) {
    return list.empty() ? fallback : static_cast<double>(list[list.size() == 1 ? 0 : column]);
  };
  for (size_t i = 0; i < x.values.size(); ++i) {
    const size_t column = i % static_cast<size_t>(x.columns);
    x.values[i] = (x.values[i] - pick(offset, column, 0)) * pick(scale, column, 1);
  }
  return results(from_doubles(DType::kFloat32, call.tensor(0).dims(), x.values));
}

}  // namespace

PLANISH_REFERENCE(scaler) { return {"ai.onnx.ml", "Scaler", &eval_scaler}; }

}  // namespace planish::reference
