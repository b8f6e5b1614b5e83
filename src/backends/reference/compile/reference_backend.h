// Compile side of the reference provider: takes every operator that has a reference.
#pragma once

#include "backends/backend.h"

namespace planish::backends::reference {

std::unique_ptr<Backend> make_backend();

// Emits reference steps for `node`: one for the operator, one for each epilogue operator. `kernel`
// names the step kernel (other providers evaluate the same way on their own memory).
void lower_by_reference(const ir::Node& node,
                        LowerContext& context,
                        std::string_view kernel,
                        uint32_t version);

}  // namespace planish::backends::reference
