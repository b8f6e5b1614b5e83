// The graph's mutators. Each keeps the promises of graph.h by itself: names unique, use lists
// exact, producers and outputs consistent; verify.cc checks them independently.
//
// Costs: names by hash table, a node's place in the order by a hint that is at most a few hundred
// places off, so that building and rewriting graphs of 100,000 nodes stays far from quadratic.
#include "ir/graph.h"

#include <algorithm>
#include <optional>
#include <queue>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace planish::ir {
namespace {

struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
};
template <class T>
using NameMap = std::unordered_map<std::string, T, StringHash, std::equal_to<>>;

// A set of taken names that finds a free one without trying every suffix again.
template <class Id>
struct NameTable {
  NameMap<Id> ids;
  NameMap<uint64_t> next_suffix;

  std::string unique(std::string_view wanted) {
    if (!ids.contains(wanted)) return std::string(wanted);
    auto counter = next_suffix.find(wanted);
    if (counter == next_suffix.end()) {
      counter = next_suffix.emplace(std::string(wanted), 1).first;
    }
    std::string candidate;
    do {
      candidate = fmt::format("{}_{}", wanted, counter->second++);
    } while (ids.contains(candidate));
    return candidate;
  }
};

// Hints further off than this are refreshed for the whole order at once.
constexpr size_t kMaxHintError = 512;

// The number of a symbol "d12"; nothing for symbols that fresh_symbol() cannot make.
std::optional<uint64_t> fresh_number(std::string_view symbol) {
  constexpr size_t kMaxDigits = 18;
  if (symbol.size() < 2 || symbol.size() > kMaxDigits + 1 || symbol[0] != 'd') return std::nullopt;
  if (symbol[1] == '0' && symbol.size() > 2) return std::nullopt;
  uint64_t number = 0;
  for (const char c : symbol.substr(1)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<uint64_t>(c - '0');
  }
  return number;
}

template <class F>
void for_each_symbol(const Type& type, const F& visit) {
  if (type.shape) {
    for (const SizeExpr& dim : *type.shape) {
      if (dim.is_constant()) continue;
      for (const std::string& symbol : dim.symbols()) visit(symbol);
    }
  }
  for (const Type& element : type.element) for_each_symbol(element, visit);
}

}  // namespace

struct Graph::Names {
  NameTable<ValueId> values;
  NameTable<NodeId> nodes;
  std::vector<uint32_t> places;     // by node: about where it stands in order_
  std::vector<uint32_t> as_output;  // by value: how often it is a graph output
  std::vector<uint8_t> as_input;    // by value
  std::vector<uint8_t> live;        // by node: stands in order_
  // Symbols of the fresh form that others use.
  std::unordered_set<std::string> symbols;
  uint64_t next_symbol = 0;
  bool scanned = false;  // types set before the first fresh symbol have been looked at

  void reserve(std::string_view symbol) {
    const std::optional<uint64_t> number = fresh_number(symbol);
    // Below next_symbol it is one of our own, copied from another value's type.
    if (number && *number >= next_symbol) symbols.emplace(symbol);
  }
  void reserve(const Type& type) {
    for_each_symbol(type, [this](const std::string& symbol) { reserve(symbol); });
  }
  void scan(const Graph& graph) {
    for (const ValueDef& value : graph.values_) {
      reserve(value.type);
      if (!value.symbolic) continue;
      for (const SizeExpr& element : value.symbolic->elements) {
        if (element.is_constant()) continue;
        for (const std::string& symbol : element.symbols()) reserve(symbol);
      }
    }
    for (const Node& node : graph.nodes_) {
      for (const auto& block : node.blocks) {
        scan(*block);
        adopt(*block);
      }
    }
  }
  // Continues after everything that the other graph has given out.
  void adopt(const Graph& other) {
    if (!other.names_) return;
    next_symbol = std::max(next_symbol, other.names_->next_symbol);
    symbols.insert(other.names_->symbols.begin(), other.names_->symbols.end());
  }
};

void Graph::NamesDeleter::operator()(Names* names) const { delete names; }

