#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval(const Call& call) {
  return binary<kNumber>(call, [](auto a, auto b) { return wrap_mul(a, b); });
}

}  // namespace

PLANISH_REFERENCE(mul) { return {"", "Mul", &eval}; }

}  // namespace planish::reference
