#include "backends/cpu/run/steps.h"

namespace planish::backends::cpu {

#define PLANISH_ENTRY(entry) void register_##entry(runtime::Registry& registry);
#include "backends/cpu/run/catalog.inc"
#undef PLANISH_ENTRY

void register_steps(runtime::Registry& registry) {
#define PLANISH_ENTRY(entry) register_##entry(registry);
#include "backends/cpu/run/catalog.inc"
#undef PLANISH_ENTRY
}

}  // namespace planish::backends::cpu
