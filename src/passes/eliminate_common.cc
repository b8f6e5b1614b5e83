// Common subexpressions: of two deterministic nodes with the same operator, attributes, epilogue
// and inputs the later one reads from the earlier one. Attributes are compared bit by bit (NaN
// equals the same NaN, -0 differs from 0).
//
// Equal constants count as one input when they are parameters rather than weights: scalars, and
// short integer tensors (axes, shapes). Longer ones may be given new content each on its own.
#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "base/hash.h"
#include "ops/op.h"
#include "passes/match.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace planish::passes {
namespace {

constexpr int64_t kMaxParameterElements = 64;

void add(Hasher& hasher, const Tensor& tensor) {
  hasher.update_value(tensor.dtype());
  hasher.update_text(dims_to_string(tensor.dims()));
  hasher.update({tensor.raw(), static_cast<size_t>(tensor.bytes())});
  for (const std::string& s : tensor.strings()) hasher.update_text(s);
}

bool same(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.dims() != b.dims() || a.strings() != b.strings()) return false;
  const auto bytes = static_cast<size_t>(a.bytes());
  return bytes == 0 || std::memcmp(a.raw(), b.raw(), bytes) == 0;
}

bool same_bits(float a, float b) {
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

bool same(const Attribute& a, const Attribute& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&b]<class T>(const T& value) {
        const T& other = std::get<T>(b);
        if constexpr (std::is_same_v<T, float>) {
          return same_bits(value, other);
        } else if constexpr (std::is_same_v<T, Floats>) {
          return std::ranges::equal(value, other, same_bits);
        } else if constexpr (std::is_same_v<T, Tensor>) {
          return same(value, other);
        } else if constexpr (std::is_same_v<T, Tensors>) {
          return std::ranges::equal(value, other,
                                    [](const Tensor& x, const Tensor& y) { return same(x, y); });
        } else {
          return value == other;
        }
      },
      a);
}

bool same(const Attributes& a, const Attributes& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    return x.first == y.first && same(x.second, y.second);
  });
}

class Finder {
 public:
  Finder(ir::Graph& graph, Context& context) : graph_(graph), context_(context) {}

  bool run() {
    bool changed = false;
    for (const ir::NodeId id : std::vector(graph_.order())) {
      const ir::Node& node = graph_.node(id);
      const ops::OpDef* def = ops::find(node.domain, node.op);
      if (def == nullptr || !def->deterministic || !node.blocks.empty()) continue;
      if (std::ranges::all_of(node.outputs, [&](ir::ValueId v) { return unused(graph_, v); })) {
        continue;
      }
      std::vector<ir::NodeId>& bucket = seen_[hash(node)];
      const auto twin = std::ranges::find_if(
          bucket, [&](ir::NodeId other) { return same_node(graph_.node(other), node); });
      if (twin == bucket.end()) {
        bucket.push_back(id);
        continue;
      }
      if (!context_.fire(node, fmt::format("computes the same as {}", graph_.node(*twin).name))) {
        continue;
      }
      changed = true;
      merge_provenance(graph_.node(*twin), node);
      for (size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i] == ir::kNoValue) continue;
        replace_value(graph_, node.outputs[i], graph_.node(*twin).outputs[i]);
      }
      graph_.erase_node(id);
    }
    return changed;
  }

 private:
  // The value that stands for this one: for a parameter the first constant with its content.
  ir::ValueId representative(ir::ValueId id) {
    const Tensor* tensor = constant(graph_, id);
    if (tensor == nullptr) return id;
    const bool integers = is_integer(tensor->dtype()) || tensor->dtype() == DType::kBool;
    if (tensor->rank() != 0 && !(integers && tensor->size() <= kMaxParameterElements)) return id;
    Hasher hasher;
    add(hasher, *tensor);
    std::vector<ir::ValueId>& bucket = parameters_[hasher.digest()];
    for (const ir::ValueId other : bucket) {
      if (same(*constant(graph_, other), *tensor)) return other;
    }
    bucket.push_back(id);
    return id;
  }

  uint64_t hash(const ir::Node& node) {
    Hasher hasher;
    hasher.update_text(node.domain);
    hasher.update_text(node.op);
    for (const ir::ValueId in : node.inputs) hasher.update_value(representative(in));
    hasher.update_value(node.epilogue.size());
    return hasher.digest();
  }

  bool same_node(const ir::Node& a, const ir::Node& b) {
    return a.domain == b.domain && a.op == b.op && a.epilogue_inputs == b.epilogue_inputs &&
           std::ranges::equal(a.inputs, b.inputs,
                              [this](ir::ValueId x, ir::ValueId y) {
                                return representative(x) == representative(y);
                              }) &&
           std::ranges::equal(a.outputs, b.outputs,
                              [](ir::ValueId x, ir::ValueId y) {
                                return (x == ir::kNoValue) == (y == ir::kNoValue);
                              }) &&
           same(a.attributes, b.attributes) &&
           std::ranges::equal(a.epilogue, b.epilogue,
                              [](const ir::EpilogueOp& x, const ir::EpilogueOp& y) {
                                return x.domain == y.domain && x.op == y.op &&
                                       x.operands == y.operands && same(x.attributes, y.attributes);
                              });
  }

  ir::Graph& graph_;
  Context& context_;
  std::unordered_map<uint64_t, std::vector<ir::NodeId>> seen_;
  std::unordered_map<uint64_t, std::vector<ir::ValueId>> parameters_;
};

bool run(ir::Graph& graph, Context& context) { return Finder(graph, context).run(); }

}  // namespace

PLANISH_PASS(eliminate_common) {
  return {"eliminate_common", Phase::kEliminate, "computes equal subexpressions once", &run};
}

}  // namespace planish::passes
