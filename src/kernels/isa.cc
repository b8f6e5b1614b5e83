#include "kernels/isa.h"

namespace planish::kernels {

std::string_view to_string(Isa isa) {
  switch (isa) {
    case Isa::kPortable:
      return "portable";
    case Isa::kAvx2:
      return "avx2";
  }
  return "unknown";
}

bool machine_has(Isa isa) {
  if (isa == Isa::kPortable) return true;
#if defined(__x86_64__)
  static const bool avx2 = [] {
    __builtin_cpu_init();
    // libgcc's test of "avx2" includes the operating system's support for the wide registers.
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("avx");
  }();
  return isa == Isa::kAvx2 && avx2;
#else
  return false;
#endif
}

Isa machine_isa() { return machine_has(Isa::kAvx2) ? Isa::kAvx2 : Isa::kPortable; }

}  // namespace planish::kernels
