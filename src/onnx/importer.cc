#include "onnx/importer.h"

#include <algorithm>

#include "base/error.h"
#include "onnx/attributes.h"
#include "onnx/document.h"
#include "ops/op.h"
#include "ops/upgrade.h"

namespace planish::onnx {
namespace {

// Opset numbers grow by two or three a year: one this far ahead is no opset but damage.
constexpr int kPlausibleLead = 20;
// The newest IR version whose messages the tables in proto.h know.
constexpr int64_t kKnownIrVersion = 14;

int newest(Text domain) { return domain == "ai.onnx.ml" ? ops::kNewestMlOpset : ops::kNewestOpset; }

std::string domain_label(Text domain) { return domain.empty() ? "ai.onnx" : std::string(domain); }

void check_version(Text domain, int64_t version) {
  if (version >= 1 && version <= newest(domain) + kPlausibleLead) return;
  fail(ErrorCode::kInvalidModel,
       "opset {} of domain {} does not exist; the newest known here is {}", version,
       domain_label(domain), newest(domain));
}

}  // namespace

Opsets::Opsets(const std::vector<OperatorSetIdProto>& imports) {
  for (const OperatorSetIdProto& import : imports) {
    const Text domain = canonical_domain(text(import.domain));
    const int64_t version = import.version.value_or(0);
    if (domain.empty()) check_version(domain, version);
    const auto [it, added] = versions_.emplace(domain, version);
    if (added) continue;
    if (it->second == version) {
      deviation_ =
          fmt::format("opset {} of {} is imported more than once", version, domain_label(domain));
    } else {
      deviation_ = fmt::format(
          "domain {} is imported twice, as opset {} and as opset {}: the last counts, "
          "as in ONNX Runtime",
          domain_label(domain), it->second, version);
    }
    it->second = version;
  }
}

std::optional<int64_t> Opsets::version(Text domain) const {
  const auto it = versions_.find(canonical_domain(domain));
  return it == versions_.end() ? std::nullopt : std::optional(it->second);
}

Importer::Importer(const Document& document, Constants& constants, const ImportOptions& options)
    : model_(document.model()),
      constants_(constants),
      options_(options),
      opsets_(model_.opset_import),
      functions_(model_) {}

std::unique_ptr<ir::Graph> Importer::run() {
  const GraphProto& proto = *model_.graph;
  auto graph = std::make_unique<ir::Graph>(std::string(text(proto.name)));
  note_facts(*graph);
  survey(model_, functions_, outer_, {options_.max_nodes, options_.max_attribute_bytes});
  check_definitions(proto);

  Frame frame;
  frame.opsets = &opsets_;
  Scope scope{*graph, frame, nullptr, nullptr, {}, {}, {}};
  std::unordered_map<Text, bool> initialized;
  for (const TensorProto& t : proto.initializer) initialized.emplace(text(t.name), true);
  for (const SparseTensorProto& t : proto.sparse_initializer)
    initialized.emplace(text(t.values->name), true);
  std::vector<std::string> defaults;
  for (const ValueInfoProto& input : proto.input) {
    const Text name = text(input.name);
    if (initialized.contains(name)) {
      defaults.emplace_back(name);
      continue;
    }
    if (!says_something(input.type.get())) {
      fail(ErrorCode::kInvalidModel, "input '{}' has no type", name);
    }
    Type type = to_type(*input.type, name, DimRule::kInput, symbols_, &minus_ones_);
    const ir::ValueId id = graph->add_input(name, std::move(type));
    graph->value(id).onnx_name = name;
    bind(scope, name, id);
  }
  constants_of(proto, scope);
  count_incomplete_types(proto);
  declare_types(proto, scope);
  nodes(scope, proto.node);
  for (const ValueInfoProto& output : proto.output) {
    const Text name = text(output.name);
    const auto it = scope.values.find(name);
    if (it == scope.values.end()) {
      fail(ErrorCode::kInvalidModel, "output '{}' is made by no node", name);
    }
    graph->add_output(it->second);
  }
  check_claims(*graph);

  // In IR version 3 and before every initializer had to be listed as an input, which says nothing.
  if (!defaults.empty() && model_.ir_version.value_or(0) > 3) {
    notes_.push_back(fmt::format("{} input(s) have default values and are taken as constants: {}{}",
                                 defaults.size(), defaults[0], defaults.size() > 1 ? ", ..." : ""));
  }
  note_deviations();
  return graph;
}

void Importer::note_deviations() {
  for (const auto& [what, where] : odd_versions_) {
    deviate(fmt::format("{} ({} node{}, first '{}')", what, where.count,
                        where.count == 1 ? "" : "s", where.first));
  }
  if (hidden_.count > 0) {
    deviate(
        fmt::format("{} name(s) in subgraphs hide names of the graphs around them, which ONNX "
                    "forbids; inside, the subgraph's own value counts: {}{}",
                    hidden_.count, hidden_.first, hidden_.count > 1 ? ", ..." : ""));
  }
  if (loop_vectors_.count > 0) {
    deviate(fmt::format(
        "{} iteration number(s) or condition(s) of Loop bodies are declared as vectors, "
        "where ONNX has scalars; the body sees vectors of one element: {}{}",
        loop_vectors_.count, loop_vectors_.first, loop_vectors_.count > 1 ? ", ..." : ""));
  }
  if (incomplete_types_.count > 0) {
    deviate(fmt::format("{} declared type(s) lack their element type; they are inferred: {}{}",
                        incomplete_types_.count, incomplete_types_.first,
                        incomplete_types_.count > 1 ? ", ..." : ""));
  }
  if (sorted_graphs_ > 0) {
    deviate(
        fmt::format("the nodes of {} graph(s) were not in topological order, which ONNX asks for; "
                    "they were sorted",
                    sorted_graphs_));
  }
  if (minus_ones_ > 0) {
    deviate(fmt::format("{} dim(s) are given as -1, which ONNX does not define; taken as open",
                        minus_ones_));
  }
}

void Importer::count_incomplete_types(const GraphProto& proto) {
  for (const auto* list : {&proto.output, &proto.value_info}) {
    for (const ValueInfoProto& v : *list) {
      if (v.type && !says_something(v.type.get())) incomplete_types_.add(text(v.name));
    }
  }
}

void Importer::deviate(std::string note) {
  if (options_.strict) fail(ErrorCode::kInvalidModel, "{} (an error because of --strict)", note);
  notes_.push_back(std::move(note));
}

void Importer::note_facts(ir::Graph& graph) {
  graph.ir_version = model_.ir_version.value_or(0);
  graph.doc = text(model_.doc_string);
  graph.producer = text(model_.producer_name);
  if (const Text version = text(model_.producer_version); !version.empty()) {
    graph.producer += fmt::format(" {}", version);
  }
  for (const StringStringEntryProto& entry : model_.metadata_props) {
    graph.metadata.emplace_back(text(entry.key), text(entry.value));
  }
  if (!opsets_.deviation().empty()) deviate(opsets_.deviation());
  // Before IR version 3 a model had no way to name an opset: it is opset 1.
  if (!opsets_.version("") && graph.ir_version < 3) {
    opsets_.set("", 1);
    notes_.push_back(
        fmt::format("IR version {} names no opset: taken as opset 1", graph.ir_version));
  }
  for (const auto& [domain, version] : opsets_) {
    graph.opset_imports.emplace_back(domain, version);
    if ((domain.empty() || domain == "ai.onnx.ml") && version > newest(domain)) {
      notes_.push_back(
          fmt::format("opset {} of {} is newer than {}, the newest known here; its operators "
                      "are read as those of {}",
                      version, domain_label(domain), newest(domain), newest(domain)));
    }
  }
  if (graph.ir_version > kKnownIrVersion) {
    notes_.push_back(fmt::format(
        "IR version {} is newer than {}, the newest known here; what it adds is kept and not used",
        graph.ir_version, kKnownIrVersion));
  }
  if (!model_.training_info.empty()) notes_.emplace_back("training information is not used");
}

void Importer::constants_of(const GraphProto& proto, Scope& scope) {
  for (const TensorProto& t : proto.initializer) {
    new_constant(scope, text(t.name), constants_.tensor(t, text(t.name)), Hiding::kIfSame);
  }
  for (const SparseTensorProto& t : proto.sparse_initializer) {
    const Text name = text(t.values->name);
    new_constant(scope, name, constants_.sparse(t, name), Hiding::kIfSame);
  }
}

void Importer::declare_types(const GraphProto& proto, Scope& scope) {
  for (const auto* list : {&proto.output, &proto.value_info}) {
    for (const ValueInfoProto& v : *list) {
      if (says_something(v.type.get())) scope.declared.emplace(text(v.name), v.type.get());
    }
  }
}

Importer::Naming Importer::naming(const Scope& scope, Text name) const {
  if (const auto it = scope.renamed.find(name); it != scope.renamed.end()) {
    return naming(*scope.caller, it->second);
  }
  Naming n;
  if (scope.frame.function == nullptr) {
    n.name = n.onnx_name = name;
  } else {
    n.name = scope.frame.prefix + std::string(name);
  }
  if (const auto it = scope.declared.find(name); it != scope.declared.end())
    n.declared = it->second;
  return n;
}

Type Importer::claim(const Naming& naming, Text name) {
  if (naming.declared == nullptr) return {};
  return to_type(*naming.declared, name, DimRule::kClaim, symbols_, &minus_ones_);
}

void Importer::bind(Scope& scope, Text name, ir::ValueId id, Hiding hiding) {
  if (scope.outer != nullptr) check_hiding(*scope.outer, name, scope.graph.value(id), hiding);
  scope.values[name] = id;
  if (const auto it = scope.renamed.find(name); it != scope.renamed.end())
    bind(*scope.caller, it->second, id);
}

ir::ValueId Importer::new_value(Scope& scope, Text name) {
  Naming n = naming(scope, name);
  Type declared = claim(n, name);
  const ir::ValueId id = scope.graph.add_value(n.name, without_shapes(declared));
  ir::ValueDef& value = scope.graph.value(id);
  value.onnx_name = std::move(n.onnx_name);
  value.declared = std::move(declared);
  bind(scope, name, id);
  return id;
}

ir::ValueId Importer::new_constant(Scope& scope, Text name, Tensor tensor, Hiding hiding) {
  Naming n = naming(scope, name);
  const ir::ValueId id = scope.graph.add_constant(n.name, std::move(tensor));
  scope.graph.value(id).onnx_name = std::move(n.onnx_name);
  bind(scope, name, id, hiding);
  return id;
}

ir::ValueId Importer::read(const Scope& scope, Text name) const {
  if (name.empty()) return ir::kNoValue;
  const auto it = scope.values.find(name);
  if (it == scope.values.end()) {
    fail(ErrorCode::kInvalidModel, "it reads '{}', which nothing defines", name);
  }
  return it->second;
}

std::string Importer::node_name(const Scope& scope, const NodeProto& proto, size_t index) const {
  const Text name = text(proto.name);
  if (!name.empty()) return scope.frame.prefix + std::string(name);
  return fmt::format("{}{}_{}", scope.frame.prefix, text(proto.op_type), index);
}

void Importer::nodes(Scope& scope, const std::vector<NodeProto>& list) {
  bool sorted = false;
  const std::vector<size_t> order = node_order(list, outer_, &sorted);
  if (sorted) ++sorted_graphs_;
  for (const size_t i : order) {
    try {
      node(scope, list[i], i);
    } catch (Error& e) {
      e.at_node(node_name(scope, list[i], i));
      throw;
    }
  }
}

void Importer::node(Scope& scope, const NodeProto& proto, size_t index) {
  const std::string name = node_name(scope, proto, index);
  if (text(proto.op_type).empty()) fail(ErrorCode::kInvalidModel, "the node names no operator");
  if (const FunctionProto* f = functions_.find(proto)) {
    call(scope, proto, *f, name);
  } else if (text(proto.op_type) == "Constant" && canonical_domain(text(proto.domain)).empty()) {
    constant_node(scope, proto);
  } else {
    operator_node(scope, proto, name);
  }
}

int Importer::version_for(const Frame& frame, Text domain, Text op, const std::string& node_name) {
  std::optional<int64_t> imported = frame.opsets->version(domain);
  // A function that leaves an import out means the model's.
  if (!imported) imported = opsets_.version(domain);
  if (!imported && domain.empty() && !opsets_.empty()) {
    imported = ops::kNewestOpset;
    odd_versions_[fmt::format(
                      "the model imports no opset of ai.onnx; its operators are read as those of "
                      "opset {}, the newest, as in ONNX Runtime",
                      ops::kNewestOpset)]
        .add(node_name);
  }
  if (!imported) {
    fail(ErrorCode::kInvalidModel, "{} is used, but the model imports no opset of domain {}",
         operator_name(domain, op), domain_label(domain));
  }
  check_version(domain, *imported);
  const int version = static_cast<int>(*imported);
  const ops::OpDef* def = ops::find(domain, op);
  if (def != nullptr && def->removed != 0 && version >= def->removed) {
    fail(ErrorCode::kInvalidModel,
         "{} is gone from opset {} of {} and the model imports {}: import opset {}, if the model "
         "was "
         "written for that one",
         operator_name(domain, op), def->removed, domain_label(domain), version, def->removed - 1);
  }
  if (def == nullptr || version >= def->since) return version;
  // A name that older opsets do not have can mean but one thing. ONNX Runtime's optimiser writes
  // LayerNormalization like that.
  odd_versions_[fmt::format(
                    "{} exists from opset {} of {} on and the model imports {}; it is read as that "
                    "of opset {}",
                    operator_name(domain, op), def->since, domain_label(domain), version,
                    def->since)]
      .add(node_name);
  return def->since;
}

const AttributeProto* Importer::resolve(const Frame& frame, const AttributeProto& attribute) const {
  const Text parameter = text(attribute.ref_attr_name);
  if (parameter.empty()) return &attribute;
  if (frame.function == nullptr) {
    fail(ErrorCode::kInvalidModel,
         "attribute '{}' refers to '{}' of a function, but stands outside of one",
         text(attribute.name), parameter);
  }
  const auto it = frame.attributes.find(parameter);
  return it == frame.attributes.end() ? nullptr : it->second;
}

void Importer::attributes_of(Scope& scope, const NodeProto& proto, ir::Node& node) {
  for (const AttributeProto& a : proto.attribute) {
    const Text name = text(a.name);
    if (name.empty()) fail(ErrorCode::kInvalidModel, "an attribute has no name");
    const AttributeProto* value = resolve(scope.frame, a);
    if (value == nullptr || value->g || !value->graphs.empty()) continue;  // unset; blocks_of
    if (node.attributes.has(name))
      fail(ErrorCode::kInvalidModel, "attribute '{}' stands twice", name);
    node.attributes.set(std::string(name), to_attribute(*value, constants_, symbols_));
  }
}

void Importer::operator_node(Scope& scope, const NodeProto& proto, const std::string& name) {
  ir::Node node;
  node.domain = canonical_domain(text(proto.domain));
  node.op = text(proto.op_type);
  node.name = name;
  node.provenance = {name};
  const int version = version_for(scope.frame, node.domain, node.op, name);
  for (const Text input : proto.input) node.inputs.push_back(read(scope, input));
  attributes_of(scope, proto, node);
  blocks_of(scope, proto, node);
  for (const Text output : proto.output) {
    node.outputs.push_back(output.empty() ? ir::kNoValue : new_value(scope, output));
  }
  while (!node.outputs.empty() && node.outputs.back() == ir::kNoValue) node.outputs.pop_back();
  if (node.outputs.empty()) node.outputs.push_back(scope.graph.add_value(name));
  try {
    ops::add_upgraded(scope.graph, std::move(node), version);
  } catch (const Error& e) {
    const Text domain = canonical_domain(text(proto.domain));
    if (version <= newest(domain) || (!domain.empty() && domain != "ai.onnx.ml")) throw;
    throw Error(e.code(),
                fmt::format("{} (opset {} of {} is newer than this importer knows: convert the "
                            "model to opset {} with onnx.version_converter)",
                            e.message(), version, domain_label(domain), newest(domain)));
  }
}

}  // namespace planish::onnx
