// GridSample: output position o takes input 0 at the coordinates grid[n, o, :] (last axis first, in
// [-1, 1]), by nearest, linear or cubic interpolation; outside lie zeros, the border, or a mirror.
#include <algorithm>
#include <cmath>
#include <string>

#include "reference/window.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

enum class Padding : uint8_t { kZeros, kBorder, kReflection };

struct Sampler {
  std::string mode;
  Padding padding = Padding::kZeros;
  bool align = false;

  double to_pixel(double v, int64_t length) const {
    const auto n = static_cast<double>(length);
    return align ? (v + 1) / 2 * (n - 1) : ((v + 1) * n - 1) / 2;
  }
  // The input index for pixel `i`, or -1 for none (zeros).
  int64_t source(double i, int64_t length) const {
    const auto last = static_cast<double>(length - 1);
    if (i >= 0 && i <= last) return static_cast<int64_t>(i);
    switch (padding) {
      case Padding::kZeros:
        return -1;
      case Padding::kBorder:
        return i < 0 ? 0 : length - 1;
      case Padding::kReflection:
        break;
    }
    return static_cast<int64_t>(std::clamp(reflect(i, length), 0.0, last));
  }
  // Mirrored between the centres of the border pixels (align) or their outer edges.
  double reflect(double x, int64_t length) const {
    const double low = align ? 0 : -0.5,
                 high = align ? static_cast<double>(length - 1) : static_cast<double>(length) - 0.5;
    const double range = high - low;
    if (range <= 0) return low;
    double d = std::fmod(std::abs(x - low), 2 * range);
    if (d > range) d = 2 * range - d;
    return low + d;
  }
};

double cubic_grid_weight(double distance) {
  constexpr double a = -0.75;
  const double x = std::abs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

struct GridTap {
  int64_t index;
  double weight;
};

// Taps along one axis at pixel coordinate x.
void add_grid_taps(const Sampler& s, double x, int64_t length, std::vector<GridTap>& taps) {
  taps.clear();
  // No number, or no end to mirror to: as an index outside.
  if (std::isnan(x) || (std::isinf(x) && s.padding == Padding::kReflection)) x = -1;
  const double far = 4.0 * static_cast<double>(length) + 16;
  if (s.padding == Padding::kBorder && s.mode != "cubic")
    x = std::clamp(x, 0.0, static_cast<double>(length - 1));
  if (s.padding == Padding::kReflection && s.mode != "cubic")
    x = std::clamp(s.reflect(x, length), 0.0, static_cast<double>(length - 1));
  if (s.padding != Padding::kReflection) x = std::clamp(x, -far, far);
  if (s.mode == "nearest") {
    taps.push_back({s.source(std::nearbyint(x), length), 1});
    return;
  }
  const double floor = std::floor(x);
  const int before = s.mode == "cubic" ? 1 : 0, after = s.mode == "cubic" ? 2 : 1;
  for (int i = -before; i <= after; ++i) {
    const double at = floor + i;
    const double weight = s.mode == "cubic" ? cubic_grid_weight(at - x) : 1 - std::abs(at - x);
    taps.push_back({s.source(at, length), weight});
  }
}

std::vector<Value> eval_grid_sample(const Call& call) {
  const Tensor &x = call.tensor(0), &grid = call.tensor(1);
  const int rank = x.rank() - 2;
  if (rank > 8) fail(ErrorCode::kUnsupported, "{}: {} spatial axes are more than 8", call.op, rank);
  if (rank < 1 || grid.rank() != x.rank() || grid.dim(0) != x.dim(0) ||
      grid.dim(grid.rank() - 1) != rank) {
    fail(ErrorCode::kInvalidInput, "{}: a grid [{}] does not fit the input [{}]", call.op,
         dims_to_string(grid.dims()), dims_to_string(x.dims()));
  }
  Sampler s;
  s.mode = call.attributes.get_string("mode", "linear");
  s.align = call.attributes.get_int("align_corners", 0) != 0;
  const std::string padding = call.attributes.get_string("padding_mode", "zeros");
  if (padding == "border")
    s.padding = Padding::kBorder;
  else if (padding == "reflection")
    s.padding = Padding::kReflection;
  else if (padding != "zeros")
    fail(ErrorCode::kInvalidModel, "{}: '{}' is no padding_mode", call.op, padding);
  if (s.mode != "linear" && s.mode != "nearest" && s.mode != "cubic") {
    fail(ErrorCode::kInvalidModel, "{}: '{}' is no mode", call.op, s.mode);
  }
  const Dims spatial(x.dims().begin() + 2, x.dims().end());
  Dims dims = {x.dim(0), x.dim(1)};
  dims.insert(dims.end(), grid.dims().begin() + 1, grid.dims().end() - 1);
  const int64_t channels = x.dim(1), plane = element_count(spatial),
                positions = span_size(dims, 2, static_cast<int64_t>(dims.size()));
  if (plane == 0 && positions != 0)
    fail(ErrorCode::kInvalidInput, "{}: the input [{}] is empty", call.op,
         dims_to_string(x.dims()));
  std::vector<double> y = work_buffer(call, x.dtype(), dims);
  const std::vector<double> values = to_doubles(x), at = to_doubles(grid);
  call.parallel_for(x.dim(0) * positions, [&](int64_t begin, int64_t end) {
    std::vector<std::vector<GridTap>> taps(static_cast<size_t>(rank));
    Dims counts(static_cast<size_t>(rank));
    for (int64_t p = begin; p < end; ++p) {
      for (size_t a = 0; a < taps.size(); ++a) {
        // Coordinates come in the order x, y, z: the last axis first.
        const double v = at[static_cast<size_t>(p * rank + rank - 1) - a];
        add_grid_taps(s, s.to_pixel(v, spatial[a]), spatial[a], taps[a]);
        counts[a] = static_cast<int64_t>(taps[a].size());
      }
      const int64_t combinations = element_count(counts);
      Dims pick(counts.size(), 0);
      const int64_t n = p / positions;
      for (int64_t k = 0; k < combinations; ++k, next_index(pick, counts)) {
        int64_t offset = 0;
        double weight = 1;
        for (size_t a = 0; a < taps.size() && offset >= 0; ++a) {
          const GridTap& tap = taps[a][static_cast<size_t>(pick[a])];
          weight *= tap.weight;
          offset = tap.index < 0 ? -1 : offset * spatial[a] + tap.index;
        }
        if (offset < 0 || weight == 0) continue;
        for (int64_t c = 0; c < channels; ++c) {
          y[static_cast<size_t>((n * channels + c) * positions + p % positions)] +=
              weight * values[static_cast<size_t>((n * channels + c) * plane + offset)];
        }
      }
    }
  });
  if (is_integer(x.dtype())) {
    for (double& v : y) v = std::trunc(v);
  }
  return results(from_doubles(x.dtype(), dims, y));
}

}  // namespace

PLANISH_REFERENCE(grid_sample) { return {"", "GridSample", &eval_grid_sample}; }

}  // namespace planish::reference
