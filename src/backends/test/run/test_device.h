// A provider for tests: its own memory that the host cannot touch,
// and failures on demand. It proves that placement, copies, waits and fallback work before the
// first real device needs them.
#pragma once

#include "runtime/step.h"

namespace planish::backends::test {

inline constexpr std::string_view kStepName = "test.reference";
inline constexpr uint32_t kStepVersion = 1;
// Step arg: a text; the step fails with it at run time.
inline constexpr std::string_view kFailArg = "@fail";

// Registers the device "test" and its step kernel.
void register_steps(runtime::Registry& registry);

}  // namespace planish::backends::test
