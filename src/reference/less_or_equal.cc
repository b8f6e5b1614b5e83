#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval(const Call& call) {
  return compare<kNumber>(call, [](auto a, auto b) { return a <= b; });
}

}  // namespace

PLANISH_REFERENCE(less_or_equal) { return {"", "LessOrEqual", &eval}; }

}  // namespace planish::reference
