#include "passes/rewrite.h"

#include <algorithm>
#include <unordered_map>

namespace planish::passes {

void merge_provenance(ir::Node& into, const ir::Node& from) {
  for (const std::string& name : from.provenance) {
    if (std::ranges::find(into.provenance, name) == into.provenance.end()) {
      into.provenance.push_back(name);
    }
  }
}

ir::ValueId replace_value(ir::Graph& graph, ir::ValueId from, ir::ValueId to) {
  if (from == to) return to;
  const ir::NodeId maker = graph.value(to).producer;
  const bool movable = maker != ir::kNoNode && graph.alive(maker) && !graph.is_output(to);
  if (graph.is_output(from) && movable) {
    const uint32_t index = graph.value(to).output_index;
    if (!graph.value(from).type.has_shape() && graph.value(to).type.is_tensor()) {
      graph.value(from).type = graph.value(to).type;
    }
    graph.value(from).symbolic = graph.value(to).symbolic;
    graph.move_output(from, maker, index);
    graph.replace_uses(to, from);
    return from;
  }
  // What the node that goes away said of the shape, nothing else may say.
  ir::ValueDef& kept = graph.value(to);
  const Type& known = graph.value(from).type;
  if (kept.type.is_tensor() && !kept.type.shape && known.has_shape() &&
      kept.type.dtype == known.dtype) {
    kept.type = known;
  }
  if (graph.value(to).onnx_name.empty()) graph.value(to).onnx_name = graph.value(from).onnx_name;
  graph.replace_uses(from, to);
  return to;
}

namespace {

// Moves operators behind `into`, with the operands they need.
class Absorber {
 public:
  Absorber(ir::Graph& graph, ir::NodeId into, const ir::Node& from)
      : graph_(graph), into_(into), from_(from) {}

  void take_operator(size_t flow) {
    ir::EpilogueOp step{from_.domain, from_.op, from_.attributes, {}};
    for (size_t i = 0; i < from_.operator_inputs(); ++i) {
      step.operands.push_back(i == flow ? ir::EpilogueOp::kFlow : operand(from_.inputs[i]));
    }
    while (step.operands.back() == ir::EpilogueOp::kOmitted) step.operands.pop_back();
    graph_.node(into_).epilogue.push_back(std::move(step));
  }

  void take_epilogue() {
    for (ir::EpilogueOp step : from_.epilogue) {
      for (int32_t& index : step.operands) {
        if (index >= 0) index = operand(from_.inputs[static_cast<size_t>(index)]);
      }
      graph_.node(into_).epilogue.push_back(std::move(step));
    }
  }

  void finish() {
    merge_provenance(graph_.node(into_), from_);
    graph_.move_output(from_.outputs[0], into_, 0);
    graph_.erase_node(from_.id);
  }

 private:
  int32_t operand(ir::ValueId value) {
    if (value == ir::kNoValue) return ir::EpilogueOp::kOmitted;
    auto it = placed_.find(value);
    if (it == placed_.end()) {
      ir::Node& node = graph_.node(into_);
      it = placed_.emplace(value, static_cast<int32_t>(node.inputs.size())).first;
      graph_.append_input(into_, value);
      ++node.epilogue_inputs;
    }
    return it->second;
  }

  ir::Graph& graph_;
  ir::NodeId into_;
  const ir::Node& from_;
  std::unordered_map<ir::ValueId, int32_t> placed_;
};

}  // namespace

void absorb(ir::Graph& graph, ir::NodeId producer, ir::NodeId consumer, size_t flow) {
  Absorber absorber(graph, producer, graph.node(consumer));
  absorber.take_operator(flow);
  absorber.take_epilogue();
  absorber.finish();
}

void absorb_epilogue(ir::Graph& graph, ir::NodeId producer, ir::NodeId consumer) {
  Absorber absorber(graph, producer, graph.node(consumer));
  absorber.take_epilogue();
  absorber.finish();
}

}  // namespace planish::passes
