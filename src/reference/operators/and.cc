#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_and(const Call& call) {
  if (call.tensor(0).dtype() != DType::kBool) unsupported_type(call, call.tensor(0).dtype());
  return compare<kUnsigned>(call, [](uint64_t a, uint64_t b) { return a != 0 && b != 0; });
}

}  // namespace

PLANISH_REFERENCE(and) { return {"", "And", &eval_and}; }

}  // namespace planish::reference