Graph::Names& Graph::names() {
  if (!names_) names_.reset(new Names);
  return *names_;
}

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>(name_);
  copy->values_ = values_;
  for (const Node& node : nodes_) {
    Node& twin = copy->nodes_.emplace_back();
    twin.id = node.id;
    twin.domain = node.domain;
    twin.op = node.op;
    twin.name = node.name;
    twin.inputs = node.inputs;
    twin.outputs = node.outputs;
    twin.attributes = node.attributes;
    for (const auto& block : node.blocks) twin.blocks.push_back(block->clone());
    twin.captures = node.captures;
    twin.epilogue_inputs = node.epilogue_inputs;
    twin.epilogue = node.epilogue;
    twin.provenance = node.provenance;
    twin.folded = node.folded;
  }
  copy->order_ = order_;
  copy->fold_order_ = fold_order_;
  copy->inputs_ = inputs_;
  copy->outputs_ = outputs_;
  if (names_) copy->names_.reset(new Names(*names_));
  copy->metadata = metadata;
  copy->producer = producer;
  copy->doc = doc;
  copy->ir_version = ir_version;
  copy->opset_imports = opset_imports;
  return copy;
}

// --- values

ValueId Graph::add_value(std::string_view name, Type type) {
  if (values_.size() >= kNoValue) fail(ErrorCode::kOutOfMemory, "the graph has too many values");
  Names& n = names();
  const auto id = static_cast<ValueId>(values_.size());
  ValueDef& value = values_.emplace_back();
  value.id = id;
  value.name = n.values.unique(name.empty() ? "value" : name);
  n.reserve(type);
  value.type = std::move(type);
  n.values.ids.emplace(value.name, id);
  n.as_output.push_back(0);
  n.as_input.push_back(0);
  return id;
}

ValueId Graph::add_input(std::string_view name, Type type) {
  const ValueId id = add_value(name, std::move(type));
  inputs_.push_back(id);
  names().as_input[id] = 1;
  return id;
}

ValueId Graph::add_constant(std::string_view name, Tensor tensor) {
  Shape shape(tensor.dims().begin(), tensor.dims().end());
  const ValueId id = add_value(name, Type::tensor(tensor.dtype(), std::move(shape)));
  values_[id].constant = std::move(tensor);
  return id;
}

void Graph::add_output(ValueId value) {
  if (value >= values_.size()) fail(ErrorCode::kInternal, "graph output {} does not exist", value);
  outputs_.push_back(value);
  ++names().as_output[value];
}

void Graph::set_output(size_t index, ValueId value) {
  if (index >= outputs_.size() || value >= values_.size()) {
    fail(ErrorCode::kInternal, "set_output({}, {}): no such output or value", index, value);
  }
  --names().as_output[outputs_[index]];
  ++names().as_output[value];
  outputs_[index] = value;
}

void Graph::set_inputs(std::vector<ValueId> inputs) {
  Names& n = names();
  for (const ValueId id : inputs) {
    if (id >= values_.size()) fail(ErrorCode::kInternal, "graph input {} does not exist", id);
  }
  for (const ValueId id : inputs_) n.as_input[id] = 0;
  for (const ValueId id : inputs) n.as_input[id] = 1;
  inputs_ = std::move(inputs);
}

ValueId Graph::find_value(std::string_view name) const {
  if (!names_) return kNoValue;
  const auto it = names_->values.ids.find(name);
  return it == names_->values.ids.end() ? kNoValue : it->second;
}

bool Graph::is_output(ValueId id) const { return id < values_.size() && names_->as_output[id] > 0; }
bool Graph::is_input(ValueId id) const { return id < values_.size() && names_->as_input[id] != 0; }

// --- use lists and producers

void Graph::add_use(ValueId value, NodeId node, uint32_t input) {
  if (value == kNoValue) return;
  if (value >= values_.size()) fail(ErrorCode::kInternal, "value {} does not exist", value);
  values_[value].uses.push_back({node, input});
}

void Graph::drop_use(ValueId value, NodeId node, uint32_t input) {
  if (value == kNoValue) return;
  std::vector<Use>& uses = values_[value].uses;
  const auto it = std::find(uses.begin(), uses.end(), Use{node, input});
  if (it == uses.end()) {
    fail(ErrorCode::kInternal, "value '{}' does not know its use by node '{}'", values_[value].name,
         nodes_[node].name);
  }
  uses.erase(it);
}

