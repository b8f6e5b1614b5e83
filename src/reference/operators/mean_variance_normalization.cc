// MeanVarianceNormalization: (x - E x) / (sqrt(E (x - E x)^2) + 1e-9) over `axes` (0, 2, 3 by
// default).
#include <algorithm>
#include <cmath>

#include "reference/movement.h"
#include "reference/window.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_mean_variance_normalization(const Call& call) {
  const Tensor& x = call.tensor(0);
  Ints axes = call.attributes.get_ints("axes");
  if (axes.empty()) axes = {0, 2, 3};
  std::vector<bool> reduced(x.dims().size(), false);
  for (const int64_t axis : axes)
    reduced[static_cast<size_t>(normal_axis(call, axis, x.rank()))] = true;
  // Elements that differ in reduced axes alone share a cell of the kept shape.
  Dims kept = x.dims();
  for (size_t a = 0; a < kept.size(); ++a) {
    if (reduced[a]) kept[a] = 1;
  }
  const std::vector<int64_t> strides = row_major(kept);
  std::vector<size_t> cell(static_cast<size_t>(x.size()));
  Dims at(kept.size(), 0);
  for (size_t& c : cell) {
    for (size_t a = 0; a < kept.size(); ++a)
      c += reduced[a] ? 0 : static_cast<size_t>(at[a] * strides[a]);
    next_index(at, x.dims());
  }
  std::vector<double> y = to_doubles(x);
  const auto cells = static_cast<size_t>(element_count(kept));
  const double count = cells == 0 ? 1 : static_cast<double>(y.size()) / static_cast<double>(cells);
  std::vector<double> mean(cells, 0.0), variance(cells, 0.0);
  for (size_t i = 0; i < y.size(); ++i) mean[cell[i]] += y[i] / count;
  for (size_t i = 0; i < y.size(); ++i) {
    y[i] -= mean[cell[i]];
    variance[cell[i]] += y[i] * y[i] / count;
  }
  for (size_t i = 0; i < y.size(); ++i) y[i] /= std::sqrt(variance[cell[i]]) + 1e-9;
  return results(from_doubles(x.dtype(), x.dims(), y));
}

}  // namespace

PLANISH_REFERENCE(mean_variance_normalization) {
  return {"", "MeanVarianceNormalization", &eval_mean_variance_normalization};
}

}  // namespace planish::reference
