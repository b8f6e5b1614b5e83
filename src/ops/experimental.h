// Operators that ONNX called experimental and took back with opset 10. ONNX Runtime still runs them
// in models that import an older opset, and so are they read here: each becomes operators of today
// on import, by `upgrade`.
#pragma once

#include <initializer_list>
#include <string_view>

#include "ops/op.h"

namespace planish::ops {

// One floating-point input, one output.
OpDef experimental(std::string_view name,
                   std::initializer_list<std::string_view> attributes,
                   void (*upgrade)(UpgradeContext&));

// A required attribute of such a node, taken off it; kInvalidModel names a missing one.
float take_float(UpgradeContext& context, std::string_view attribute);
float take_float(UpgradeContext& context, std::string_view attribute, float fallback);

// Makes the node `fn(beta * x) * alpha`.
void scaled_function(UpgradeContext& context, std::string_view fn);

}  // namespace planish::ops
