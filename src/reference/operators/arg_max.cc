#include "reference/reduce.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_arg_max(const Call& call) {
  return arg_reduce(call, [](auto a, auto b) { return a > b; });
}

}  // namespace

PLANISH_REFERENCE(arg_max) { return {"", "ArgMax", &eval_arg_max}; }

}  // namespace planish::reference
