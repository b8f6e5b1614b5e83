// The reference evaluation of every operator: what an operator *means*, in plain code.
//
// One file per operator in operators/, one line in its list. Inside, floating types are computed in
// double and rounded once per operator output, integers exactly in their own width; shapes are
// derived here too, independently of ops/ shape inference. Written from the ONNX specification;
// shares no code with kernels/. Serves constant folding, the reference provider, verification and
// tests.
//
// Operators arrive in their canonical (newest opset) form: see ops/op.h on upgrades.
// Thread safety: eval functions are pure; any number may run at once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/attribute.h"
#include "base/error.h"
#include "base/value.h"

namespace planish::reference {

// What an evaluation may ask of its surroundings.
struct Callbacks {
  // Runs subgraph `block` of the node (If: 0 then, 1 else; Loop, Scan: 0 body) on its explicit
  // arguments (captured outer values are supplied by the caller of eval). Null outside control
  // flow.
  std::function<std::vector<Value>(size_t block, std::vector<Value> arguments)> run_block;
  // Static type of a block's output: what a loop's scan outputs are made from when the body never
  // runs (an unknown dim counts 0). Null: unknown.
  std::function<Type(size_t block, size_t output)> block_output;
  // Calls body(begin, end) over disjoint ranges that cover [0, count). Null: run serially.
  std::function<void(int64_t count, const std::function<void(int64_t begin, int64_t end)>&)>
      parallel_for;
  // Throws kCancelled or kDeadline when the caller wants to stop; called in loops. May be null.
  std::function<void()> poll;
  // Bytes that the outputs of one call may take in total.
  int64_t max_output_bytes = int64_t{1} << 40;
  // Seed of the random operators without a `seed` attribute.
  uint64_t seed = 0;
};

struct Call {
  std::string_view domain;  // "" is ai.onnx
  std::string_view op;
  const Attributes& attributes;
  std::span<const Value* const> inputs;  // null where omitted
  size_t outputs;                        // how many the node names (trailing omitted ones cut off)
  const Callbacks& callbacks;

  bool has(size_t input) const { return input < inputs.size() && inputs[input] != nullptr; }
  // The tensor at `input`; kInvalidModel when omitted.
  const Tensor& tensor(size_t input) const;
  // An owned result tensor, zeroed; throws kOutOfMemory beyond max_output_bytes.
  Tensor make(DType dtype, Dims dims) const;
  void parallel_for(int64_t count, const std::function<void(int64_t, int64_t)>& body) const;
};

// Returns exactly `outputs` values (an omitted output in the middle may be an empty Value).
// Throws Error: kData for values that leave the operator undefined, kInvalidInput for types or
// shapes that break its rules.
using EvalFn = std::vector<Value> (*)(const Call& call);

struct Operator {
  std::string_view domain;
  std::string_view name;
  EvalFn eval;
};

// Null when the operator has no reference (it is then unsupported everywhere). The domain may be
// spelt "ai.onnx" too.
const Operator* find(std::string_view domain, std::string_view name);
std::span<const Operator> all();

// An operator file `add.cc` in this folder ends with
//   PLANISH_REFERENCE(add) { return {"", "Add", &eval}; }
// and may be listed several times only by listing several files.
#define PLANISH_REFERENCE(entry) ::planish::reference::Operator reference_##entry()

}  // namespace planish::reference
