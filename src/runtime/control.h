// Control-flow steps: worker 0 decides, publishes at a barrier, all workers follow.
//
//   control.if    inputs: condition, captures...; programs: then, else
//   control.loop  inputs: trip count?, condition?, carried..., captures...; programs: body;
//                 args: carried, captures; body inputs: iteration, condition, carried...,
//                 captures...; body outputs: condition, carried..., scanned...
//   control.scan  inputs: states..., scans..., captures...; programs: body;
//                 args: states, captures, scan_input_axes, scan_output_axes, scan_input_directions,
//                 scan_output_directions (as ONNX Scan)
// Outputs are kDynamic slots of the calling program.
#pragma once

#include <memory>

#include "runtime/executor.h"

namespace planish::runtime {

class Control {
 public:
  virtual ~Control() = default;
  // All workers call it; returns the same status on all.
  virtual Status run(Context& context, Frame& frame, uint32_t step, int worker) noexcept = 0;

 protected:
  // For the implementations: access to the context's machinery.
  static Status arrive(Context& c, Status mine) noexcept { return c.barrier_.arrive(mine); }
  static Status execute(Context& c, uint32_t program, int worker) noexcept {
    return c.execute(program, worker);
  }
  static Status stopped(Context& c) noexcept { return c.state_.stopped(); }
  template <class F>
  static Status guarded(Context& c, const std::string& node, F&& f) noexcept {
    return c.guarded(node, std::forward<F>(f));
  }
};

// Null when the step is no control flow. Throws kInvalidPlan when its slots do not fit its
// programs.
std::unique_ptr<Control> make_control(const plan::Plan& plan,
                                      const plan::Program& program,
                                      const plan::Step& step);

}  // namespace planish::runtime
