// What the normalisations share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/reference.h"

namespace planish::reference {

// Input `input` as one number per channel; kInvalidInput when it is not [channels].
std::vector<double> channel_values(const Call& call, size_t input, int64_t channels);

struct Moments {
  double mean, inverse_deviation;  // 1 / sqrt(population variance + epsilon)
};
Moments moments(std::span<const double> values, double epsilon);
// values = (values - mean) / sqrt(variance + epsilon).
Moments standardize(std::span<double> values, double epsilon);

// y *= scale, then y += bias: inputs broadcast over x (one way: they must not enlarge it).
void scale_and_shift(
    const Call& call, const Tensor& x, size_t scale, size_t bias, std::vector<double>& y);

}  // namespace planish::reference
