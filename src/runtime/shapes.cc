#include "runtime/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/elements.h"
#include "base/error.h"
#include "base/type.h"

namespace planish::runtime {
namespace {

// splitmix64 (Steele, Lea, Flood 2014): the same numbers on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  int64_t below(int64_t bound) {
    return static_cast<int64_t>(next() % static_cast<uint64_t>(bound));
  }

 private:
  uint64_t state_;
};

Tensor random_tensor(DType dtype, const Dims& dims, int64_t bound, Random& random) {
  const int64_t count = element_count(dims);
  if (dtype == DType::kFloat32) {
    Tensor t(dtype, dims);
    for (float& v : t.mutable_data<float>()) v = static_cast<float>(random.unit() * 2 - 1);
    return t;
  }
  if (dtype == DType::kString) {
    std::vector<std::string> strings;
    for (int64_t i = 0; i < count; ++i)
      strings.push_back(std::string(1, static_cast<char>('a' + random.below(26))));
    return Tensor::from_strings(dims, std::move(strings));
  }
  if (is_floating(dtype)) {
    std::vector<double> values(static_cast<size_t>(count));
    for (double& v : values) v = random.unit() * 2 - 1;
    return from_doubles(dtype, dims, values);
  }
  if (is_integer(dtype) || dtype == DType::kBool) {
    const int64_t width_limit = dtype == DType::kBool   ? 2
                                : bit_width(dtype) <= 4 ? int64_t{1} << (bit_width(dtype) - 1)
                                                        : 10;
    const int64_t limit = bound > 0 ? bound : width_limit;
    std::vector<int64_t> values(static_cast<size_t>(count));
    for (int64_t& v : values) v = random.below(limit);
    return from_ints(dtype, dims, values);
  }
  return Tensor(dtype, dims);  // complex: zeros
}

std::string names_of(std::span<const plan::Binding> inputs) {
  std::string text;
  for (const auto& b : inputs) text += (text.empty() ? "" : ", ") + b.name;
  return text;
}

Value random_value(const Type& type, const Dims& dims, int64_t bound, Random& random) {
  switch (type.kind) {
    case Type::Kind::kTensor:
      return random_tensor(type.dtype, dims, bound, random);
    case Type::Kind::kSequence: {
      const Type& element = type.element.at(0);
      Dims inner;
      if (element.has_shape()) {
        for (const auto& d : *element.shape) inner.push_back(d.constant().value_or(1));
      }
      Sequence one;
      one.push_back(random_value(element, inner, bound, random));
      return one;
    }
    default:
      return {};
  }
}

}  // namespace

Shapes resolve_shapes(std::span<const plan::Binding> inputs, const ShapeRequest& request) {
  for (const auto& [name, dims] : request.shapes) {
    if (std::ranges::none_of(inputs, [&](const auto& b) { return b.name == name; })) {
      fail(ErrorCode::kUsage, "--shapes names the input '{}'; the model has {}", name,
           names_of(inputs));
    }
  }
  SizeExpr::Bindings values(request.dims.begin(), request.dims.end());
  std::set<std::string> symbols;
  std::vector<Type> types;
  for (const auto& b : inputs) {
    types.push_back(parse_type(b.type));
    if (!types.back().has_shape()) continue;
    for (const auto& d : *types.back().shape) symbols.merge(d.symbols());
  }
  for (const auto& [name, value] : request.dims) {
    if (!symbols.contains(name)) {
      fail(ErrorCode::kUsage, "--dim names '{}'; the open dims are: {}", name,
           symbols.empty() ? "none" : fmt::format("{}", fmt::join(symbols, ", ")));
    }
    if (value < 0) fail(ErrorCode::kUsage, "--dim {}={}: a size cannot be negative", name, value);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto given = request.shapes.find(inputs[i].name);
    if (given == request.shapes.end() || !types[i].has_shape()) continue;
    const Shape& shape = *types[i].shape;
    if (given->second.size() != shape.size()) {
      fail(ErrorCode::kUsage, "--shapes gives input '{}' the shape {}; it is {}", inputs[i].name,
           dims_to_string(given->second), inputs[i].type);
    }
    for (size_t d = 0; d < shape.size(); ++d) {
      if (!shape[d].is_symbol()) continue;
      const std::string symbol = *shape[d].symbols().begin();
      const auto [it, added] = values.emplace(symbol, given->second[d]);
      if (!added && it->second != given->second[d]) {
        fail(ErrorCode::kUsage, "--shapes gives dim '{}' the sizes {} and {}", symbol, it->second,
             given->second[d]);
      }
    }
  }
  Shapes out;
  for (const auto& s : symbols) {
    if (values.emplace(s, 1).second) out.defaulted.push_back(s);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    Dims& dims = out.inputs.emplace_back();
    const auto given = request.shapes.find(inputs[i].name);
    if (!types[i].has_shape()) {
      if (given != request.shapes.end()) dims = given->second;
      continue;
    }
    for (const auto& d : *types[i].shape) dims.push_back(d.evaluate(values));
    if (given != request.shapes.end() && given->second != dims) {
      fail(ErrorCode::kUsage, "--shapes gives input '{}' the shape {}; it must be {} ({})",
           inputs[i].name, dims_to_string(given->second), dims_to_string(dims), inputs[i].type);
    }
  }
  return out;
}

std::vector<Value> random_inputs(std::span<const plan::Binding> inputs,
                                 const Shapes& shapes,
                                 uint64_t seed) {
  std::vector<Value> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Random random(seed * 0x100000001b3u + i);
    values.push_back(
        random_value(parse_type(inputs[i].type), shapes.inputs[i], inputs[i].bound, random));
  }
  return values;
}

}  // namespace planish::runtime
