// If: runs then_branch or else_branch.
#include "reference/control.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_if(const Call& call) {
  call.tensor(0);  // says when it is omitted
  const bool condition = one_bool(call, *call.inputs[0], "the condition");
  std::vector<Value> values = run_block(call, condition ? 0 : 1, {}, call.outputs);
  values.resize(call.outputs);
  return values;
}

}  // namespace

PLANISH_REFERENCE(if) { return {"", "If", &eval_if}; }

}  // namespace planish::reference
