// The meaning of operators to the compiler: schema, versions, shape inference with value
// propagation, cost. One file per operator in operators/, one line in its list; the evaluation
// itself lives in reference/operators/ under the same name.
//
// Canonical form: on import every node is turned into the form of the newest opset that Planish
// knows (attributes that became inputs, changed defaults), by the operator's `upgrade`. Passes,
// backends and reference see that form only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "ir/graph.h"
#include "reference/reference.h"

namespace planish::ops {

// The newest ai.onnx opset whose operators are all known in their meaning here.
inline constexpr int kNewestOpset = 26;
inline constexpr int kNewestMlOpset = 5;

enum class Arity : uint8_t { kRequired, kOptional, kVariadic /* last one only; zero or more */ };

// A set of dtypes as a bit mask: bit (1 << DType).
using TypeSet = uint32_t;
constexpr TypeSet type_bit(DType t) { return TypeSet{1} << static_cast<unsigned>(t); }
extern const TypeSet kAnyTensor;     // every dtype, strings included
extern const TypeSet kAnyNumeric;    // kAnyFloat and kAnyInteger; no bool, no complex, no float8
extern const TypeSet kAnyFloat;      // float16, bfloat16, float32, float64
extern const TypeSet kAnyInteger;    // 8 to 64 bits
extern const TypeSet kFloat8;        // the four float8 kinds and e8m0
extern const TypeSet kAnyQuantized;  // types that QuantizeLinear may produce

struct Formal {
  std::string_view name;
  Arity arity = Arity::kRequired;
  TypeSet types = 0;  // 0: not restricted to tensors (sequence, map, optional too)
  // Formals with equal non-empty group must agree in dtype ("T").
  std::string_view group = "";
};

enum class AttrKind : uint8_t {
  kInt,
  kFloat,
  kString,
  kTensor,
  kType,
  kInts,
  kFloats,
  kStrings,
  kTensors
};
struct AttrSpec {
  std::string_view name;
  AttrKind kind;
  bool required = false;
};

// Given to `infer`. Input facts are those of the canonical node; an unknown stays unknown.
class InferContext {
 public:
  virtual ~InferContext() = default;
  virtual const ir::Node& node() const = 0;
  const Attributes& attributes() const { return node().attributes; }
  virtual size_t input_count() const = 0;  // operator inputs, without epilogue and captures
  virtual bool has_input(size_t i) const = 0;
  virtual const Type& input_type(size_t i) const = 0;        // kUnknown type when omitted
  virtual const Tensor* input_constant(size_t i) const = 0;  // null unless constant
  // Known integer content, from a constant or by propagation (int32, int64 only; at most 4096).
  virtual std::optional<ir::SymbolicTensor> input_symbolic(size_t i) const = 0;
  virtual size_t output_count() const = 0;
  virtual void set_output(size_t i, Type type) = 0;
  virtual void set_symbolic(size_t i, ir::SymbolicTensor value) = 0;
  // A fresh symbol for a dim that only the run can tell.
  virtual SizeExpr fresh_dim() = 0;
  // Infers block `index` with these types for its explicit arguments (captures are supplied) and
  // returns the types of its outputs. Merging over iterations is the operator's business.
  virtual std::vector<Type> infer_block(size_t index, std::span<const Type> arguments) = 0;

  // Conveniences over the above (op.cc).
  const Shape* input_shape(size_t i) const;                        // null when unknown
  DType input_dtype(size_t i) const;                               // kUndefined when unknown
  std::optional<std::vector<int64_t>> input_ints(size_t i) const;  // fully constant integers
  // Adds the node's name on the way up.
  [[noreturn]] void fail(const std::string& message) const;
};

// Given to `upgrade`: turns the node, as written for opset `from`, into the canonical form.
class UpgradeContext {
 public:
  virtual ~UpgradeContext() = default;
  virtual ir::Node& node() = 0;  // not yet in the graph; change attributes and inputs freely
  virtual int from() const = 0;  // opset version that the model imports for the node's domain
  virtual const ir::Graph& graph() const = 0;
  // Facts about an input: type may be unknown.
  virtual Type input_type(size_t i) const = 0;
  virtual const Tensor* input_constant(size_t i) const = 0;
  virtual ir::ValueId constant(std::string_view name, Tensor tensor) = 0;
  // Adds a helper node (canonical form) before the node; returns its outputs.
  virtual ir::ValueId emit(std::string_view op,
                           std::vector<ir::ValueId> inputs,
                           Attributes attributes = {}) = 0;
  // Gives the node a fresh value for `output` and makes helper `op(fresh, extra...)` define the
  // original output after the node.
  virtual void wrap_output(size_t output,
                           std::string_view op,
                           std::vector<ir::ValueId> extra,
                           Attributes attributes = {}) = 0;

