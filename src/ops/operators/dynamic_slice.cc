// DynamicSlice: what Slice is since opset 10, without steps; on import it becomes that.
#include "ops/experimental.h"

namespace planish::ops {

PLANISH_OPERATOR(dynamic_slice) {
  OpDef d = experimental("DynamicSlice", {},
                         [](UpgradeContext& context) { context.node().op = "Slice"; });
  constexpr TypeSet kIndex = type_bit(DType::kInt32) | type_bit(DType::kInt64);
  d.inputs = {{"data", Arity::kRequired, kAnyTensor, "T"},
              {"starts", Arity::kRequired, kIndex, "Tind"},
              {"ends", Arity::kRequired, kIndex, "Tind"},
              {"axes", Arity::kOptional, kIndex, "Tind"}};
  d.outputs = {{"output", Arity::kRequired, kAnyTensor, "T"}};
  return d;
}

}  // namespace planish::ops
