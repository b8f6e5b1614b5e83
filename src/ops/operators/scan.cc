#include "ops/block_types.h"
#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

int64_t option(const InferContext& context, std::string_view name, size_t i, size_t count) {
  const Ints& list = context.attributes().get_ints(name);
  if (!list.empty() && list.size() < count) {
    context.fail(fmt::format("{} has {} entries; {} are needed", name, list.size(), count));
  }
  return list.empty() ? 0 : list[i];
}

void infer_scan(InferContext& context) {
  const size_t inputs = context.input_count(), outputs = context.output_count();
  const int64_t given = context.attributes().get_int("num_scan_inputs");
  if (given < 1 || given > static_cast<int64_t>(inputs)) {
    context.fail(fmt::format("num_scan_inputs is {} with {} inputs", given, inputs));
  }
  const auto scans = static_cast<size_t>(given);
  const size_t states = inputs - scans;
  std::vector<Type> carried, elements;
  for (size_t i = 0; i < states; ++i) carried.push_back(context.input_type(i));
  std::optional<SizeExpr> length;
  for (size_t i = 0; i < scans; ++i) {
    Type type = context.input_type(states + i);
    if (type.shape) {
      const int64_t axis =
          normalize_axis(context, option(context, "scan_input_axes", i, scans),
                         static_cast<int64_t>(type.shape->size()), "scan_input_axes");
      const SizeExpr dim = (*type.shape)[static_cast<size_t>(axis)];
      length = length ? same_dim(context, *length, dim, "the lengths of the scan inputs") : dim;
      type.shape->erase(type.shape->begin() + axis);
    }
    elements.push_back(std::move(type));
  }
  const Carried c = infer_carried(context, {}, carried, elements, 0);
  if (c.results.size() < outputs) {
    context.fail(fmt::format("the body gives {} values for {} outputs", c.results.size(), outputs));
  }
  if (!length) length = context.fresh_dim();
  for (size_t i = 0; i < outputs; ++i) {
    if (i < states) {
      context.set_output(i, c.outside[i]);
      continue;
    }
    Type type = c.results[i];
    if (type.shape) {
      const int64_t axis =
          normalize_axis(context, option(context, "scan_output_axes", i - states, outputs - states),
                         static_cast<int64_t>(type.shape->size()) + 1, "scan_output_axes");
      type.shape->insert(type.shape->begin() + axis, *length);
    }
    context.set_output(i, std::move(type));
  }
}

// Opset 8 scanned each entry of a batch axis on its own. That is a scan over the batch, all inputs
// sliced, around today's scan. Lengths per entry (sequence_lens) have no such form.
void upgrade_scan(UpgradeContext& context) {
  if (context.from() >= 9) return;
  ir::Node& node = context.node();
  if (node.inputs.size() <= node.captures) {
    fail(ErrorCode::kInvalidModel,
         "Scan of opset 8 needs its input 0 (sequence_lens, may be \"\")");
  }
  if (node.inputs[0] != ir::kNoValue) {
    fail(ErrorCode::kUnsupported,
         "Scan of opset 8 with sequence_lens is not supported: leave them out, or raise the "
         "model's opset");
  }
  node.inputs.erase(node.inputs.begin());
  const auto scans = static_cast<size_t>(node.attributes.get_int("num_scan_inputs"));
  const Ints directions = node.attributes.get_ints("directions");
  const size_t captures = node.captures, total = node.inputs.size() - captures;

  auto outer = std::make_unique<ir::Graph>("batch");
  outer->inherit_symbols(context.graph());
  ir::Node inner;
  inner.op = "Scan";
  inner.name = node.name;
  inner.captures = node.captures;
  inner.attributes.set("num_scan_inputs", static_cast<int64_t>(scans));
  if (!directions.empty()) inner.attributes.set("scan_input_directions", directions);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    Type type = context.input_type(i);
    if (i < total && type.shape && !type.shape->empty()) type.shape->erase(type.shape->begin());
    inner.inputs.push_back(outer->add_input(fmt::format("in_{}", i), std::move(type)));
  }
  inner.blocks = std::move(node.blocks);
  const size_t outputs = node.outputs.size();
  const ir::NodeId id = outer->add_node(std::move(inner), outputs);
  for (const ir::ValueId value : outer->node(id).outputs) outer->add_output(value);
  node.blocks.clear();
  node.blocks.push_back(std::move(outer));
  node.attributes = {};
  node.attributes.set("num_scan_inputs", static_cast<int64_t>(total));
}

}  // namespace

PLANISH_OPERATOR(scan) {
  OpDef d;
  d.name = "Scan";
  d.since = 8;
  d.inputs = {{"initial_state_and_scan_inputs", Arity::kVariadic}};
  d.outputs = {{"final_state_and_scan_outputs", Arity::kVariadic}};
  d.attributes = {{"num_scan_inputs", AttrKind::kInt, true},
                  {"scan_input_axes", AttrKind::kInts},
                  {"scan_input_directions", AttrKind::kInts},
                  {"scan_output_axes", AttrKind::kInts},
                  {"scan_output_directions", AttrKind::kInts}};
  d.legacy_attributes = {"directions"};
  d.blocks = {"body"};
  d.infer = &infer_scan;
  d.upgrade = &upgrade_scan;
  return d;
}

}  // namespace planish::ops
