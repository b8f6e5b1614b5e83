// Compile side of the cpu provider: vector kernels on the host's memory.
#pragma once

#include <memory>

#include "backends/backend.h"

namespace planish::backends::cpu {

// Tactics are chosen for the machine that calls this.
std::unique_ptr<Backend> make_backend();

}  // namespace planish::backends::cpu
