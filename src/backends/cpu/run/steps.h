// The steps of the cpu provider. Each wraps one kernel: `check` refuses what a damaged or hostile
// plan may ask, prepare() turns the slots' present dims and addresses into the kernel's Args, run()
// calls it.
//
// Kernel names begin with "cpu."; their arguments are listed beside each step.
#pragma once

#include "runtime/step.h"

namespace planish::backends::cpu {

// Adds all steps (not the device: cpu memory is the host's). kInternal when they are there already.
void register_steps(runtime::Registry& registry);

}  // namespace planish::backends::cpu
