#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_less_or_equal(const Call& call) {
  return compare<kNumber>(call, [](auto a, auto b) { return a <= b; });
}

}  // namespace

PLANISH_REFERENCE(less_or_equal) { return {"", "LessOrEqual", &eval_less_or_equal}; }

}  // namespace planish::reference
