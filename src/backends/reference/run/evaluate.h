// The reference provider at run time: one step kernel that evaluates any operator with its
// reference. The last resort of placement, and the only provider of data-dependent sizes so far.
#pragma once

#include <memory>
#include <vector>

#include "base/attribute.h"
#include "runtime/step.h"

namespace planish::backends::reference {

inline constexpr std::string_view kStepName = "reference";
inline constexpr uint32_t kStepVersion = 1;
// Step args: the operator's attributes plus these two.
inline constexpr std::string_view kOpArg = "@op";
inline constexpr std::string_view kDomainArg = "@domain";

// Registers the step kernel and the device "reference", which shares the host's memory.
void register_steps(runtime::Registry& registry);

// Evaluates the operator that `step` names on these inputs (null: omitted), within the memory that
// `context` has left and until it says to stop. Throws Error: kOutOfMemory, kCancelled, kDeadline
// and what the operator finds.
std::vector<Value> evaluate(const plan::Step& step,
                            std::span<const Value* const> inputs,
                            const runtime::StepContext& context);
// Throws kInvalidPlan unless the step names a known operator.
void check(const plan::Plan& plan, const plan::Program& program, const plan::Step& step);

}  // namespace planish::backends::reference
