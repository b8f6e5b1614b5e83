#include "ops/movement.h"

namespace planish::ops {

PLANISH_OPERATOR(scatter_elements) {
  OpDef d = mover("ScatterElements", 11);
  d.inputs.insert(d.inputs.end(),
                  {index_input("indices"), {"updates", Arity::kRequired, kAnyTensor, "T"}});
  d.attributes = {{"axis", AttrKind::kInt}, {"reduction", AttrKind::kString}};
  d.infer = &infer_same;
  return d;
}

}  // namespace planish::ops
