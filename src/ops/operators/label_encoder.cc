#include "ops/ml_rows.h"

namespace planish::ops {
namespace {

void infer_label_encoder(InferContext& context) {
  const Attributes& a = context.attributes();
  DType dtype = DType::kFloat32;
  if (const Tensor* t = a.get_tensor("values_tensor"))
    dtype = t->dtype();
  else if (!a.get_strings("values_strings").empty())
    dtype = DType::kString;
  else if (!a.get_ints("values_int64s").empty())
    dtype = DType::kInt64;
  Type type = context.input_type(0);
  if (type.is_tensor()) type.dtype = dtype;
  context.set_output(0, std::move(type));
}

// Opset 1 numbered a list of strings: from text to position, or back, by the input's type.
void upgrade_label_encoder(UpgradeContext& context) {
  if (context.from() >= 2) return;
  Attributes& a = context.node().attributes;
  const Strings classes = a.get_strings("classes_strings");
  a.erase("classes_strings");
  Ints numbers;
  for (size_t i = 0; i < classes.size(); ++i) numbers.push_back(static_cast<int64_t>(i));
  const bool from_text = context.input_type(0).dtype == DType::kString;
  a.set(from_text ? "keys_strings" : "values_strings", classes);
  a.set(from_text ? "values_int64s" : "keys_int64s", numbers);
}

}  // namespace

PLANISH_OPERATOR(label_encoder) {
  const TypeSet types = type_bit(DType::kString) | type_bit(DType::kInt64) |
                        type_bit(DType::kFloat32) | type_bit(DType::kInt32) |
                        type_bit(DType::kInt16) | type_bit(DType::kFloat64);
  OpDef d;
  d.domain = kMlDomain;
  d.name = "LabelEncoder";
  d.inputs = {{"X", Arity::kRequired, types}};
  d.outputs = {{"Y", Arity::kRequired, types}};
  d.attributes = {{"default_float", AttrKind::kFloat},    {"default_int64", AttrKind::kInt},
                  {"default_string", AttrKind::kString},  {"default_tensor", AttrKind::kTensor},
                  {"keys_floats", AttrKind::kFloats},     {"keys_int64s", AttrKind::kInts},
                  {"keys_strings", AttrKind::kStrings},   {"keys_tensor", AttrKind::kTensor},
                  {"values_floats", AttrKind::kFloats},   {"values_int64s", AttrKind::kInts},
                  {"values_strings", AttrKind::kStrings}, {"values_tensor", AttrKind::kTensor}};
  d.legacy_attributes = {"classes_strings"};
  d.infer = &infer_label_encoder;
  d.upgrade = &upgrade_label_encoder;
  return d;
}

}  // namespace planish::ops
