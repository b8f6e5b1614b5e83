// Constant: one of seven attributes holds the value.
#include "base/error.h"
#include "onnx/attributes.h"
#include "onnx/importer.h"

namespace planish::onnx {
namespace {

template <class T>
Tensor list_tensor(const std::vector<T>& values) {
  return Tensor::of<T>({static_cast<int64_t>(values.size())}, std::span<const T>(values));
}

}  // namespace

void Importer::constant_node(Scope& scope, const NodeProto& proto) {
  if (!proto.input.empty()) fail(ErrorCode::kInvalidModel, "Constant takes no inputs");
  if (proto.output.size() != 1 || proto.output[0].empty()) {
    fail(ErrorCode::kInvalidModel, "Constant has exactly one output");
  }
  version_for(scope.frame, "", "Constant", std::string(text(proto.name)));
  const Text output = proto.output[0];
  Tensor tensor;
  int found = 0;
  for (const AttributeProto& a : proto.attribute) {
    const Text name = text(a.name);
    const AttributeProto* value = resolve(scope.frame, a);
    if (value == nullptr) continue;
    ++found;
    if (name == "sparse_value") {
      if (!value->sparse_tensor)
        fail(ErrorCode::kInvalidModel, "'sparse_value' holds no sparse tensor");
      tensor = constants_.sparse(*value->sparse_tensor, output);
      continue;
    }
    const Attribute content = to_attribute(*value, constants_, symbols_);
    const auto is = [&](Text wanted, Text kind) {
      return name == wanted && kind_name(content) == kind;
    };
    if (is("value", "tensor")) {
      tensor = std::get<Tensor>(content);
    } else if (is("value_float", "float")) {
      tensor = Tensor::scalar(std::get<float>(content));
    } else if (is("value_int", "int")) {
      tensor = Tensor::scalar(std::get<int64_t>(content));
    } else if (is("value_string", "string")) {
      tensor = Tensor::from_strings({}, {std::get<std::string>(content)});
    } else if (is("value_floats", "floats")) {
      tensor = list_tensor(std::get<Floats>(content));
    } else if (is("value_ints", "ints")) {
      tensor = list_tensor(std::get<Ints>(content));
    } else if (is("value_strings", "strings")) {
      const Strings& strings = std::get<Strings>(content);
      tensor = Tensor::from_strings({static_cast<int64_t>(strings.size())}, strings);
    } else {
      fail(ErrorCode::kInvalidModel, "Constant has an attribute '{}' of kind {}", name,
           kind_name(content));
    }
  }
  if (found != 1)
    fail(ErrorCode::kInvalidModel, "Constant needs exactly one value and has {}", found);
  new_constant(scope, output, constants_.keep(std::move(tensor)));
}

}  // namespace planish::onnx
