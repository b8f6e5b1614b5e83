#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_bitwise_and(const Call& call) {
  return binary<kInteger>(call, [](auto a, auto b) { return static_cast<decltype(a)>(a & b); });
}

}  // namespace

PLANISH_REFERENCE(bitwise_and) { return {"", "BitwiseAnd", &eval_bitwise_and}; }

}  // namespace planish::reference
