// Whole-graph inference: runs every operator's `infer` in order and merges what it finds with the
// type that the value has.
//
// Trust. What a model's file declares of shapes is not in that type at all (ValueDef::declared):
// files in the wild carry stale shapes, and nothing may be computed from them. What is in it comes
// from an earlier inference, or from whoever wrote the graph. The inferred dim wins; where
// inference knows nothing (a fresh symbol), a number that stands there is kept, and a symbol only
// if an earlier inference gave it out. Two different numbers are an error that names both.
//
// Symbols of a block have a value for each run of the block. One that leaves the block through its
// outputs becomes a fresh symbol outside; those that came in through arguments and captures keep
// their meaning.
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "ops/merge_types.h"
#include "ops/op.h"
#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

// Loop and Scan infer their body more than once, so nesting multiplies: a hostile model of 40
// levels would take for ever. Each node in a block may be visited this often on average, small
// models always kFreeVisits times in all. Real models nest two or three levels.
constexpr int64_t kVisitsPerNode = 64;
constexpr int64_t kFreeVisits = 100'000;
constexpr int kMaxDepth = 64;

int64_t nodes_in_blocks(const ir::Node& node) {
  int64_t count = 0;
  for (const auto& block : node.blocks) {
    for (const ir::NodeId id : block->order()) count += 1 + nodes_in_blocks(block->node(id));
  }
  return count;
}

// State of one call of infer() or infer_node().
struct Session {
  ir::Graph& symbols;  // gives out fresh symbols
  int64_t budget = kFreeVisits;
  int depth = 0;
};

// A graph together with the constants that reach it as captures.
struct Scope {
  ir::Graph& graph;
  std::unordered_map<ir::ValueId, const Tensor*> captured;

  const Tensor* constant(ir::ValueId id) const {
    const ir::ValueDef& value = graph.value(id);
    if (value.constant) return &*value.constant;
    if (captured.empty()) return nullptr;
    const auto it = captured.find(id);
    return it == captured.end() ? nullptr : it->second;
  }
};

void infer_in(Session& session, Scope& scope, ir::NodeId id);

// Types of a graph and its blocks before the first inference of a node: later rounds over a body
// start from what the model declared, not from what an earlier, more special round found.
struct Snapshot {
  std::vector<Type> types;
  std::vector<Snapshot> blocks;

  static Snapshot take(const ir::Graph& graph) {
    Snapshot s;
    s.types.reserve(graph.value_count());
    for (ir::ValueId id = 0; id < graph.value_count(); ++id)
      s.types.push_back(graph.value(id).type);
    for (const ir::NodeId id : graph.order()) {
      for (const auto& block : graph.node(id).blocks) s.blocks.push_back(take(*block));
    }
    return s;
  }
  void restore(ir::Graph& graph) const {
    for (ir::ValueId id = 0; id < types.size(); ++id) graph.value(id).type = types[id];
    size_t next = 0;
    for (const ir::NodeId id : graph.order()) {
      for (const auto& block : graph.node(id).blocks) blocks[next++].restore(*block);
    }
  }
};

void collect_symbols(const Type& type, std::set<std::string, std::less<>>& out) {
  if (type.shape) {
    for (const SizeExpr& dim : *type.shape) out.merge(dim.symbols());
  }
  for (const Type& element : type.element) collect_symbols(element, out);
}

// What is known of one input.
struct Operand {
  const Type* type = nullptr;  // null: omitted
  const Tensor* constant = nullptr;
  const ir::SymbolicTensor* symbolic = nullptr;
};

class NodeContext final : public InferContext {
 public:
  // `node` may be a stand-in for an epilogue operator; `scope` belongs to the graph it stands in.
  NodeContext(Session& session,
              Scope& scope,
              const ir::Node& node,
              std::vector<Operand> inputs,
              std::span<const ir::ValueId> captures,
              size_t outputs)
      : types(outputs),
        symbolic(outputs),
        session_(session),
        scope_(scope),
        node_(node),
        inputs_(std::move(inputs)),
        captures_(captures),
        before_(node.blocks.size()) {}

