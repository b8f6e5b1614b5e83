// The shared library's own source: its code comes whole from planish_api (see CMakeLists.txt).
#include "planish/planish.h"

static_assert(PLANISH_OK == 0);
