// What the lowering of one node asks about it, and the shape of a lowering.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.h"

namespace planish::backends::cpu {

class Facts {
 public:
  Facts(const ir::Graph& graph, const ir::Node& node) : graph_(graph), node_(node) {}

  const ir::Graph& graph() const { return graph_; }
  const ir::Node& node() const { return node_; }
  const std::string& op() const { return node_.op; }
  const Attributes& attributes() const { return node_.attributes; }

  size_t inputs() const { return node_.operator_inputs(); }
  bool has_input(size_t i) const { return i < inputs() && node_.inputs[i] != ir::kNoValue; }
  const ir::ValueDef& input(size_t i) const { return graph_.value(node_.inputs[i]); }
  DType dtype(size_t i) const { return input(i).type.dtype; }
  // Known for every present input: the backend refuses others before it asks a lowering.
  const Shape& shape(size_t i) const { return *input(i).type.shape; }
  int64_t rank(size_t i) const { return static_cast<int64_t>(shape(i).size()); }
  const Tensor* constant(size_t i) const;  // null when omitted or not constant
  // An integer constant, or integers that shape arithmetic made constant.
  std::optional<Ints> integers(size_t i) const;
  std::optional<float> scalar(size_t i) const;  // a float32 constant of one element

  size_t outputs() const;  // without trailing omitted ones
  bool has_output(size_t i) const {
    return i < node_.outputs.size() && node_.outputs[i] != ir::kNoValue;
  }
  const ir::ValueDef& output(size_t i = 0) const { return graph_.value(node_.outputs[i]); }
  const Shape& output_shape(size_t i = 0) const { return *output(i).type.shape; }

  // Attribute `name` as an axis in [0, rank); nothing when it lies outside.
  std::optional<int64_t> axis(std::string_view name, int64_t fallback, int64_t rank) const;

 private:
  const ir::Graph& graph_;
  const ir::Node& node_;
};

// How one operator (of ai.onnx) is lowered.
struct Lowering {
  std::string_view op;
  Support (*supports)(const Facts& facts);
  std::string (*lower)(const Facts& facts, LowerContext& context);  // returns the tactic's name
};

// A file `conv.cc` of the list defines this.
#define PLANISH_LOWERINGS(entry) std::span<const Lowering> lowerings_##entry()

// --- for the lowerings

Support all_float32(const Facts& facts);  // every present input and output
// "dtype float16 has no cpu kernel".
Support no_dtype(DType type);

// A step with kernel, outputs and the inputs listed; kNone for omitted ones.
plan::Step make_step(const Facts& facts,
                     LowerContext& context,
                     std::string_view kernel,
                     size_t inputs);

}  // namespace planish::backends::cpu
