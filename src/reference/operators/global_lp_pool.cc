// GlobalLpPool: (sum |x|^p)^(1/p) of each channel's cells.
#include <cmath>

#include "reference/pooling.h"

namespace planish::reference {
namespace {

double norm(const Call& call, const double* cells, int64_t count) {
  const auto p = static_cast<double>(call.attributes.get_int("p", 2));
  if (p < 1) fail(ErrorCode::kInvalidModel, "{}: p is {}; it must be 1 or more", call.op, p);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += std::pow(std::abs(cells[i]), p);
  return std::pow(sum, 1 / p);
}

std::vector<Value> eval_global_lp_pool(const Call& call) { return pool_planes(call, &norm); }

}  // namespace

PLANISH_REFERENCE(global_lp_pool) { return {"", "GlobalLpPool", &eval_global_lp_pool}; }

}  // namespace planish::reference
