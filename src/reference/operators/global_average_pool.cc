// GlobalAveragePool: the mean of each channel's cells.
#include "reference/pooling.h"

namespace planish::reference {
namespace {

double mean(const Call&, const double* cells, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += cells[i];
  return sum / static_cast<double>(count);
}

std::vector<Value> eval_global_average_pool(const Call& call) { return pool_planes(call, &mean); }

}  // namespace

PLANISH_REFERENCE(global_average_pool) {
  return {"", "GlobalAveragePool", &eval_global_average_pool};
}

}  // namespace planish::reference