  const ir::Node& node() const override { return node_; }
  size_t input_count() const override { return inputs_.size(); }
  bool has_input(size_t i) const override {
    return i < inputs_.size() && inputs_[i].type != nullptr;
  }
  const Type& input_type(size_t i) const override {
    static const Type kUnknown;
    return has_input(i) ? *inputs_[i].type : kUnknown;
  }
  const Tensor* input_constant(size_t i) const override {
    return has_input(i) ? inputs_[i].constant : nullptr;
  }
  std::optional<ir::SymbolicTensor> input_symbolic(size_t i) const override {
    if (!has_input(i)) return std::nullopt;
    if (inputs_[i].constant != nullptr) return symbolic_content(*inputs_[i].constant);
    if (inputs_[i].symbolic != nullptr) return *inputs_[i].symbolic;
    return std::nullopt;
  }
  size_t output_count() const override { return types.size(); }
  void set_output(size_t i, Type type) override {
    if (i < types.size()) types[i] = std::move(type);
  }
  void set_symbolic(size_t i, ir::SymbolicTensor value) override {
    if (i < symbolic.size()) symbolic[i] = std::move(value);
  }
  SizeExpr fresh_dim() override {
    std::string symbol = session_.symbols.fresh_symbol();
    fresh.insert(symbol);
    return SizeExpr::symbol(std::move(symbol));
  }

  std::vector<Type> infer_block(size_t index, std::span<const Type> arguments) override {
    if (index >= node_.blocks.size()) InferContext::fail(fmt::format("block {} is missing", index));
    ir::Graph& block = *node_.blocks[index];
    session_.symbols.inherit_symbols(block);  // what was given out while the block stood alone
    if (before_[index]) {
      before_[index]->restore(block);
    } else {
      before_[index] = Snapshot::take(block);
    }
    const std::vector<ir::ValueId>& formals = block.inputs();
    if (formals.size() != arguments.size() + captures_.size()) {
      InferContext::fail(fmt::format(
          "block '{}' takes {} argument(s) and is given {}", block.name(),
          formals.size() - std::min(formals.size(), captures_.size()), arguments.size()));
    }
    Scope inner{block, {}};
    std::set<std::string, std::less<>> known;
    for (size_t i = 0; i < formals.size(); ++i) {
      ir::ValueDef& formal = block.value(formals[i]);
      const bool captured = i >= arguments.size();
      const ir::ValueId outer = captured ? captures_[i - arguments.size()] : ir::kNoValue;
      const Type& given = captured ? scope_.graph.value(outer).type : arguments[i];
      formal.type = merged(formal, given);
      formal.symbolic.reset();
      collect_symbols(formal.type, known);
      if (!captured) continue;
      if (const Tensor* constant = scope_.constant(outer)) inner.captured[formals[i]] = constant;
      formal.symbolic = scope_.graph.value(outer).symbolic;
      if (!formal.symbolic) continue;
      for (const SizeExpr& element : formal.symbolic->elements) known.merge(element.symbols());
    }
    if (++session_.depth > kMaxDepth) {
      InferContext::fail(fmt::format("blocks are nested over {} deep", kMaxDepth));
    }
    for (const ir::NodeId id : block.order()) {
      if (--session_.budget < 0) {
        InferContext::fail("the nested blocks multiply to too many nodes to infer");
      }
      infer_in(session_, inner, id);
    }
    --session_.depth;
    if (&block != &session_.symbols) block.inherit_symbols(session_.symbols);
    std::vector<Type> results;
    std::map<SizeExpr, SizeExpr> renamed;
    for (const ir::ValueId id : block.outputs()) {
      results.push_back(block.value(id).type);
      leave_block(results.back(), known, renamed);
    }
    return results;
  }

  // The declared type of `value` joined with the type that inference found.
  Type merged(const ir::ValueDef& value, const Type& inferred) {
    TypeMerger merger;
    merger.is_new = [this](const std::string& s) { return fresh.contains(s); };
    merger.is_ours = [this](const std::string& s) {
      return session_.symbols.is_fresh_symbol(s) || fresh.contains(s);
    };
    merger.make_fresh = [this] { return fresh_dim(); };
    if (std::optional<Type> joined = merger.merge(value.type, inferred)) return std::move(*joined);
    InferContext::fail(fmt::format("value '{}' is declared {}, but is inferred as {}", value.name,
                                   to_string(value.type), to_string(inferred)));
  }

  std::vector<Type> types;
  std::vector<std::optional<ir::SymbolicTensor>> symbolic;
  std::set<std::string, std::less<>> fresh;  // symbols made for this node

 private:
  // Gives every dim that mentions a symbol of the block's own a fresh name, one for each
  // expression.
  void leave_block(Type& type,
                   const std::set<std::string, std::less<>>& known,
                   std::map<SizeExpr, SizeExpr>& renamed) {
    if (type.shape) {
      for (SizeExpr& dim : *type.shape) {
        if (dim.is_constant()) continue;
        const std::set<std::string> used = dim.symbols();
        if (std::ranges::all_of(used, [&](const std::string& s) { return known.contains(s); })) {
          continue;
        }
        auto it = renamed.find(dim);
        if (it == renamed.end()) it = renamed.emplace(dim, fresh_dim()).first;
        dim = it->second;
      }
    }
    for (Type& element : type.element) leave_block(element, known, renamed);
  }

