// TypeProto to Type, and the symbols behind dim_param.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/type.h"
#include "onnx/proto.h"

namespace planish::onnx {

// Names for the dims that a model leaves open. Two inputs with one dim_param share one symbol;
// every unnamed dim gets a symbol of its own, called after value and axis (`image_0`). Names are
// cleaned to what SizeExpr can print and parse, and stay unique after that.
class Symbols {
 public:
  // The symbol of a dim_param of a graph input.
  std::string named(std::string_view dim_param);
  // A symbol that nothing else has, with this name where it is free.
  std::string fresh(std::string_view wanted);

 private:
  std::unordered_map<std::string, std::string> by_param_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, size_t> suffix_;  // the last number tried for a name
};

// kInput: a symbol of a dim_param holds for every input that uses it, and run time checks that.
// kClaim: what a file says about inner values and outputs binds nobody, and exporters repeat names
// carelessly. The symbols only show what the file says; `symbols` does not learn them.
enum class DimRule : uint8_t { kInput, kClaim };

// `where` names the value for errors and for fresh symbols. Throws kInvalidModel: no type, an
// element type that does not exist, a negative dim; kUnsupported: sparse and opaque types. A dim of
// -1 (some exporters write it for "open") is open; `minus_ones` then counts it.
Type to_type(const TypeProto& proto,
             std::string_view where,
             DimRule rule,
             Symbols& symbols,
             int64_t* minus_ones = nullptr);

// What of a declared type binds: kind and element types. Shapes are claims.
Type without_shapes(Type type);

// ONNX's number for an element type as DType; kInvalidModel when there is none.
DType to_dtype(int64_t number, std::string_view where);

// True when the type says something: some exporters write an empty TypeProto for "not known".
bool says_something(const TypeProto* proto);

}  // namespace planish::onnx
