// The end-to-end comparison of a plan with the reference that every build makes.
#pragma once

#include "compiler/compile.h"

namespace planish::compiler {

// Runs `plan` and interprets `model` (before optimisation) on the same seeded inputs. Fills
// plan.evidence; throws kMismatch, naming the output and both errors, when they differ by more
// than options.tolerance. Sizes that were assumed are added to `notes`.
void gather_evidence(const ir::Graph& model,
                     const CompileOptions& options,
                     plan::Plan& plan,
                     std::vector<std::string>& notes);

}  // namespace planish::compiler
