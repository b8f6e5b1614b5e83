#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_constant(const Call& call) {
  const Attributes& a = call.attributes;
  if (const Tensor* value = a.get_tensor("value")) return single(*value);
  if (a.has("value_int")) return single(Tensor::scalar<int64_t>(a.get_int("value_int")));
  if (a.has("value_float")) return single(Tensor::scalar<float>(a.get_float("value_float")));
  if (a.has("value_string"))
    return single(Tensor::from_strings({}, {a.get_string("value_string")}));
  if (a.has("value_ints")) {
    const Ints& v = a.get_ints("value_ints");
    return single(Tensor::of<int64_t>({static_cast<int64_t>(v.size())}, v));
  }
  if (a.has("value_floats")) {
    const Floats& v = a.get_floats("value_floats");
    return single(Tensor::of<float>({static_cast<int64_t>(v.size())}, v));
  }
  if (a.has("value_strings")) {
    const Strings& v = a.get_strings("value_strings");
    return single(Tensor::from_strings({static_cast<int64_t>(v.size())}, v));
  }
  fail(ErrorCode::kInvalidModel, "Constant has no value");
}

}  // namespace

PLANISH_REFERENCE(constant) { return {"", "Constant", &eval_constant}; }

}  // namespace planish::reference
