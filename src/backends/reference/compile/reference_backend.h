// Compile side of the reference provider: takes every operator that has a reference.
#pragma once

#include "backends/backend.h"

namespace planish::backends::reference {

std::unique_ptr<Backend> make_backend();

// A step that evaluates one operator: kernel, version and arguments; slots are the caller's to add.
plan::Step operator_step(std::string_view kernel,
                         uint32_t version,
                         const std::string& domain,
                         const std::string& op,
                         const Attributes& attributes);
// The same for the reference provider itself.
plan::Step operator_step(const std::string& domain,
                         const std::string& op,
                         const Attributes& attributes);

// Emits reference steps for `node`: one for the operator, one for each epilogue operator. `kernel`
// names the step kernel (other providers evaluate the same way on their own memory).
void lower_by_reference(const ir::Node& node,
                        LowerContext& context,
                        std::string_view kernel,
                        uint32_t version);

}  // namespace planish::backends::reference
