// What flows along an edge of a graph: a tensor (strings included), a sequence, a map, or nothing
// (an optional without content). An omitted input or output is a null pointer, never a Value.
#pragma once

#include <variant>
#include <vector>

#include "base/tensor.h"

namespace planish {

struct Value;

// ONNX map: `keys` is a 1-D int64 or string tensor, `values` holds one entry per key (1-D).
struct MapValue {
  Tensor keys;
  Tensor values;
};

using Sequence = std::vector<Value>;

struct Value {
  std::variant<std::monostate, Tensor, Sequence, MapValue> held;

  Value() = default;
  Value(Tensor t) : held(std::move(t)) {}    // NOLINT: a tensor is a value
  Value(Sequence s) : held(std::move(s)) {}  // NOLINT
  Value(MapValue m) : held(std::move(m)) {}  // NOLINT

  bool empty() const { return std::holds_alternative<std::monostate>(held); }
  bool is_tensor() const { return std::holds_alternative<Tensor>(held); }
  bool is_sequence() const { return std::holds_alternative<Sequence>(held); }
  bool is_map() const { return std::holds_alternative<MapValue>(held); }

  // Throw kInvalidInput, naming what is held, when it is something else.
  const Tensor& tensor() const;
  Tensor& tensor();
  const Sequence& sequence() const;
  const MapValue& map() const;
};

// The same value without views: tensors that borrow their elements are copied, at any depth.
Value owned(Value value);

}  // namespace planish
