// Upsample left with opset 10; on import it becomes Resize.
#include "ops/resize_legacy.h"

namespace planish::ops {

PLANISH_OPERATOR(upsample) {
  OpDef d;
  d.name = "Upsample";
  d.removed = 10;
  d.inputs = {{"X", Arity::kRequired, kAnyTensor, "T"},
              {"scales", Arity::kOptional, type_bit(DType::kFloat32)}};
  d.outputs = {{"Y", Arity::kRequired, kAnyTensor, "T"}};
  d.legacy_attributes = {"height_scale", "mode", "scales", "width_scale"};
  d.infer = [](InferContext& context) { context.fail("Upsample must be upgraded to Resize"); };
  d.upgrade = &upgrade_to_resize;
  return d;
}

}  // namespace planish::ops