void Graph::attach_output(ValueId value, NodeId node, uint32_t index) {
  if (value == kNoValue) return;
  if (value >= values_.size()) fail(ErrorCode::kInternal, "value {} does not exist", value);
  ValueDef& def = values_[value];
  if (def.producer != kNoNode || def.constant || is_input(value)) {
    fail(ErrorCode::kInternal, "value '{}' has a definition already; node '{}' cannot make it",
         def.name, nodes_[node].name);
  }
  def.producer = node;
  def.output_index = index;
  // A value whose maker was erased had given its name back.
  NameTable<ValueId>& table = names().values;
  const auto it = table.ids.find(def.name);
  if (it == table.ids.end() || it->second != value) {
    def.name = table.unique(def.name);
    table.ids.emplace(def.name, value);
  }
}

void Graph::detach_output(ValueId value) {
  if (value == kNoValue) return;
  values_[value].producer = kNoNode;
  values_[value].output_index = 0;
}

// Where the live node stands in the order.
size_t Graph::position(NodeId node) {
  Names& n = names();
  const size_t hint = n.places[node];
  for (size_t off = 0; off <= kMaxHintError; ++off) {
    if (off <= hint && hint - off < order_.size() && order_[hint - off] == node) return hint - off;
    if (hint + off < order_.size() && order_[hint + off] == node) return hint + off;
  }
  for (size_t i = 0; i < order_.size(); ++i) n.places[order_[i]] = static_cast<uint32_t>(i);
  return n.places[node];
}

// --- nodes

bool Graph::alive(NodeId id) const { return id < nodes_.size() && names_->live[id] != 0; }

NodeId Graph::add_node(Node given, size_t new_outputs, NodeId before) {
  if (nodes_.size() >= kNoNode) fail(ErrorCode::kOutOfMemory, "the graph has too many nodes");
  if (before != kNoNode && !alive(before)) {
    fail(ErrorCode::kInternal, "add_node: node {} to insert before is not alive", before);
  }
  for (const ValueId value : given.inputs) {
    if (value != kNoValue && value >= values_.size()) {
      fail(ErrorCode::kInternal, "node '{}': input value {} does not exist", given.name, value);
    }
  }
  Names& n = names();
  const auto id = static_cast<NodeId>(nodes_.size());
  Node& node = nodes_.emplace_back(std::move(given));
  node.id = id;
  node.folded = false;
  node.name = n.nodes.unique(node.name.empty() ? node.op : node.name);
  n.nodes.ids.emplace(node.name, id);
  n.live.push_back(1);
  for (uint32_t i = 0; i < node.inputs.size(); ++i) add_use(node.inputs[i], id, i);
  if (node.outputs.empty()) {
    for (size_t i = 0; i < new_outputs; ++i) {
      node.outputs.push_back(
          add_value(new_outputs == 1 ? node.name : fmt::format("{}.{}", node.name, i)));
    }
  }
  for (uint32_t i = 0; i < node.outputs.size(); ++i) attach_output(node.outputs[i], id, i);
  for (const auto& block : node.blocks) n.adopt(*block);
  if (before == kNoNode) {
    n.places.push_back(static_cast<uint32_t>(order_.size()));
    order_.push_back(id);
  } else {
    const size_t at = position(before);
    n.places.push_back(static_cast<uint32_t>(at));
    order_.insert(order_.begin() + static_cast<ptrdiff_t>(at), id);
  }
  return id;
}

void Graph::set_input(NodeId node, size_t index, ValueId value) {
  std::vector<ValueId>& inputs = nodes_[node].inputs;
  if (index >= inputs.size()) {
    fail(ErrorCode::kInternal, "node '{}' has no input {}", nodes_[node].name, index);
  }
  if (inputs[index] == value) return;
  add_use(value, node, static_cast<uint32_t>(index));
  drop_use(inputs[index], node, static_cast<uint32_t>(index));
  inputs[index] = value;
}

void Graph::append_input(NodeId node, ValueId value) {
  std::vector<ValueId>& inputs = nodes_[node].inputs;
  add_use(value, node, static_cast<uint32_t>(inputs.size()));
  inputs.push_back(value);
}

