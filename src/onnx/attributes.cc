#include "onnx/attributes.h"

#include "base/error.h"

namespace planish::onnx {
namespace {

using Kind = AttributeProto::AttributeType;

// Which value fields the file sets, as a bit mask over Kind.
uint32_t kinds_set(const AttributeProto& a) {
  uint32_t mask = 0;
  const auto note = [&](Kind kind, bool present) {
    if (present) mask |= uint32_t{1} << kind;
  };
  note(Kind::kFloat, a.f.has_value());
  note(Kind::kInt, a.i.has_value());
  note(Kind::kString, a.s.has_value());
  note(Kind::kTensor, a.t != nullptr);
  note(Kind::kGraph, a.g != nullptr);
  note(Kind::kFloats, !a.floats.empty());
  note(Kind::kInts, !a.ints.empty());
  note(Kind::kStrings, !a.strings.empty());
  note(Kind::kTensors, !a.tensors.empty());
  note(Kind::kGraphs, !a.graphs.empty());
  note(Kind::kSparseTensor, a.sparse_tensor != nullptr);
  note(Kind::kSparseTensors, !a.sparse_tensors.empty());
  note(Kind::kTypeProto, a.tp != nullptr);
  note(Kind::kTypeProtos, !a.type_protos.empty());
  return mask;
}

}  // namespace

Kind attribute_type(const AttributeProto& a) {
  const uint32_t set = kinds_set(a);
  const int64_t type = a.type.value_or(0);
  if (type < 0 || type > Kind::kTypeProtos) {
    fail(ErrorCode::kInvalidModel, "attribute '{}' has type {}, which is none of ONNX's",
         text(a.name), type);
  }
  if (type == Kind::kUndefined) {
    for (int kind = Kind::kFloat; kind <= Kind::kTypeProtos; ++kind) {
      if (set == uint32_t{1} << kind) return static_cast<Kind>(kind);
    }
    fail(ErrorCode::kInvalidModel, "attribute '{}' has no type and not exactly one value",
         text(a.name));
  }
  // Writers may leave zero values out, so a kind whose field is absent stands for its default; some
  // write zeros into number fields of other kinds, which says nothing.
  const bool zero_f = a.f.value_or(0) == 0, zero_i = a.i.value_or(0) == 0,
             empty_s = text(a.s).empty();
  uint32_t others = set & ~(uint32_t{1} << type);
  if (zero_f) others &= ~(uint32_t{1} << Kind::kFloat);
  if (zero_i) others &= ~(uint32_t{1} << Kind::kInt);
  if (empty_s) others &= ~(uint32_t{1} << Kind::kString);
  if (others != 0) {
    fail(ErrorCode::kInvalidModel,
         "attribute '{}' says it is of type {} but carries a value of another", text(a.name), type);
  }
  return static_cast<Kind>(type);
}

Attribute to_attribute(const AttributeProto& a, Constants& constants, Symbols& symbols) {
  const Text name = text(a.name);
  const auto need = [&](bool present, const char* what) {
    if (!present)
      fail(ErrorCode::kInvalidModel, "attribute '{}' should hold {} and holds nothing", name, what);
  };
  switch (attribute_type(a)) {
    case Kind::kFloat:
      return a.f.value_or(0.0f);
    case Kind::kInt:
      return a.i.value_or(0);
    case Kind::kString:
      return std::string(text(a.s));
    case Kind::kTensor:
      need(a.t != nullptr, "a tensor");
      return constants.tensor(*a.t, name);
    case Kind::kFloats:
      return a.floats;
    case Kind::kInts:
      return a.ints;
    case Kind::kStrings: {
      Strings out;
      out.reserve(a.strings.size());
      for (const Text s : a.strings) out.emplace_back(s);
      return out;
    }
    case Kind::kTensors: {
      Tensors out;
      out.reserve(a.tensors.size());
      for (const TensorProto& t : a.tensors) out.push_back(constants.tensor(t, name));
      return out;
    }
    case Kind::kTypeProto:
      need(a.tp != nullptr, "a type");
      return without_shapes(
          to_type(*a.tp, fmt::format("attribute {}", name), DimRule::kClaim, symbols));
    case Kind::kGraph:
    case Kind::kGraphs:
      fail(ErrorCode::kInvalidModel, "attribute '{}' holds a subgraph, which is not expected here",
           name);
    default:
      fail(ErrorCode::kUnsupported,
           "attribute '{}' is a sparse tensor or a list of types: no operator reads it", name);
  }
}

}  // namespace planish::onnx
