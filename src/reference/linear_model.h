// The scores of LinearClassifier and LinearRegressor.
#pragma once

#include <vector>

#include "reference/post_transform.h"

namespace planish::reference {

// [rows, targets] = x * coefficients^T + intercepts; coefficients are [targets, features]. Throws
// when the lists do not fit.
std::vector<double> linear_scores(const Call& call, const Rows& x, int64_t targets);

}  // namespace planish::reference
