// The graph interpreter: evaluates nodes one after another with the reference operators. Blocks and
// epilogues are handled here, so that reference/ knows neither. Slow and plain by intent; a value
// is dropped after its last use, so that peak memory is that of the live values.
#include <algorithm>

#include "ops/op.h"

namespace planish::ops {
namespace {

std::string describe(const Value& value) {
  if (value.is_tensor()) {
    return fmt::format("{} {}", to_string(value.tensor().dtype()),
                       dims_to_string(value.tensor().dims()));
  }
  return value.is_sequence() ? "a sequence" : value.is_map() ? "a map" : "nothing";
}

bool conforms(const Value& value, const Type& type) {
  switch (type.kind) {
    case Type::Kind::kUnknown:
      return true;
    case Type::Kind::kSequence:
      return value.is_sequence() && std::ranges::all_of(value.sequence(), [&](const Value& v) {
               return type.element.empty() || conforms(v, type.element[0]);
             });
    case Type::Kind::kOptional:
      return value.empty() || type.element.empty() || conforms(value, type.element[0]);
    case Type::Kind::kMap:
      return value.is_map();
    case Type::Kind::kTensor:
      break;
  }
  if (!value.is_tensor()) return false;
  const Tensor& tensor = value.tensor();
  if (type.dtype != DType::kUndefined && tensor.dtype() != type.dtype) return false;
  if (!type.shape) return true;
  if (type.shape->size() != tensor.dims().size()) return false;
  for (size_t i = 0; i < type.shape->size(); ++i) {
    const std::optional<int64_t> dim = (*type.shape)[i].constant();
    if (dim && *dim != tensor.dims()[i]) return false;
  }
  return true;
}

std::vector<Value> call(const ir::Node& node,
                        std::string_view domain,
                        std::string_view op,
                        const Attributes& attributes,
                        std::span<const Value* const> inputs,
                        size_t outputs,
                        const reference::Callbacks& callbacks) {
  const reference::Operator* found = reference::find(domain, op);
  if (found == nullptr) {
    fail(ErrorCode::kUnsupported, "operator '{}' has no reference evaluation", op);
  }
  // Omitted inputs at the end are as good as absent.
  while (!inputs.empty() && inputs.back() == nullptr) inputs = inputs.first(inputs.size() - 1);
  std::vector<Value> results =
      found->eval({found->domain, op, attributes, inputs, outputs, callbacks});
  if (results.size() != outputs) {
    fail(ErrorCode::kInternal, "reference {} of node '{}' returned {} value(s) instead of {}", op,
         node.name, results.size(), outputs);
  }
  return results;
}

// The arguments are owned by `arguments` or by whoever owns the captures.
std::vector<Value> run_block(const ir::Graph& block,
                             std::vector<Value> arguments,
                             std::span<const Value* const> captures,
                             const InterpretOptions& options) {
  std::vector<const Value*> inputs;
  inputs.reserve(arguments.size() + captures.size());
  for (const Value& argument : arguments) inputs.push_back(&argument);
  inputs.insert(inputs.end(), captures.begin(), captures.end());
  return interpret(block, inputs, options);
}

std::vector<Value> evaluate(const ir::Node& node,
                            std::span<const Value* const> inputs,
                            const InterpretOptions& options) {
  if (inputs.size() != node.inputs.size()) {
    fail(ErrorCode::kInternal, "node '{}' is evaluated with {} inputs instead of {}", node.name,
         inputs.size(), node.inputs.size());
  }
  if (options.callbacks.poll) options.callbacks.poll();
  size_t outputs = node.outputs.size();
  while (outputs > 1 && node.outputs[outputs - 1] == ir::kNoValue) --outputs;

  const auto proper = inputs.first(node.operator_inputs());
  std::vector<Value> results;
  if (node.blocks.empty()) {
    results = call(node, node.domain, node.op, node.attributes, proper, outputs, options.callbacks);
  } else {
    reference::Callbacks callbacks = options.callbacks;
    const auto captures = inputs.last(node.captures);
    callbacks.run_block = [&](size_t index, std::vector<Value> arguments) {
      if (index >= node.blocks.size()) {
        fail(ErrorCode::kInternal, "node '{}' has no block {}", node.name, index);
      }
      return run_block(*node.blocks[index], std::move(arguments), captures, options);
    };
    callbacks.block_output = [&](size_t index, size_t output) {
      const ir::Graph& block = *node.blocks.at(index);
      return output < block.outputs().size() ? block.value(block.outputs()[output]).type : Type();
    };
    results = call(node, node.domain, node.op, node.attributes, proper, outputs, callbacks);
  }
  for (const ir::EpilogueOp& step : node.epilogue) {
    std::vector<const Value*> operands;
    for (const int32_t index : step.operands) {
      operands.push_back(index == ir::EpilogueOp::kFlow      ? &results[0]
                         : index == ir::EpilogueOp::kOmitted ? nullptr
                                                             : inputs[static_cast<size_t>(index)]);
    }
    results[0] = owned(std::move(
        call(node, step.domain, step.op, step.attributes, operands, 1, options.callbacks)[0]));
  }
  results.resize(node.outputs.size());
  for (Value& value : results) value = owned(std::move(value));
  return results;
}

// The values of one run of a graph.
class Frame {
 public:
  Frame(const ir::Graph& graph, std::span<const Value* const> inputs)
      : graph_(graph),
        owned_(graph.value_count()),
        at_(graph.value_count(), nullptr),
        uses_left_(graph.value_count(), 0) {
    for (size_t i = 0; i < inputs.size(); ++i) at_[graph.inputs()[i]] = inputs[i];
    for (const ir::NodeId id : graph.order()) {
      for (const ir::ValueId in : graph.node(id).inputs) {
        if (in != ir::kNoValue) ++uses_left_[in];
      }
    }
    for (const ir::ValueId out : graph.outputs()) ++uses_left_[out];
  }

