#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_greater(const Call& call) {
  return compare<kNumber>(call, [](auto a, auto b) { return a > b; });
}

}  // namespace

PLANISH_REFERENCE(greater) { return {"", "Greater", &eval_greater}; }

}  // namespace planish::reference
