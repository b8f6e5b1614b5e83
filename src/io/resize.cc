// Separable bilinear resampling with a filter as wide as the step between output pixels.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "io/image.h"

namespace planish::io {
namespace {

// The input pixels [first, first + weights.size()) that make one output pixel.
struct Taps {
  int64_t first = 0;
  std::vector<double> weights;
};

int64_t nearest(double value) { return static_cast<int64_t>(std::floor(value + 0.5)); }

std::vector<Taps> triangle_filter(int64_t from, int64_t to) {
  const double step = static_cast<double>(from) / static_cast<double>(to);
  const double support = std::max(step, 1.0);  // enlarging interpolates between two neighbours
  std::vector<Taps> all(static_cast<size_t>(to));
  for (int64_t i = 0; i < to; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * step;
    const auto first = std::max<int64_t>(0, nearest(center - support));
    const auto last = std::min<int64_t>(from, nearest(center + support));
    Taps& taps = all[static_cast<size_t>(i)];
    taps.first = first;
    double sum = 0;
    for (int64_t k = first; k < last; ++k) {
      const double distance = std::fabs(static_cast<double>(k) + 0.5 - center) / support;
      taps.weights.push_back(std::max(0.0, 1.0 - distance));
      sum += taps.weights.back();
    }
    for (double& w : taps.weights) w /= sum;
  }
  return all;
}

uint8_t round_pixel(double value) {
  return static_cast<uint8_t>(std::clamp(std::floor(value + 0.5), 0.0, 255.0));
}

// Resamples the middle dim of [outer, from, inner] to `to`.
Tensor resample(
    const Tensor& image, Dims dims, int64_t outer, int64_t from, int64_t to, int64_t inner) {
  const std::vector<Taps> filter = triangle_filter(from, to);
  Tensor out(DType::kUint8, std::move(dims));
  const auto* source = reinterpret_cast<const uint8_t*>(image.raw());
  auto* target = reinterpret_cast<uint8_t*>(out.mutable_raw());
  std::vector<double> sums(static_cast<size_t>(inner));
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < to; ++i) {
      const Taps& taps = filter[static_cast<size_t>(i)];
      std::fill(sums.begin(), sums.end(), 0.0);
      for (size_t k = 0; k < taps.weights.size(); ++k) {
        const uint8_t* row = source + (o * from + taps.first + static_cast<int64_t>(k)) * inner;
        for (int64_t c = 0; c < inner; ++c)
          sums[static_cast<size_t>(c)] += taps.weights[k] * row[c];
      }
      uint8_t* result = target + (o * to + i) * inner;
      for (int64_t c = 0; c < inner; ++c) result[c] = round_pixel(sums[static_cast<size_t>(c)]);
    }
  }
  return out;
}

}  // namespace

Tensor resize_image(const Tensor& image, int64_t width, int64_t height) {
  if (image.dtype() != DType::kUint8 || image.rank() != 3 || image.size() == 0) {
    fail(ErrorCode::kInvalidInput, "a picture is uint8 [height, width, channels], not {} [{}]",
         to_string(image.dtype()), dims_to_string(image.dims()));
  }
  if (width <= 0 || height <= 0 || width > kMaxPixels / height) {
    fail(ErrorCode::kInvalidInput, "cannot resize a picture to {} x {} (width x height)", width,
         height);
  }
  const int64_t h = image.dim(0), w = image.dim(1), c = image.dim(2);
  Tensor wide = w == width ? image : resample(image, {h, width, c}, h, w, width, c);
  return h == height ? wide : resample(wide, {height, width, c}, 1, h, height, width * c);
}

}  // namespace planish::io
