// Compile side of the cpu provider: vector kernels on the host's memory.
#pragma once

#include <memory>
#include <string_view>

#include "backends/backend.h"

namespace planish::backends::cpu {

// Tactics are chosen for the machine that calls this.
std::unique_ptr<Backend> make_backend();

// Whether an operator of ai.onnx has kernels here at all, for people to read: Backend::supports()
// judges the single node.
bool has_kernels(std::string_view op);

}  // namespace planish::backends::cpu
