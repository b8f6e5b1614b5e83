// Loop(M?, cond?, carried...): runs body(iteration, cond, carried...) -> (cond, carried...,
// scans...) until M iterations are done or cond is false. With M given and cond omitted the body's
// cond is ignored, as ONNX has it; with both omitted it is all that can end the loop.
#include <limits>

#include "reference/control.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_loop(const Call& call) {
  const int64_t trips = call.has(0) ? one_integer(call, 0) : std::numeric_limits<int64_t>::max();
  const bool conditional = call.has(1) || !call.has(0);
  bool condition = call.has(1) ? one_bool(call, *call.inputs[1], "the condition") : true;
  const size_t carried = call.inputs.size() > 2 ? call.inputs.size() - 2 : 0;
  std::vector<Value> state;
  for (size_t i = 0; i < carried; ++i) {
    if (!call.has(2 + i))
      fail(ErrorCode::kInvalidModel, "{}: carried value {} is omitted", call.op, i);
    state.push_back(*call.inputs[2 + i]);
  }
  std::vector<Stack> stacks;
  for (size_t i = carried; i < call.outputs; ++i) stacks.emplace_back(i + 1, 0, false);
  for (int64_t i = 0; i < trips && condition; ++i) {
    if (call.callbacks.poll) call.callbacks.poll();
    std::vector<Value> arguments =
        results(Tensor::scalar<int64_t>(i), Tensor::scalar<bool>(condition));
    for (Value& v : state) arguments.push_back(std::move(v));
    std::vector<Value> made = run_block(call, 0, std::move(arguments), 1 + carried + stacks.size());
    if (conditional) condition = one_bool(call, made[0], "the body's condition");
    for (size_t k = 0; k < carried; ++k) state[k] = std::move(made[1 + k]);
    for (size_t k = 0; k < stacks.size(); ++k)
      stacks[k].add(call, std::move(made[1 + carried + k]));
  }
  for (const Stack& stack : stacks) state.emplace_back(stack.finish(call));
  state.resize(call.outputs);
  return state;
}

}  // namespace

PLANISH_REFERENCE(loop) { return {"", "Loop", &eval_loop}; }

}  // namespace planish::reference
