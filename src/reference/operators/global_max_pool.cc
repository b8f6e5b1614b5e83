// GlobalMaxPool: the maximum of each channel's cells; a NaN wins, no cells give minus infinity.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/pooling.h"

namespace planish::reference {
namespace {

double greatest(const Call&, const double* cells, int64_t count) {
  double best = -std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < count; ++i) {
    if (std::isnan(cells[i])) return cells[i];
    best = std::max(best, cells[i]);
  }
  return best;
}

std::vector<Value> eval_global_max_pool(const Call& call) { return pool_planes(call, &greatest); }

}  // namespace

PLANISH_REFERENCE(global_max_pool) { return {"", "GlobalMaxPool", &eval_global_max_pool}; }

}  // namespace planish::reference
