// Scan(states..., scans...): runs body(states..., one slice of each scan) -> (states...,
// elements...) over the slices along scan_input_axes; elements are stacked along scan_output_axes.
// Directions of 1 run, or store, backwards.
#include "reference/control.h"
#include "reference/movement.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

struct ScanInput {
  const Tensor* tensor = nullptr;
  int64_t axis = 0, step = 0;
  bool reversed = false;
  Dims dims;
  std::vector<int64_t> strides;  // of the other axes
};

std::vector<Value> eval_scan(const Call& call) {
  const auto total = static_cast<int64_t>(call.inputs.size());
  const int64_t scans = call.attributes.get_int("num_scan_inputs");
  if (scans < 1 || scans > total) {
    fail(ErrorCode::kInvalidModel, "{}: num_scan_inputs is {} with {} inputs", call.op, scans,
         total);
  }
  const auto states = static_cast<size_t>(total - scans);
  const auto option = [&](std::string_view name, size_t i, size_t count) -> int64_t {
    const Ints& list = call.attributes.get_ints(name);
    if (!list.empty() && list.size() < count) {
      fail(ErrorCode::kInvalidModel, "{}: {} has {} entries; {} are needed", call.op, name,
           list.size(), count);
    }
    return list.empty() ? 0 : list[i];
  };
  std::vector<Value> state;
  for (size_t i = 0; i < states; ++i) {
    if (!call.has(i)) fail(ErrorCode::kInvalidModel, "{}: state {} is omitted", call.op, i);
    state.push_back(*call.inputs[i]);
  }
  std::vector<ScanInput> inputs;
  int64_t length = -1;
  for (size_t i = 0; i < static_cast<size_t>(scans); ++i) {
    ScanInput in;
    in.tensor = &call.tensor(states + i);
    in.axis = normal_axis(call, option("scan_input_axes", i, static_cast<size_t>(scans)),
                          in.tensor->rank());
    in.reversed = option("scan_input_directions", i, static_cast<size_t>(scans)) != 0;
    in.dims = in.tensor->dims();
    in.strides = row_major(in.dims);
    const int64_t n = in.dims[static_cast<size_t>(in.axis)];
    in.step = in.strides[static_cast<size_t>(in.axis)];
    in.dims.erase(in.dims.begin() + in.axis);
    in.strides.erase(in.strides.begin() + in.axis);
    if (length >= 0 && n != length) {
      fail(ErrorCode::kInvalidInput, "{}: scan inputs have {} and {} slices", call.op, length, n);
    }
    length = n;
    inputs.push_back(std::move(in));
  }
  const size_t stacked = call.outputs > states ? call.outputs - states : 0;
  std::vector<Stack> stacks;
  for (size_t k = 0; k < stacked; ++k) {
    stacks.emplace_back(states + k, option("scan_output_axes", k, stacked),
                        option("scan_output_directions", k, stacked) != 0);
  }
  for (int64_t t = 0; t < length; ++t) {
    if (call.callbacks.poll) call.callbacks.poll();
    std::vector<Value> arguments;
    for (Value& v : state) arguments.push_back(std::move(v));
    for (const ScanInput& in : inputs) {
      arguments.emplace_back(take_walk(call, in.dims, *in.tensor,
                                       {(in.reversed ? length - 1 - t : t) * in.step, in.strides}));
    }
    std::vector<Value> made = run_block(call, 0, std::move(arguments), states + stacked);
    for (size_t k = 0; k < states; ++k) state[k] = std::move(made[k]);
    for (size_t k = 0; k < stacked; ++k) stacks[k].add(call, std::move(made[states + k]));
  }
  for (const Stack& stack : stacks) state.emplace_back(stack.finish(call));
  state.resize(call.outputs);
  return state;
}

}  // namespace

PLANISH_REFERENCE(scan) { return {"", "Scan", &eval_scan}; }

}  // namespace planish::reference