void Graph::remove_input(NodeId node, size_t index) {
  std::vector<ValueId>& inputs = nodes_[node].inputs;
  if (index >= inputs.size()) {
    fail(ErrorCode::kInternal, "node '{}' has no input {}", nodes_[node].name, index);
  }
  drop_use(inputs[index], node, static_cast<uint32_t>(index));
  for (size_t i = index + 1; i < inputs.size(); ++i) {
    if (inputs[i] == kNoValue) continue;
    std::vector<Use>& uses = values_[inputs[i]].uses;
    // Ascending order of i: the entry i-1 of this node, if any, was moved already.
    *std::find(uses.begin(), uses.end(), Use{node, static_cast<uint32_t>(i)}) = {
        node, static_cast<uint32_t>(i - 1)};
  }
  inputs.erase(inputs.begin() + static_cast<ptrdiff_t>(index));
}

void Graph::replace_uses(ValueId from, ValueId to) {
  if (from == to) return;
  if (from >= values_.size() || to >= values_.size()) {
    fail(ErrorCode::kInternal, "replace_uses({}, {}): no such value", from, to);
  }
  std::vector<Use>& target = values_[to].uses;
  for (const Use& use : values_[from].uses) {
    nodes_[use.node].inputs[use.input] = to;
    target.push_back(use);
  }
  values_[from].uses.clear();
  if (!is_output(from)) return;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i] == from) set_output(i, to);
  }
}

void Graph::erase_node(NodeId id) {
  Node& node = nodes_[id];
  const bool live = alive(id);
  if (!live && !node.folded) fail(ErrorCode::kInternal, "node {} is erased already", id);
  for (const ValueId out : node.outputs) {
    if (out == kNoValue) continue;
    if (!values_[out].uses.empty() || is_output(out)) {
      fail(ErrorCode::kInternal, "node '{}' cannot be erased: its output '{}' is in use", node.name,
           values_[out].name);
    }
  }
  Names& n = names();
  for (uint32_t i = 0; i < node.inputs.size(); ++i) drop_use(node.inputs[i], id, i);
  for (const ValueId out : node.outputs) {
    if (out == kNoValue) continue;
    ValueDef& value = values_[out];
    detach_output(out);
    value.constant.reset();
    value.symbolic.reset();
    n.values.ids.erase(value.name);
  }
  if (live) {
    order_.erase(order_.begin() + static_cast<ptrdiff_t>(position(id)));
    n.live[id] = 0;
  } else {
    fold_order_.erase(std::find(fold_order_.begin(), fold_order_.end(), id));
  }
  n.nodes.ids.erase(node.name);
  node.inputs.clear();
  node.outputs.clear();
  node.blocks.clear();
  node.epilogue.clear();
  node.attributes = {};
  node.captures = node.epilogue_inputs = 0;
  node.folded = false;
}

