#include "ops/movement.h"

namespace planish::ops {

PLANISH_OPERATOR(scatter_nd) {
  OpDef d = mover("ScatterND", 11);
  d.inputs.insert(d.inputs.end(),
                  {int64_input("indices"), {"updates", Arity::kRequired, kAnyTensor, "T"}});
  d.attributes = {{"reduction", AttrKind::kString}};
  d.infer = &infer_same;
  return d;
}

}  // namespace planish::ops
