#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_add(const Call& call) {
  return binary<kNumber>(call, [](auto a, auto b) { return wrap_add(a, b); });
}

}  // namespace

PLANISH_REFERENCE(add) { return {"", "Add", &eval_add}; }

}  // namespace planish::reference
