#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_less(const Call& call) {
  return compare<kNumber>(call, [](auto a, auto b) { return a < b; });
}

}  // namespace

PLANISH_REFERENCE(less) { return {"", "Less", &eval_less}; }

}  // namespace planish::reference
