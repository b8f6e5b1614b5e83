// Subgraphs: what they read from outside becomes explicit.
//
// All blocks of a node get one list of captures. A constant of the outer graph is not captured but
// made anew inside the block: its tensor is a view, so this costs nothing, and shape inference and
// folding inside the block see its content.
#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "onnx/importer.h"
#include "ops/op.h"
#include "ops/upgrade.h"

namespace planish::onnx {
namespace {

// Strings are copied with their tensor: only short ones are repeated inside blocks.
constexpr size_t kMaxRepeatedStrings = 256;

bool is_free_to_copy(const Tensor& tensor) {
  return !tensor.owns() && tensor.strings().size() <= kMaxRepeatedStrings;
}

void want(size_t got, size_t wanted, Text block, const char* what) {
  if (got != wanted) {
    fail(ErrorCode::kInvalidModel, "its subgraph '{}' has {} {}, expected {}", block, got, what,
         wanted);
  }
}

// The block interfaces that ONNX fixes. `inputs` and `outputs`: of the node, before captures.
void check_interface(Text op, Text block, const GraphProto& g, size_t inputs, size_t outputs) {
  if (op == "If") {
    want(g.input.size(), 0, block, "inputs");
    want(g.output.size(), outputs, block, "outputs");
  } else if (op == "Loop") {
    const size_t carried = inputs - 2;
    want(g.input.size(), carried + 2, block, "inputs");
    if (g.output.size() < carried + 1) want(g.output.size(), carried + 1, block, "outputs");
    want(outputs, g.output.size() - 1, block, "outputs (less the condition) for the node's");
  } else if (op == "Scan") {
    want(g.output.size(), outputs, block, "outputs");
  }
}

bool same_constant(const ir::ValueDef& a, const ir::ValueDef& b) {
  if (!a.constant || !b.constant) return false;
  const Tensor &x = *a.constant, &y = *b.constant;
  if (x.dtype() != y.dtype() || x.dims() != y.dims()) return false;
  if (x.dtype() == DType::kString) return std::ranges::equal(x.strings(), y.strings());
  return x.bytes() == 0 || std::memcmp(x.raw(), y.raw(), static_cast<size_t>(x.bytes())) == 0;
}

bool is_vector(const Type& type) { return type.is_tensor() && type.shape && !type.shape->empty(); }

// A scalar as a vector of one element, whatever rank its declaration has: so does ONNX Runtime.
ir::ValueId as_vector(ir::Graph& graph, ir::ValueId scalar) {
  const std::string name = graph.value(scalar).name + "/vector";
  ir::Node node;
  node.op = "Unsqueeze";
  node.name = name;
  node.provenance = {graph.value(scalar).name};
  node.inputs = {scalar, graph.add_constant(name + "/axes", Tensor::of<int64_t>({1}, {0}))};
  node.outputs = {graph.add_value(name)};
  const std::vector<ir::ValueId> made = node.outputs;
  ops::add_upgraded(graph, std::move(node), ops::kNewestOpset);
  return made[0];
}

}  // namespace

void Importer::check_hiding(const Scope& outer,
                            Text name,
                            const ir::ValueDef& value,
                            Hiding hiding) {
  for (const Scope* s = &outer; s != nullptr; s = s->outer) {
    const auto it = s->values.find(name);
    if (it == s->values.end()) continue;
    if (hiding == Hiding::kRefused) {
      fail(ErrorCode::kInvalidModel,
           "its subgraph defines '{}' again, a name of the graph around it; ONNX wants names to "
           "differ",
           name);
    }
    if (hiding == Hiding::kIfSame &&
        (it->second == ir::kNoValue || !same_constant(value, s->graph.value(it->second)))) {
      fail(ErrorCode::kInvalidModel,
           "its subgraph has another value for '{}', a name of the graph around it: runtimes "
           "disagree which counts, so rename one",
           name);
    }
    return hidden_.add(name);
  }
}

std::vector<Importer::Capture> Importer::captures_of(Scope& scope, const NodeProto& proto) {
  std::vector<Capture> captures;
  for (const Text name : outer_.of(proto)) {
    Capture c{name, read(scope, name)};
    if (c.value != ir::kNoValue) {
      const ir::ValueDef& value = scope.graph.value(c.value);
      c.repeated = value.constant && is_free_to_copy(*value.constant);
    }
    captures.push_back(c);
  }
  return captures;
}

void Importer::blocks_of(Scope& scope, const NodeProto& proto, ir::Node& node) {
  std::vector<const AttributeProto*> graphs;
  for (const AttributeProto& a : proto.attribute) {
    const AttributeProto* value = resolve(scope.frame, a);
    if (value == nullptr || subgraphs(*value).empty()) continue;
    if (!value->g || !value->graphs.empty()) {
      fail(ErrorCode::kUnsupported, "attribute '{}' is a list of subgraphs: no operator reads one",
           text(a.name));
    }
    graphs.push_back(value);
  }
  // Captures stand behind the operator's own inputs, so their number must be settled first.
  if (!graphs.empty() || node.op == "Loop") {
    while (!node.inputs.empty() && node.inputs.back() == ir::kNoValue) node.inputs.pop_back();
    if (node.op == "Loop")
      node.inputs.resize(std::max<size_t>(node.inputs.size(), 2), ir::kNoValue);
  }
  if (graphs.empty()) return;

  const ops::OpDef* def = ops::find(node.domain, node.op);
  if (def == nullptr) fail(ErrorCode::kInternal, "an unknown operator passed the survey");
  const std::vector<Capture> captures = captures_of(scope, proto);
  for (const std::string_view wanted : def->blocks) {
    const auto it =
        std::ranges::find(graphs, wanted, [](const AttributeProto* a) { return text(a->name); });
    if (it == graphs.end()) fail(ErrorCode::kInvalidModel, "it lacks the subgraph '{}'", wanted);
    const GraphProto& g = *(*it)->g;
    check_interface(node.op, wanted, g, node.inputs.size(), proto.output.size());
    const auto interface = node.op == "Loop" ? Interface::kLoopBody : Interface::kPlain;
    node.blocks.push_back(block(scope, g, captures, interface));
    graphs.erase(it);
  }
  if (!graphs.empty()) {
    fail(ErrorCode::kInvalidModel, "{} takes no subgraph '{}'", node.op, text(graphs[0]->name));
  }
  for (const Capture& c : captures) {
    if (c.repeated || c.value == ir::kNoValue) continue;
    node.inputs.push_back(c.value);
    ++node.captures;
  }
}

std::unique_ptr<ir::Graph> Importer::block(Scope& outer,
                                           const GraphProto& proto,
                                           const std::vector<Capture>& captures,
                                           Interface interface) {
  check_definitions(proto);
  auto graph = std::make_unique<ir::Graph>(std::string(text(proto.name)));
  graph->inherit_symbols(outer.graph);
  Scope scope{*graph, outer.frame, &outer, nullptr, {}, {}, {}};
  std::vector<std::pair<Text, ir::ValueId>> vectors;  // scalars that the body wants as vectors
  for (size_t i = 0; i < proto.input.size(); ++i) {
    const ValueInfoProto& input = proto.input[i];
    const Text name = text(input.name);
    Naming n = naming(scope, name);
    if (says_something(input.type.get())) n.declared = input.type.get();
    Type declared = claim(n, name);
    const bool vector = interface == Interface::kLoopBody && i < 2 && is_vector(declared);
    if (vector) declared.shape->clear();
    const ir::ValueId id = graph->add_input(n.name, vector ? declared : without_shapes(declared));
    ir::ValueDef& value = graph->value(id);
    value.onnx_name = std::move(n.onnx_name);
    value.declared = std::move(declared);
    bind(scope, name, id, Hiding::kAllowed);
    if (vector) vectors.emplace_back(name, id);
  }
  // Which of the captures this block itself reads; the others only keep the lists of all blocks
  // alike.
  const std::vector<Text>& reads = outer_.of(proto);
  const std::unordered_map<Text, bool> mine = [&] {
    std::unordered_map<Text, bool> m;
    for (const Text name : reads) m.emplace(name, true);
    return m;
  }();
  for (const Capture& c : captures) {
    ir::ValueId id = ir::kNoValue;
    if (c.value != ir::kNoValue) {
      const ir::ValueDef& value = outer.graph.value(c.value);
      if (c.repeated && !mine.contains(c.name)) continue;
      id = c.repeated ? graph->add_constant(value.name, *value.constant)
                      : graph->add_input(value.name, value.type);
      graph->value(id).onnx_name = value.onnx_name;
    }
    if (mine.contains(c.name)) scope.values[c.name] = id;
  }
  for (const auto& [name, id] : vectors) {
    loop_vectors_.add(name);
    scope.values[name] = as_vector(*graph, id);
  }
  constants_of(proto, scope);
  count_incomplete_types(proto);
  declare_types(proto, scope);
  nodes(scope, proto.node);
  for (const ValueInfoProto& output : proto.output) {
    const ir::ValueId id = read(scope, text(output.name));
    if (id == ir::kNoValue) {
      fail(ErrorCode::kInvalidModel, "a subgraph's output '{}' is an omitted value",
           text(output.name));
    }
    graph->add_output(id);
  }
  return graph;
}

}  // namespace planish::onnx
