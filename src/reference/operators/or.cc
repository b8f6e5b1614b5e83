#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_or(const Call& call) {
  if (call.tensor(0).dtype() != DType::kBool) unsupported_type(call, call.tensor(0).dtype());
  return compare<kUnsigned>(call, [](uint64_t a, uint64_t b) { return a != 0 || b != 0; });
}

}  // namespace

PLANISH_REFERENCE(or) { return {"", "Or", &eval_or}; }

}  // namespace planish::reference
