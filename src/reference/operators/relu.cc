#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_relu(const Call& call) {
  return unary < kFloat | kSigned > (call, [](auto x) { return nan_max(decltype(x){0}, x); });
}

}  // namespace

PLANISH_REFERENCE(relu) { return {"", "Relu", &eval_relu}; }

}  // namespace planish::reference
