#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_bitwise_not(const Call& call) {
  return unary<kInteger>(call, [](auto x) { return static_cast<decltype(x)>(~x); });
}

}  // namespace

PLANISH_REFERENCE(bitwise_not) { return {"", "BitwiseNot", &eval_bitwise_not}; }

}  // namespace planish::reference
