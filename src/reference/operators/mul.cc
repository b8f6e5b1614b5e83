#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_mul(const Call& call) {
  return binary<kNumber>(call, [](auto a, auto b) { return wrap_mul(a, b); });
}

}  // namespace

PLANISH_REFERENCE(mul) { return {"", "Mul", &eval_mul}; }

}  // namespace planish::reference
