// Which of the instruction sets that kernels are built for this machine can run.
#pragma once

#include <string_view>

#include "kernels/kernel.h"

namespace planish::kernels {

std::string_view to_string(Isa isa);

// kAvx2 stands for AVX2, FMA, F16C, BMI and BMI2 together: what its objects are compiled with.
// Constant after the first call; thread safe.
bool machine_has(Isa isa);
// The widest one that it has: what the cpu provider's tactics are chosen from.
Isa machine_isa();

}  // namespace planish::kernels
