// Hardmax: 1 at the first maximum along `axis`, else 0.
#include <algorithm>

#include "reference/lines.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_hardmax(const Call& call) {
  return map_lines(call, [](double* line, int64_t n) {
    const auto best = std::max_element(line, line + n) - line;
    std::fill(line, line + n, 0.0);
    line[best] = 1;
  });
}

}  // namespace

PLANISH_REFERENCE(hardmax) { return {"", "Hardmax", &eval_hardmax}; }

}  // namespace planish::reference
