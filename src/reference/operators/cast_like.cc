#include "reference/convert.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_cast_like(const Call& call) {
  return single(convert(call, call.tensor(0), call.tensor(1).dtype()));
}

}  // namespace

PLANISH_REFERENCE(cast_like) { return {"", "CastLike", &eval_cast_like}; }

}  // namespace planish::reference
