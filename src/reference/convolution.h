// What Conv, ConvInteger, QLinearConv and ConvTranspose share: operand rules and the products.
#pragma once

#include <cstdint>

#include "reference/reference.h"
#include "reference/window.h"

namespace planish::reference {

struct Convolution {
  Window window;  // over the input; for a transposed one see conv_transpose.cc
  int64_t batch = 0;
  int64_t groups = 1;
  int64_t inputs = 0;   // channels of one group
  int64_t outputs = 0;  // channels of one group
  Dims output_dims;     // N, groups * outputs, spatial...
};

// Checks ranks, channels and groups of x [N, C, spatial...] and w [M, C/group, kernel...].
Convolution read_convolution(const Call& call, const Dims& x, const Dims& w);

// y += x (*) w, all in the layouts above, values outside x are 0. Exact while every partial sum is
// below 2^53: so for 8-bit integers, whose products need 16 bits, up to 2^37 terms.
void convolve(const Call& call, const Convolution& c, const double* x, const double* w, double* y);

// Adds bias [M] to y [N, M, positions]. Throws when its length is not M.
void add_channel_bias(const Call& call,
                      const Tensor& bias,
                      int64_t batch,
                      int64_t channels,
                      int64_t positions,
                      double* y);

}  // namespace planish::reference
