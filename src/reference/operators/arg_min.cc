#include "reference/reduce.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_arg_min(const Call& call) {
  return arg_reduce(call, [](auto a, auto b) { return a < b; });
}

}  // namespace

PLANISH_REFERENCE(arg_min) { return {"", "ArgMin", &eval_arg_min}; }

}  // namespace planish::reference
