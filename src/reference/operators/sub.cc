#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_sub(const Call& call) {
  return binary<kNumber>(call, [](auto a, auto b) { return wrap_sub(a, b); });
}

}  // namespace

PLANISH_REFERENCE(sub) { return {"", "Sub", &eval_sub}; }

}  // namespace planish::reference
