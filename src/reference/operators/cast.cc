#include "reference/convert.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_cast(const Call& call) {
  const int64_t to = call.attributes.get_int("to");
  if (to <= 0 || to >= kDTypeCount)
    fail(ErrorCode::kInvalidModel, "Cast: {} is no element type", to);
  return single(convert(call, call.tensor(0), static_cast<DType>(to)));
}

}  // namespace

PLANISH_REFERENCE(cast) { return {"", "Cast", &eval_cast}; }

}  // namespace planish::reference