void Graph::fold_node(NodeId id, std::vector<Tensor> results) {
  Node& node = nodes_[id];
  if (!alive(id)) fail(ErrorCode::kInternal, "node {} is not alive and cannot be folded", id);
  if (results.size() != node.outputs.size()) {
    fail(ErrorCode::kInternal, "node '{}' has {} outputs, but {} results to fold", node.name,
         node.outputs.size(), results.size());
  }
  for (const ValueId in : node.inputs) {
    if (in != kNoValue && !values_[in].constant) {
      fail(ErrorCode::kInternal, "node '{}' cannot be folded: its input '{}' is not constant",
           node.name, values_[in].name);
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (node.outputs[i] == kNoValue) continue;
    ValueDef& value = values_[node.outputs[i]];
    if (value.type.is_tensor() && value.type.dtype != DType::kUndefined &&
        value.type.dtype != results[i].dtype()) {
      fail(ErrorCode::kInternal, "node '{}': value '{}' is {}, but its folded result is {}",
           node.name, value.name, to_string(value.type), to_string(results[i].dtype()));
    }
    value.type =
        Type::tensor(results[i].dtype(), Shape(results[i].dims().begin(), results[i].dims().end()));
    value.symbolic.reset();
    value.constant = std::move(results[i]);
  }
  order_.erase(order_.begin() + static_cast<ptrdiff_t>(position(id)));
  names().live[id] = 0;
  node.folded = true;
  fold_order_.push_back(id);
}

void Graph::move_output(ValueId output, NodeId node, uint32_t index) {
  if (output >= values_.size() || !alive(node)) {
    fail(ErrorCode::kInternal, "move_output({}, {}): no such value or node", output, node);
  }
  ValueDef& value = values_[output];
  if (value.producer == node && value.output_index == index) return;
  if (value.producer != kNoNode) {
    nodes_[value.producer].outputs[value.output_index] = kNoValue;
    detach_output(output);
  }
  std::vector<ValueId>& outputs = nodes_[node].outputs;
  if (index >= outputs.size()) outputs.resize(index + 1, kNoValue);
  detach_output(outputs[index]);
  outputs[index] = output;
  attach_output(output, node, index);
}

void Graph::sort() {
  Names& n = names();
  std::vector<uint32_t> place(nodes_.size(), 0);
  for (size_t i = 0; i < order_.size(); ++i) place[order_[i]] = static_cast<uint32_t>(i);
  const auto live_producer = [&](ValueId value) {
    if (value == kNoValue || values_[value].constant) return kNoNode;
    const NodeId maker = values_[value].producer;
    return maker != kNoNode && n.live[maker] ? maker : kNoNode;
  };
  std::vector<uint32_t> missing(nodes_.size(), 0);
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;  // old places
  for (const NodeId id : order_) {
    for (const ValueId in : nodes_[id].inputs) missing[id] += live_producer(in) != kNoNode;
    if (missing[id] == 0) ready.push(place[id]);
  }
  std::vector<NodeId> sorted;
  sorted.reserve(order_.size());
  while (!ready.empty()) {
    const NodeId id = order_[ready.top()];
    ready.pop();
    sorted.push_back(id);
    for (const ValueId out : nodes_[id].outputs) {
      if (out == kNoValue) continue;
      for (const Use& use : values_[out].uses) {
        if (n.live[use.node] && --missing[use.node] == 0) ready.push(place[use.node]);
      }
    }
  }
  if (sorted.size() != order_.size()) {
    // Every node left has a predecessor that is left: walking back must run into a cycle.
    NodeId at = kNoNode;
    for (const NodeId id : order_) {
      if (missing[id] > 0) at = id;
    }
    std::vector<NodeId> path;
    std::vector<uint8_t> seen(nodes_.size(), 0);
    while (!seen[at]) {
      seen[at] = 1;
      path.push_back(at);
      for (const ValueId in : nodes_[at].inputs) {
        const NodeId maker = live_producer(in);
        if (maker != kNoNode && missing[maker] > 0) {
          at = maker;
          break;
        }
      }
    }
    path.erase(path.begin(), std::find(path.begin(), path.end(), at));
    std::reverse(path.begin(), path.end());
    std::string names_of_cycle;
    constexpr size_t kShown = 8;
    for (size_t i = 0; i < std::min(path.size(), kShown); ++i) {
      names_of_cycle += fmt::format("{}'{}'", i ? ", " : "", nodes_[path[i]].name);
    }
    if (path.size() > kShown) names_of_cycle += fmt::format(" and {} more", path.size() - kShown);
    fail(ErrorCode::kInvalidModel, "the graph has a cycle through {} node(s): {}", path.size(),
         names_of_cycle);
  }
  order_ = std::move(sorted);
  for (size_t i = 0; i < order_.size(); ++i) n.places[order_[i]] = static_cast<uint32_t>(i);
}

// --- symbols

std::string Graph::fresh_symbol() {
  Names& n = names();
  if (!n.scanned) {
    n.scan(*this);
    n.scanned = true;
  }
  std::string symbol;
  do {
    symbol = fmt::format("d{}", n.next_symbol++);
  } while (n.symbols.contains(symbol));
  return symbol;
}

void Graph::reserve_symbol(std::string_view symbol) { names().reserve(symbol); }

bool Graph::is_fresh_symbol(std::string_view symbol) const {
  if (!names_) return false;
  const std::optional<uint64_t> number = fresh_number(symbol);
  return number && *number < names_->next_symbol && !names_->symbols.contains(std::string(symbol));
}

void Graph::inherit_symbols(const Graph& parent) { names().adopt(parent); }

}  // namespace planish::ir
