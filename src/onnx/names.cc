#include "onnx/names.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_set>

#include "base/error.h"

namespace planish::onnx {

std::string label(const NodeProto& node, size_t index) {
  const Text name = text(node.name);
  const Text op = node.op_type ? *node.op_type : Text("a node without operator");
  return name.empty() ? fmt::format("{} #{}", op, index) : fmt::format("{} '{}'", op, name);
}

std::vector<const GraphProto*> subgraphs(const AttributeProto& attribute) {
  std::vector<const GraphProto*> out;
  if (attribute.g) out.push_back(attribute.g.get());
  for (const GraphProto& g : attribute.graphs) out.push_back(&g);
  return out;
}

const std::vector<Text>& OuterNames::of(const GraphProto& graph) {
  if (const auto it = known_.find(&graph); it != known_.end()) return it->second;
  std::unordered_set<Text> settled;  // defined here, or already listed
  for (const ValueInfoProto& v : graph.input) settled.insert(text(v.name));
  for (const TensorProto& t : graph.initializer) settled.insert(text(t.name));
  for (const SparseTensorProto& t : graph.sparse_initializer) {
    if (t.values) settled.insert(text(t.values->name));
  }
  for (const NodeProto& n : graph.node) settled.insert(n.output.begin(), n.output.end());
  settled.insert(Text());
  std::vector<Text> names;
  const auto read = [&](Text name) {
    if (settled.insert(name).second) names.push_back(name);
  };
  for (const NodeProto& n : graph.node) {
    for (const Text name : n.input) read(name);
    for (const AttributeProto& a : n.attribute) {
      for (const GraphProto* g : subgraphs(a)) {
        for (const Text name : of(*g)) read(name);
      }
    }
  }
  for (const ValueInfoProto& v : graph.output) read(text(v.name));
  return known_.emplace(&graph, std::move(names)).first->second;
}

std::vector<Text> OuterNames::of(const NodeProto& node) {
  std::vector<Text> names;
  std::unordered_set<Text> seen;
  for (const AttributeProto& a : node.attribute) {
    for (const GraphProto* g : subgraphs(a)) {
      for (const Text name : of(*g)) {
        if (seen.insert(name).second) names.push_back(name);
      }
    }
  }
  return names;
}

namespace {

// Every name and what defined it first.
class Definitions {
 public:
  explicit Definitions(std::span<const NodeProto> nodes) : nodes_(nodes) {}

  void input(Text name, size_t index) {
    if (name.empty()) fail(ErrorCode::kInvalidModel, "input {} has no name", index);
    define(name, kInput);
  }
  void initializer(Text name) {
    if (name.empty()) fail(ErrorCode::kInvalidModel, "an initializer has no name");
    const auto it = definer_.find(name);
    if (it != definer_.end() && it->second == kInput) {
      it->second = kInitializer;  // an input with a default value
    } else {
      define(name, kInitializer);
    }
  }
  void node_outputs() {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      for (const Text name : nodes_[i].output) {
        if (!name.empty()) define(name, i);
      }
    }
  }

 private:
  static constexpr size_t kInput = SIZE_MAX, kInitializer = SIZE_MAX - 1;

  void define(Text name, size_t who) {
    const auto [it, added] = definer_.emplace(name, who);
    if (added) return;
    fail(ErrorCode::kInvalidModel, "'{}' is defined twice: as {} and as {}", name,
         describe(it->second), describe(who));
  }
  std::string describe(size_t who) const {
    if (who == kInput) return "an input";
    if (who == kInitializer) return "an initializer";
    return fmt::format("an output of {}", label(nodes_[who], who));
  }

  std::span<const NodeProto> nodes_;
  std::unordered_map<Text, size_t> definer_;  // kInput, kInitializer or the node's index
};

}  // namespace

void check_definitions(const GraphProto& graph) {
  Definitions definitions(graph.node);
  for (size_t i = 0; i < graph.input.size(); ++i) definitions.input(text(graph.input[i].name), i);
  for (const TensorProto& t : graph.initializer) definitions.initializer(text(t.name));
  for (const SparseTensorProto& t : graph.sparse_initializer) {
    definitions.initializer(t.values ? text(t.values->name) : Text());
  }
  definitions.node_outputs();
}

void check_definitions(const FunctionProto& function) {
  Definitions definitions(function.node);
  for (size_t i = 0; i < function.input.size(); ++i) definitions.input(function.input[i], i);
  definitions.node_outputs();
}

namespace {

// Nodes that are left when no node can go first: names one cycle among them.
[[noreturn]] void fail_cycle(std::span<const NodeProto> nodes,
                             const std::vector<std::vector<size_t>>& reads_from,
                             const std::vector<size_t>& missing) {
  size_t at = 0;
  while (missing[at] == 0) ++at;
  std::vector<size_t> path;
  std::vector<bool> seen(nodes.size(), false);
  // Every node left reads from another one left, so walking back must meet itself.
  while (!seen[at]) {
    seen[at] = true;
    path.push_back(at);
    for (const size_t before : reads_from[at]) {
      if (missing[before] > 0) {
        at = before;
        break;
      }
    }
  }
  path.erase(path.begin(), std::ranges::find(path, at));
  std::ranges::reverse(path);
  std::string text;
  constexpr size_t kShown = 8;
  for (size_t i = 0; i < path.size() && i < kShown; ++i) {
    if (i > 0) text += " -> ";
    text += label(nodes[path[i]], path[i]);
  }
  if (path.size() > kShown) text += fmt::format(" -> ... ({} nodes)", path.size());
  fail(ErrorCode::kInvalidModel, "the graph has a cycle: {} -> back to the first", text);
}

}  // namespace

std::vector<size_t> node_order(std::span<const NodeProto> nodes, OuterNames& outer, bool* sorted) {
  std::unordered_map<Text, size_t> maker;
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const Text name : nodes[i].output) {
      if (!name.empty()) maker.emplace(name, i);
    }
  }
  std::vector<std::vector<size_t>> reads_from(nodes.size()), read_by(nodes.size());
  bool in_order = true;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto read = [&](Text name) {
      const auto it = maker.find(name);
      if (it == maker.end()) return;
      reads_from[i].push_back(it->second);
      in_order = in_order && it->second < i;
    };
    for (const Text name : nodes[i].input) read(name);
    for (const Text name : outer.of(nodes[i])) read(name);
  }
  std::vector<size_t> order;
  order.reserve(nodes.size());
  *sorted = !in_order;
  if (in_order) {
    for (size_t i = 0; i < nodes.size(); ++i) order.push_back(i);
    return order;
  }
  std::vector<size_t> missing(nodes.size(), 0);
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < nodes.size(); ++i) {
    missing[i] = reads_from[i].size();
    for (const size_t before : reads_from[i]) read_by[before].push_back(i);
    if (missing[i] == 0) ready.push(i);
  }
  while (!ready.empty()) {
    const size_t i = ready.top();
    ready.pop();
    order.push_back(i);
    for (const size_t after : read_by[i]) {
      if (--missing[after] == 0) ready.push(after);
    }
  }
  if (order.size() != nodes.size()) fail_cycle(nodes, reads_from, missing);
  return order;
}

}  // namespace planish::onnx
