#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval(const Call& call) {
  return binary<kNumber>(call, [](auto a, auto b) { return wrap_add(a, b); });
}

}  // namespace

PLANISH_REFERENCE(add) { return {"", "Add", &eval}; }

}  // namespace planish::reference