  Session& session_;
  Scope& scope_;
  const ir::Node& node_;
  std::vector<Operand> inputs_;
  std::span<const ir::ValueId> captures_;
  std::vector<std::optional<Snapshot>> before_;
};

Operand operand(const Scope& scope, ir::ValueId id) {
  if (id == ir::kNoValue) return {};
  const ir::ValueDef& value = scope.graph.value(id);
  return {&value.type, scope.constant(id), value.symbolic ? &*value.symbolic : nullptr};
}

// The type of output 0 after the epilogue.
Type infer_epilogue(Session& session,
                    Scope& scope,
                    const ir::Node& node,
                    Type flow,
                    std::set<std::string, std::less<>>& fresh) {
  for (const ir::EpilogueOp& step : node.epilogue) {
    ir::Node stand_in;
    stand_in.domain = step.domain;
    stand_in.op = step.op;
    stand_in.name = node.name;
    stand_in.attributes = step.attributes;
    std::vector<Operand> inputs;
    for (const int32_t index : step.operands) {
      if (index == ir::EpilogueOp::kFlow) {
        inputs.push_back({&flow, nullptr, nullptr});
      } else if (index == ir::EpilogueOp::kOmitted) {
        inputs.emplace_back();
      } else {
        inputs.push_back(operand(scope, node.inputs[static_cast<size_t>(index)]));
      }
    }
    NodeContext context(session, scope, stand_in, std::move(inputs), {}, 1);
    definition(stand_in).infer(context);
    fresh.merge(context.fresh);
    flow = std::move(context.types[0]);
  }
  return flow;
}

// Known content must fit the value: an integer type or bool, these dims, int32 within its range.
bool fits(const ir::SymbolicTensor& content, const Type& type) {
  // A bool (0 or 1) is what Equal knows of two sizes; Where then chooses between sizes.
  if (type.dtype != DType::kInt32 && type.dtype != DType::kInt64 && type.dtype != DType::kBool)
    return false;
  if (content.elements.size() > static_cast<size_t>(kMaxSymbolicElements)) return false;
  if (static_cast<int64_t>(content.elements.size()) != element_count(content.dims)) return false;
  if (!type.shape || type.shape->size() != content.dims.size()) return false;
  for (size_t i = 0; i < content.dims.size(); ++i) {
    if ((*type.shape)[i] != SizeExpr(content.dims[i])) return false;
  }
  if (type.dtype == DType::kInt32) {
    for (const SizeExpr& element : content.elements) {
      const std::optional<int64_t> number = element.constant();
      if (number && *number != static_cast<int32_t>(*number)) return false;
    }
  }
  return true;
}

void infer_in(Session& session, Scope& scope, ir::NodeId id) {
  ir::Graph& graph = scope.graph;
  const ir::Node& node = graph.node(id);
  try {
    const OpDef& def = definition(node);
    std::vector<Operand> inputs;
    const size_t operator_inputs = node.operator_inputs();
    inputs.reserve(operator_inputs);
    for (size_t i = 0; i < operator_inputs; ++i) inputs.push_back(operand(scope, node.inputs[i]));
    const std::span captures = std::span(node.inputs).last(node.captures);
    NodeContext context(session, scope, node, std::move(inputs), captures, node.outputs.size());
    def.infer(context);
    if (!node.epilogue.empty() && !node.outputs.empty()) {
      context.types[0] =
          infer_epilogue(session, scope, node, std::move(context.types[0]), context.fresh);
      context.symbolic[0].reset();
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == ir::kNoValue) continue;
      ir::ValueDef& value = graph.value(node.outputs[i]);
      std::optional<ir::SymbolicTensor>& content = context.symbolic[i];
      Type& inferred = context.types[i];
      if (content && inferred.is_tensor() && !inferred.shape) {
        inferred.shape = to_shape(content->dims);
      }
      value.type = context.merged(value, inferred);
      value.symbolic.reset();
      if (content && fits(*content, value.type)) value.symbolic = std::move(*content);
    }
  } catch (Error& error) {
    error.at_node(node.name);
    throw;
  }
}

}  // namespace

void infer(ir::Graph& graph) {
  Session session{graph};
  Scope scope{graph, {}};
  for (const ir::NodeId id : graph.order()) {
    session.budget += kVisitsPerNode * nodes_in_blocks(graph.node(id));
    infer_in(session, scope, id);
  }
}

void infer_node(ir::Graph& graph, ir::NodeId node) {
  Session session{graph};
  Scope scope{graph, {}};
  session.budget += kVisitsPerNode * nodes_in_blocks(graph.node(node));
  infer_in(session, scope, node);
}

}  // namespace planish::ops
