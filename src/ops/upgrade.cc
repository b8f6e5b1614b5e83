#include "ops/upgrade.h"

#include <utility>

namespace planish::ops {
namespace {

class Upgrade final : public UpgradeContext {
 public:
  Upgrade(ir::Graph& graph, ir::Node node, int from)
      : graph_(graph), node_(std::move(node)), from_(from) {}

  ir::Node& node() override { return node_; }
  int from() const override { return from_; }
  const ir::Graph& graph() const override { return graph_; }

  // An old form's meaning may hang on a rank. Where inference has none (in a body whose arguments
  // are still unknown), the declared one is taken, and the value is marked for a later check.
  Type input_type(size_t i) const override {
    if (!has(i)) return {};
    ir::ValueDef& value = graph_.value(node_.inputs[i]);
    if (!value.type.is_tensor() || value.type.shape || !value.declared.has_shape())
      return value.type;
    Type type = value.type;
    type.shape.emplace();
    for (size_t d = 0; d < value.declared.shape->size(); ++d)
      type.shape->push_back(SizeExpr::symbol(graph_.fresh_symbol()));
    value.rank_claimed = true;
    return type;
  }
  const Tensor* input_constant(size_t i) const override {
    if (!has(i)) return nullptr;
    const ir::ValueDef& value = graph_.value(node_.inputs[i]);
    return value.constant ? &*value.constant : nullptr;
  }
  ir::ValueId constant(std::string_view name, Tensor tensor) override {
    return graph_.add_constant(fmt::format("{}/{}", node_.name, name), std::move(tensor));
  }
  ir::ValueId emit(std::string_view op,
                   std::vector<ir::ValueId> inputs,
                   Attributes attributes) override {
    const ir::NodeId id = add(helper(op, std::move(inputs), std::move(attributes)), 1);
    return graph_.node(id).outputs[0];
  }
  void wrap_output(size_t output,
                   std::string_view op,
                   std::vector<ir::ValueId> extra,
                   Attributes attributes) override {
    if (output >= node_.outputs.size() || node_.outputs[output] == ir::kNoValue) return;
    const ir::ValueId wanted = node_.outputs[output];
    const ir::ValueId inner = graph_.add_value(graph_.value(wanted).name + "/raw");
    std::vector<ir::ValueId> inputs = {inner};
    inputs.insert(inputs.end(), extra.begin(), extra.end());
    ir::Node after = helper(op, std::move(inputs), std::move(attributes));
    after.outputs = {wanted};
    wraps_.push_back(std::move(after));
    node_.outputs[output] = inner;
  }

  // The node itself and what wraps its outputs: an inner wrap was asked for later.
  std::vector<ir::NodeId> finish() {
    while (!node_.inputs.empty() && node_.inputs.back() == ir::kNoValue &&
           node_.operator_inputs() == node_.inputs.size()) {
      node_.inputs.pop_back();
    }
    add(std::move(node_), 0);
    while (!wraps_.empty()) {
      add(std::move(wraps_.back()), 0);
      wraps_.pop_back();
    }
    return std::move(added_);
  }

 private:
  bool has(size_t i) const { return i < node_.inputs.size() && node_.inputs[i] != ir::kNoValue; }

  ir::Node helper(std::string_view op, std::vector<ir::ValueId> inputs, Attributes attributes) {
    ir::Node out;
    out.op = op;
    out.name = fmt::format("{}/{}", node_.name, op);
    out.inputs = std::move(inputs);
    out.attributes = std::move(attributes);
    out.provenance = node_.provenance;
    return out;
  }

  ir::NodeId add(ir::Node node, size_t new_outputs) {
    const ir::NodeId id = graph_.add_node(std::move(node), new_outputs);
    added_.push_back(id);
    check(graph_, graph_.node(id));
    infer_node(graph_, id);
    return id;
  }

  ir::Graph& graph_;  // input_type() marks values of it
  ir::Node node_;
  int from_;
  std::vector<ir::Node> wraps_;
  std::vector<ir::NodeId> added_;
};

void check_opset(const OpDef& def, int from) {
  const std::string_view domain = def.domain.empty() ? "ai.onnx" : def.domain;
  if (from < def.since) {
    fail(ErrorCode::kInvalidModel,
         "{} exists from opset {} of domain {} on, but the model imports opset {}: raise it to {} "
         "or later",
         def.name, def.since, domain, from, def.since);
  }
  if (def.removed != 0 && from >= def.removed) {
    fail(ErrorCode::kInvalidModel,
         "{} was removed in opset {} of domain {}, and the model imports opset {}: lower it to {} "
         "or earlier",
         def.name, def.removed, domain, from, def.removed - 1);
  }
}

}  // namespace

std::vector<ir::NodeId> add_upgraded(ir::Graph& graph, ir::Node node, int from_opset) {
  if (node.domain == "ai.onnx") node.domain.clear();
  if (node.name.empty()) node.name = node.op;
  const std::string name = node.name;
  try {
    const OpDef& def = definition(node);
    check_opset(def, from_opset);
    Upgrade upgrade(graph, std::move(node), from_opset);
    if (def.upgrade != nullptr) def.upgrade(upgrade);
    return upgrade.finish();
  } catch (Error& error) {
    error.at_node(name);
    throw;
  }
}

}  // namespace planish::ops
