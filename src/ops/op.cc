// The registry of operators, made from operators/operators.list, the type sets and the conveniences
// of InferContext.
#include "ops/op.h"

#include <algorithm>
#include <tuple>

namespace planish::ops {

#define PLANISH_ENTRY(entry) OpDef op_##entry();
#include "ops/catalog.inc"
#undef PLANISH_ENTRY

namespace {

constexpr TypeSet bits(std::initializer_list<DType> types) {
  TypeSet set = 0;
  for (const DType t : types) set |= type_bit(t);
  return set;
}

constexpr TypeSet kFloats =
    bits({DType::kFloat16, DType::kBfloat16, DType::kFloat32, DType::kFloat64});
constexpr TypeSet kIntegers = bits({DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64,
                                    DType::kUint8, DType::kUint16, DType::kUint32, DType::kUint64});
constexpr TypeSet kFloat8Scaled = bits(
    {DType::kFloat8E4M3Fn, DType::kFloat8E4M3Fnuz, DType::kFloat8E5M2, DType::kFloat8E5M2Fnuz});

auto key(const OpDef& op) { return std::tie(op.domain, op.name); }

// Sorted by (domain, name), made once.
const std::vector<OpDef>& registry() {
  static const std::vector<OpDef> operators = [] {
    std::vector<OpDef> list;
#define PLANISH_ENTRY(entry) list.push_back(op_##entry());
#include "ops/catalog.inc"
#undef PLANISH_ENTRY
    std::sort(list.begin(), list.end(),
              [](const OpDef& a, const OpDef& b) { return key(a) < key(b); });
    const auto twice = std::adjacent_find(
        list.begin(), list.end(), [](const OpDef& a, const OpDef& b) { return key(a) == key(b); });
    if (twice != list.end())
      planish::fail(ErrorCode::kInternal, "operator '{}' is listed twice", twice->name);
    return list;
  }();
  return operators;
}

}  // namespace

// Every value of DType but kUndefined.
constinit const TypeSet kAnyTensor =
    ((TypeSet{1} << kDTypeCount) - 1) & ~type_bit(DType::kUndefined);
constinit const TypeSet kAnyNumeric = kFloats | kIntegers;
constinit const TypeSet kAnyFloat = kFloats;
constinit const TypeSet kAnyInteger = kIntegers;
constinit const TypeSet kFloat8 = kFloat8Scaled | type_bit(DType::kFloat8E8M0);
constinit const TypeSet kAnyQuantized =
    kFloat8Scaled | bits({DType::kInt8, DType::kUint8, DType::kInt16, DType::kUint16, DType::kInt4,
                          DType::kUint4, DType::kInt2, DType::kUint2, DType::kFloat4E2M1});

const OpDef* find(std::string_view domain, std::string_view name) {
  if (domain == "ai.onnx") domain = "";
  const std::vector<OpDef>& list = registry();
  const auto wanted = std::tie(domain, name);
  const auto it =
      std::lower_bound(list.begin(), list.end(), wanted,
                       [](const OpDef& op, const auto& want) { return key(op) < want; });
  return it != list.end() && key(*it) == wanted ? &*it : nullptr;
}

std::span<const OpDef> all() { return registry(); }

const Shape* InferContext::input_shape(size_t i) const {
  if (!has_input(i)) return nullptr;
  const Type& type = input_type(i);
  return type.has_shape() ? &*type.shape : nullptr;
}

DType InferContext::input_dtype(size_t i) const {
  if (!has_input(i)) return DType::kUndefined;
  const Type& type = input_type(i);
  return type.is_tensor() ? type.dtype : DType::kUndefined;
}

std::optional<std::vector<int64_t>> InferContext::input_ints(size_t i) const {
  if (!has_input(i)) return std::nullopt;
  if (const Tensor* constant = input_constant(i)) {
    std::vector<int64_t> out;
    if (constant->dtype() == DType::kInt64) {
      const Tensor aligned = constant->aligned();
      const auto values = aligned.data<int64_t>();
      out.assign(values.begin(), values.end());
      return out;
    }
    if (constant->dtype() == DType::kInt32) {
      const Tensor aligned = constant->aligned();
      const auto values = aligned.data<int32_t>();
      out.assign(values.begin(), values.end());
      return out;
    }
  }
  const std::optional<ir::SymbolicTensor> known = input_symbolic(i);
  if (!known) return std::nullopt;
  std::vector<int64_t> out;
  out.reserve(known->elements.size());
  for (const SizeExpr& element : known->elements) {
    const std::optional<int64_t> number = element.constant();
    if (!number) return std::nullopt;
    out.push_back(*number);
  }
  return out;
}

ir::ValueId UpgradeContext::input(size_t i) {
  const ir::Node& n = node();
  if (i >= n.inputs.size() || n.inputs[i] == ir::kNoValue) {
    planish::fail(ErrorCode::kInvalidModel, "{} of opset {} needs its input {}", n.op, from(), i);
  }
  return n.inputs[i];
}

void InferContext::fail(const std::string& message) const {
  throw Error(ErrorCode::kInvalidModel, fmt::format("{}: {}", node().op, message))
      .at_node(node().name);
}

}  // namespace planish::ops