  // The value at input i, which this form of the operator needs; kInvalidModel when the node gives
  // none. Upgrades run before the schema check, so node().inputs may be of any length.
  ir::ValueId input(size_t i);
};

struct Cost {
  double flops = 0;  // a multiply-add counts two
};

struct OpDef {
  std::string_view domain;  // "" is ai.onnx
  std::string_view name;
  int since = 1;    // the first opset that has it
  int removed = 0;  // the opset from which it is gone (0: still there)
  std::vector<Formal> inputs;
  std::vector<Formal> outputs;
  std::vector<AttrSpec> attributes;  // of the canonical form
  // Attribute names legal in older forms only; `upgrade` consumes them.
  std::vector<std::string_view> legacy_attributes;
  // Block attribute names in block order: If {"then_branch", "else_branch"}, Loop {"body"}.
  std::vector<std::string_view> blocks;
  void (*infer)(InferContext&) = nullptr;      // required
  void (*upgrade)(UpgradeContext&) = nullptr;  // null: every version reads alike
  // FLOPs from concrete shapes; null: one per output element.
  Cost (*cost)(const ir::Node&,
               std::span<const Dims> inputs,
               std::span<const Dims> outputs) = nullptr;
  bool deterministic = true;  // false: never folded, never merged (random operators)
  // Pointwise and unary or binary: may become an epilogue operator.
  bool epilogue = false;
};

// Null when unknown. The domain may be spelt "ai.onnx" too.
const OpDef* find(std::string_view domain, std::string_view name);
std::span<const OpDef> all();
// The definition of the node's operator; kUnsupported, naming the nearest ones, when unknown.
const OpDef& definition(const ir::Node& node);
// Nearest known operator names for a message about an unknown one, best first; names that other
// frameworks use ("Linear", "BatchNorm2d") lead to ours. Case does not count.
std::vector<std::string> nearest(std::string_view domain, std::string_view name, size_t count = 3);

// Checks a node in canonical form against its schema: arity, dtypes, attributes known, kinds,
// required ones present. Throws kInvalidModel naming node and rule.
void check(const ir::Graph& graph, const ir::Node& node);

// Runs inference over the whole graph (blocks included) in order: sets types and symbolic values of
// every node output. A type that a value has already, stricter than the inferred one, is kept after
// a check of compatibility (contradiction: kInvalidModel); ValueDef::declared is not read. Dims
// that only the run can tell get fresh symbols.
void infer(ir::Graph& graph);
void infer_node(ir::Graph& graph, ir::NodeId node);

// Evaluates a graph with the reference operators. Constants come from the graph.
struct InterpretOptions {
  reference::Callbacks callbacks;  // run_block is supplied by the interpreter
  // Called for every value made, constants excluded; null: none. Blocks report too.
  std::function<void(const ir::Graph&, const ir::ValueDef&, const Value&)> on_value;
  // Compare every value made with its static type (kind, dtype, rank, constant dims) and throw
  // kMismatch on a difference: inference or the reference is wrong.
  bool check_types = false;
};
// `inputs` in the order of graph.inputs(), none null. The results own their elements.
std::vector<Value> interpret(const ir::Graph& graph,
                             std::span<const Value* const> inputs,
                             const InterpretOptions& options = {});
// One node, epilogue and blocks included; `inputs` as in node.inputs. One value for each of the
// node's outputs, empty for omitted ones. on_value hears of the values made in blocks only.
std::vector<Value> evaluate_node(const ir::Node& node,
                                 std::span<const Value* const> inputs,
                                 const InterpretOptions& options = {});

// An operator file `add.cc` ends with
//   PLANISH_OPERATOR(add) { OpDef d; d.name = "Add"; ...; return d; }
#define PLANISH_OPERATOR(entry) ::planish::ops::OpDef op_##entry()

}  // namespace planish::ops
