// Types of sequences and optionals.
#pragma once

#include "ops/movement.h"

namespace planish::ops {

// The type that holds for tensors of both types: dims that differ become unknown.
Type either(InferContext& context, const Type& a, const Type& b);
// The element type of the sequence (or optional) at `input`; unknown when that is.
Type element_of(const InferContext& context, size_t input);
// A formal that takes any kind of value.
Formal any_input(std::string_view name, Arity arity = Arity::kRequired);

}  // namespace planish::ops