  const Value* get(ir::ValueId id) {
    if (id == ir::kNoValue) return nullptr;
    if (at_[id] == nullptr) {
      const ir::ValueDef& def = graph_.value(id);
      if (!def.constant) {
        fail(ErrorCode::kInternal, "value '{}' is read before it is made", def.name);
      }
      put(id, def.constant->aligned());
    }
    return at_[id];
  }

  void put(ir::ValueId id, Value value) {
    owned_[id] = std::move(value);
    at_[id] = &owned_[id];
  }

  void release(ir::ValueId id) {
    if (id == ir::kNoValue || uses_left_[id] == 0 || --uses_left_[id] > 0) return;
    drop(id);
  }
  void drop_unused(ir::ValueId id) {
    if (id != ir::kNoValue && uses_left_[id] == 0) drop(id);
  }

  // The value as a result: moved when this was its last use.
  Value take(ir::ValueId id) {
    const Value* value = get(id);
    const bool last = --uses_left_[id] == 0 && value == &owned_[id];
    return owned(last ? std::move(owned_[id]) : Value(*value));
  }

 private:
  void drop(ir::ValueId id) {
    owned_[id] = Value();
    at_[id] = nullptr;
  }

  const ir::Graph& graph_;
  std::vector<Value> owned_;
  std::vector<const Value*> at_;
  std::vector<uint32_t> uses_left_;
};

void check_result(const ir::ValueDef& def, const Value& value) {
  if (conforms(value, def.type)) return;
  fail(ErrorCode::kMismatch, "value '{}' has the static type {}, but came out as {}", def.name,
       to_string(def.type), describe(value));
}

}  // namespace

std::vector<Value> evaluate_node(const ir::Node& node,
                                 std::span<const Value* const> inputs,
                                 const InterpretOptions& options) {
  try {
    return evaluate(node, inputs, options);
  } catch (Error& error) {
    error.at_node(node.name);
    throw;
  }
}

std::vector<Value> interpret(const ir::Graph& graph,
                             std::span<const Value* const> inputs,
                             const InterpretOptions& options) {
  if (inputs.size() != graph.inputs().size()) {
    fail(ErrorCode::kInvalidInput, "graph '{}' takes {} input(s) and is given {}", graph.name(),
         graph.inputs().size(), inputs.size());
  }
  Frame frame(graph, inputs);
  std::vector<const Value*> arguments;
  for (const ir::NodeId id : graph.order()) {
    const ir::Node& node = graph.node(id);
    arguments.clear();
    for (const ir::ValueId in : node.inputs) arguments.push_back(frame.get(in));
    try {
      std::vector<Value> results = evaluate(node, arguments, options);
      for (const ir::ValueId in : node.inputs) frame.release(in);
      for (size_t i = 0; i < results.size(); ++i) {
        const ir::ValueId out = node.outputs[i];
        if (out == ir::kNoValue) continue;
        const ir::ValueDef& def = graph.value(out);
        if (options.check_types) check_result(def, results[i]);
        if (options.on_value) options.on_value(graph, def, results[i]);
        frame.put(out, std::move(results[i]));
        frame.drop_unused(out);
      }
    } catch (Error& error) {
      error.at_node(node.name);
      throw;
    }
  }
  std::vector<Value> results;
  results.reserve(graph.outputs().size());
  for (const ir::ValueId out : graph.outputs()) results.push_back(frame.take(out));
  return results;
}

}  // namespace planish::ops
