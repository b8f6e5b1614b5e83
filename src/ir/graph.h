// The intermediate representation: a graph of operator nodes over typed values.
//
// - Nodes stand in topological order. A value is made by one node, or is a graph input, or a
//   constant. Names are unique within a graph and its blocks are graphs of their own.
// - Control flow is structured: a node owns blocks (subgraphs). Outer values that a block reads are
//   explicit: they stand at the end of the node's inputs (`captures` of them) and at the end of the
//   block's inputs in the same order. All blocks of a node share one capture list.
//     If(cond, captures...)                     blocks: then(captures...), else(captures...)
//     Loop(M?, cond?, carried..., captures...)  block: body(iteration, cond, carried...,
//     captures...) Scan(states..., scans..., captures...)    block: body(states..., scan
//     elements..., captures...)
// - A constant is an initializer or the result of a fold node: folding moves a node from the live
//   order to fold_order() and stores its result; the recipe stays, so that refit stays possible.
// - A node may carry an epilogue: pointwise operators applied in turn to output 0 before it is
//   stored. Its meaning is that of the chain of separate nodes; the printer writes `|> Relu()`.
// - Quantization stays as Q/DQ nodes; there is no quantized type.
//
// Not thread safe while it is changed.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/attribute.h"
#include "base/error.h"
#include "base/size_expr.h"
#include "base/tensor.h"
#include "base/type.h"

namespace planish::ir {

using ValueId = uint32_t;
using NodeId = uint32_t;
inline constexpr ValueId kNoValue = 0xffffffffu;  // an omitted input or output
inline constexpr NodeId kNoNode = 0xffffffffu;

class Graph;

// Known content of a small integer tensor as expressions: value propagation through shape
// arithmetic. `dims` is its concrete shape (rank 0 or 1 in practice).
struct SymbolicTensor {
  Dims dims;
  std::vector<SizeExpr> elements;
  bool operator==(const SymbolicTensor&) const = default;
};

struct Use {
  NodeId node;
  uint32_t input;  // index into Node::inputs
  bool operator==(const Use&) const = default;
};

struct ValueDef {
  ValueId id = kNoValue;
  std::string name;  // unique in its graph, never empty
  Type type;
  NodeId producer = kNoNode;       // kNoNode: graph input or initializer
  uint32_t output_index = 0;       // which output of the producer
  std::optional<Tensor> constant;  // initializer or folded result
  std::optional<SymbolicTensor> symbolic;
  std::string onnx_name;  // the ONNX value it equals; empty when none does
  // The type that the model's file gives it: a claim, which inference and runs may disprove. Open
  // dims are symbols that mean nothing elsewhere. Not part of the text form.
  Type declared;
  // An operator's old form was read by the declared rank, since inference had found none.
  bool rank_claimed = false;
  std::vector<Use> uses;  // maintained by Graph; live and fold nodes alike

  bool is_constant() const { return constant.has_value(); }
};

// One pointwise operator applied to output 0 of its node. Exactly one operand is the flowing value
// (kFlow); the others are indices into Node::inputs (kOmitted: left out).
struct EpilogueOp {
  static constexpr int32_t kFlow = -1;
  static constexpr int32_t kOmitted = -2;
  std::string domain, op;
  Attributes attributes;
  std::vector<int32_t> operands;
};

struct Node {
  NodeId id = kNoNode;
  std::string domain;  // "" is ai.onnx
  std::string op;
  std::string name;             // unique in its graph, never empty
  std::vector<ValueId> inputs;  // change through Graph only (uses are kept there)
  std::vector<ValueId> outputs;
  Attributes attributes;
  std::vector<std::unique_ptr<Graph>> blocks;
  uint32_t captures = 0;  // trailing inputs that feed the blocks' trailing inputs
  // Trailing inputs (before captures; nodes with blocks have none) used by the epilogue only.
  uint32_t epilogue_inputs = 0;
  std::vector<EpilogueOp> epilogue;
  std::vector<std::string> provenance;  // names of the ONNX nodes it stands for, in order
  bool folded = false;

  // Inputs of the operator proper: without epilogue operands and captures.
  size_t operator_inputs() const { return inputs.size() - epilogue_inputs - captures; }
};

class Graph {
 public:
  Graph() = default;
  explicit Graph(std::string name) : name_(std::move(name)) {}
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  Graph(Graph&&) noexcept = default;
  Graph& operator=(Graph&&) noexcept = default;
  std::unique_ptr<Graph> clone() const;  // same ids

  const std::string& name() const { return name_; }

