#include "onnx/types.h"

#include <algorithm>

#include "base/error.h"

namespace planish::onnx {
namespace {

bool symbol_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '/' || c == ':';
}

// At most this many characters of a file's name go into a symbol.
constexpr size_t kMaxSymbol = 64;
// No known model passes 8.
constexpr size_t kMaxRank = 64;

std::string clean(std::string_view name) {
  std::string out(name.substr(0, kMaxSymbol));
  for (char& c : out) {
    if (!symbol_char(c)) c = '_';
  }
  // A symbol of digits alone would read as a number.
  if (out.empty() || std::ranges::all_of(out, [](char c) { return c >= '0' && c <= '9'; })) {
    out.insert(0, "dim");
  }
  return out;
}

// Spellings of "no name" seen in the wild.
bool is_unnamed(std::string_view dim_param) {
  return dim_param.empty() || dim_param == "?" || dim_param == "None" || dim_param == "-1";
}

Shape to_shape(const TensorShapeProto& proto,
               std::string_view where,
               DimRule rule,
               Symbols& symbols,
               int64_t* minus_ones) {
  if (proto.dim.size() > kMaxRank) {
    fail(ErrorCode::kInvalidModel, "'{}' has {} dims; more than {} make no sense", where,
         proto.dim.size(), kMaxRank);
  }
  Shape shape;
  shape.reserve(proto.dim.size());
  for (size_t axis = 0; axis < proto.dim.size(); ++axis) {
    const DimensionProto& dim = proto.dim[axis];
    if (dim.dim_value && *dim.dim_value < -1) {
      fail(ErrorCode::kInvalidModel, "dim {} of '{}' is {}: dims are 0 or more", axis, where,
           *dim.dim_value);
    }
    // dim_value and dim_param exclude each other; a reader of protobuf sees the last one written,
    // writers set only one.
    if (dim.dim_value && *dim.dim_value >= 0) {
      shape.emplace_back(*dim.dim_value);
      continue;
    }
    if (dim.dim_value && minus_ones != nullptr) ++*minus_ones;
    const std::string_view param = text(dim.dim_param);
    if (rule == DimRule::kClaim) {
      shape.push_back(SizeExpr::symbol(is_unnamed(param) ? "_" : clean(param)));
    } else if (is_unnamed(param)) {
      shape.push_back(SizeExpr::symbol(symbols.fresh(fmt::format("{}_{}", clean(where), axis))));
    } else {
      shape.push_back(SizeExpr::symbol(symbols.named(param)));
    }
  }
  return shape;
}

}  // namespace

std::string Symbols::named(std::string_view dim_param) {
  const auto it = by_param_.find(std::string(dim_param));
  if (it != by_param_.end()) return it->second;
  std::string symbol = fresh(dim_param);
  by_param_.emplace(dim_param, symbol);
  return symbol;
}

std::string Symbols::fresh(std::string_view wanted) {
  const std::string base = clean(wanted);
  std::string name = base;
  size_t& next = suffix_[base];
  while (!taken_.insert(name).second) name = fmt::format("{}_{}", base, ++next);
  return name;
}

DType to_dtype(int64_t number, std::string_view where) {
  if (number == 0) fail(ErrorCode::kInvalidModel, "'{}' has no element type", where);
  if (number < 0 || number >= kDTypeCount) {
    fail(ErrorCode::kInvalidModel,
         "'{}' has element type {}, which is none of those known here (1 to {})", where, number,
         kDTypeCount - 1);
  }
  return static_cast<DType>(number);
}

bool says_something(const TypeProto* proto) {
  if (proto == nullptr) return false;
  if (proto->tensor_type) return proto->tensor_type->elem_type.value_or(0) != 0;
  if (proto->sequence_type) return says_something(proto->sequence_type->elem_type.get());
  if (proto->optional_type) return says_something(proto->optional_type->elem_type.get());
  if (proto->map_type) return says_something(proto->map_type->value_type.get());
  return proto->sparse_tensor_type || proto->opaque_type;
}

Type to_type(const TypeProto& proto,
             std::string_view where,
             DimRule rule,
             Symbols& symbols,
             int64_t* minus_ones) {
  const auto element = [&](const std::unique_ptr<TypeProto>& inner) {
    if (!inner) fail(ErrorCode::kInvalidModel, "the type of '{}' lacks its element type", where);
    return to_type(*inner, where, rule, symbols, minus_ones);
  };
  if (proto.tensor_type) {
    const TensorTypeProto& tensor = *proto.tensor_type;
    const DType dtype = to_dtype(tensor.elem_type.value_or(0), where);
    if (!tensor.shape) return Type::tensor(dtype);
    return Type::tensor(dtype, to_shape(*tensor.shape, where, rule, symbols, minus_ones));
  }
  if (proto.sequence_type) return Type::sequence(element(proto.sequence_type->elem_type));
  if (proto.optional_type) return Type::optional(element(proto.optional_type->elem_type));
  if (proto.map_type) {
    const DType key = to_dtype(proto.map_type->key_type.value_or(0), where);
    if (key != DType::kString && !is_integer(key)) {
      fail(ErrorCode::kInvalidModel,
           "'{}' is a map with keys of type {}: ONNX allows integers and strings", where,
           to_string(key));
    }
    return Type::map(key, element(proto.map_type->value_type));
  }
  if (proto.sparse_tensor_type) {
    fail(ErrorCode::kUnsupported, "'{}' is a sparse tensor: only dense values flow through a graph",
         where);
  }
  if (proto.opaque_type) fail(ErrorCode::kUnsupported, "'{}' is of an opaque type", where);
  fail(ErrorCode::kInvalidModel, "'{}' has no type", where);
}

Type without_shapes(Type type) {
  type.shape.reset();
  for (Type& element : type.element) element = without_shapes(std::move(element));
  return type;
}

}  // namespace planish::onnx
