#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval(const Call& call) {
  return binary<kInteger>(call, [](auto a, auto b) { return static_cast<decltype(a)>(a | b); });
}

}  // namespace

PLANISH_REFERENCE(bitwise_or) { return {"", "BitwiseOr", &eval}; }

}  // namespace planish::reference