  // --- values
  // A wanted name that is empty or taken gets a suffix ("x", "x_1", ...).
  ValueId add_value(std::string_view name, Type type = {});
  ValueId add_input(std::string_view name, Type type);
  ValueId add_constant(std::string_view name, Tensor tensor);
  void add_output(ValueId value);  // the same value may be listed twice
  void set_output(size_t index, ValueId value);
  void set_inputs(std::vector<ValueId> inputs);
  ValueDef& value(ValueId id) { return values_[id]; }
  const ValueDef& value(ValueId id) const { return values_[id]; }
  size_t value_count() const { return values_.size(); }  // ids are 0 .. value_count-1
  ValueId find_value(std::string_view name) const;       // kNoValue when absent
  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<ValueId>& outputs() const { return outputs_; }
  bool is_output(ValueId id) const;
  bool is_input(ValueId id) const;

  // --- nodes
  // Appends at the end of the order, or before `before`. The node's outputs are taken from `node`
  // (values already added) or, when `node.outputs` is empty, `new_outputs` fresh values are made.
  NodeId add_node(Node node, size_t new_outputs = 0, NodeId before = kNoNode);
  Node& node(NodeId id) { return nodes_[id]; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  size_t node_count() const { return nodes_.size(); }          // ids ever given, dead ones included
  const std::vector<NodeId>& order() const { return order_; }  // live nodes
  const std::vector<NodeId>& fold_order() const { return fold_order_; }  // folded nodes
  bool alive(NodeId id) const;  // in order(): neither erased nor folded

  void set_input(NodeId node, size_t index, ValueId value);
  void append_input(NodeId node, ValueId value);
  void remove_input(NodeId node, size_t index);
  // Every use of `from`, graph outputs included, reads `to` from now on.
  void replace_uses(ValueId from, ValueId to);
  // Takes the node out of the order (or out of the fold order); its outputs must have no uses and
  // not be graph outputs. Their ids may be given to another node later; their names become free.
  void erase_node(NodeId node);
  // Makes the live node a fold node with these results (one per output, in order).
  void fold_node(NodeId node, std::vector<Tensor> results);
  // Moves `output` (a value) so that `node` makes it instead of its present producer, which is left
  // with an omitted output. A value that `node` made at `index` so far loses its producer; the
  // caller sees to its remaining uses.
  void move_output(ValueId output, NodeId node, uint32_t index);
  // Re-sorts the live order topologically, stable. kInvalidModel names the nodes of a cycle.
  void sort();

  // A fresh symbol name that no dim of this graph or its blocks uses: "d0", "d1", ... Symbols of
  // types given to add_value() and add_input() are known; others are reserved by name.
  std::string fresh_symbol();
  void reserve_symbol(std::string_view symbol);
  // Whether fresh_symbol() gave it out, here or in a block that was added.
  bool is_fresh_symbol(std::string_view symbol) const;
  // Makes fresh symbols of this graph, a block under construction, differ from all that `parent`
  // has given out so far. Call before its first fresh symbol; add_node() hands the count back.
  void inherit_symbols(const Graph& parent);

  // --- model-level facts kept for reports (main graph only)
  std::vector<std::pair<std::string, std::string>> metadata;  // ONNX metadata_props
  std::string producer;
  std::string doc;
  int64_t ir_version = 0;
  std::vector<std::pair<std::string, int64_t>> opset_imports;  // as the file said

 private:
  struct Names;
  Names& names();
  void attach_output(ValueId value, NodeId node, uint32_t index);
  void detach_output(ValueId value);
  size_t position(NodeId node);
  void add_use(ValueId value, NodeId node, uint32_t input);
  void drop_use(ValueId value, NodeId node, uint32_t input);

  std::string name_;
  std::deque<ValueDef> values_;
  std::deque<Node> nodes_;
  std::vector<NodeId> order_, fold_order_;
  std::vector<ValueId> inputs_, outputs_;
  // Name tables live in the implementation (see graph.cc).
  struct NamesDeleter {
    void operator()(Names*) const;
  };
  std::unique_ptr<Names, NamesDeleter> names_;
};

// Checks every promise above: single definition, order, use lists, arity of blocks and captures,
// epilogue operands, constants with matching types. Throws kInternal naming node and rule.
// `deep` descends into blocks.
void verify(const Graph& graph, bool deep = true);

// Text form, one node a line; parse_graph(print(g)) is equal to g but for ids (docs: ir/text.h).
struct PrintOptions {
  int64_t max_constant_elements = 64;  // longer constants print as a content hash (not parseable)
  bool provenance = false;
  bool types = true;
};
std::string print(const Graph& graph, const PrintOptions& options = {});
std::unique_ptr<Graph> parse_graph(std::string_view text);

}  // namespace planish::ir
