#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_bitwise_or(const Call& call) {
  return binary<kInteger>(call, [](auto a, auto b) { return static_cast<decltype(a)>(a | b); });
}

}  // namespace

PLANISH_REFERENCE(bitwise_or) { return {"", "BitwiseOr", &eval_bitwise_or}; }

}  // namespace planish::reference
