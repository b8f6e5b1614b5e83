// RoiAlign: each region is cut into output_height x output_width bins; a bin is the mean (or the
// greatest contribution) of bilinear samples on a regular grid in it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "reference/work.h"

namespace planish::reference {
namespace {

// Four neighbours of a point with their weights; none when it lies more than one pixel outside.
struct Sample {
  int64_t offset[4] = {0, 0, 0, 0};
  double weight[4] = {0, 0, 0, 0};
};

Sample sample(double y, double x, int64_t height, int64_t width) {
  Sample s;
  if (!(y >= -1 && y <= static_cast<double>(height) && x >= -1 && x <= static_cast<double>(width)))
    return s;
  y = std::max(y, 0.0), x = std::max(x, 0.0);
  auto y0 = static_cast<int64_t>(y), x0 = static_cast<int64_t>(x);
  int64_t y1 = y0 + 1, x1 = x0 + 1;
  if (y0 >= height - 1) y0 = y1 = height - 1, y = static_cast<double>(y0);
  if (x0 >= width - 1) x0 = x1 = width - 1, x = static_cast<double>(x0);
  const double dy = y - static_cast<double>(y0), dx = x - static_cast<double>(x0);
  const int64_t offsets[4] = {y0 * width + x0, y0 * width + x1, y1 * width + x0, y1 * width + x1};
  const double weights[4] = {(1 - dy) * (1 - dx), (1 - dy) * dx, dy * (1 - dx), dy * dx};
  std::copy_n(offsets, 4, s.offset);
  std::copy_n(weights, 4, s.weight);
  return s;
}

std::vector<Value> eval_roi_align(const Call& call) {
  const Tensor &x = call.tensor(0), &rois = call.tensor(1), &batches = call.tensor(2);
  const std::string mode = call.attributes.get_string("mode", "avg");
  const std::string transformation =
      call.attributes.get_string("coordinate_transformation_mode", "half_pixel");
  const int64_t out_h = call.attributes.get_int("output_height", 1),
                out_w = call.attributes.get_int("output_width", 1);
  const int64_t ratio = call.attributes.get_int("sampling_ratio", 0);
  const double scale = call.attributes.get_float("spatial_scale", 1.0f);
  if (x.rank() != 4 || rois.rank() != 2 || rois.dim(1) != 4 ||
      batches.dims() != Dims{rois.dim(0)}) {
    fail(ErrorCode::kInvalidInput,
         "{}: X [{}], rois [{}], batch_indices [{}] must be [N,C,H,W], [R,4], [R]", call.op,
         dims_to_string(x.dims()), dims_to_string(rois.dims()), dims_to_string(batches.dims()));
  }
  if ((mode != "avg" && mode != "max") ||
      (transformation != "half_pixel" && transformation != "output_half_pixel") || out_h < 1 ||
      out_w < 1 || ratio < 0) {
    fail(ErrorCode::kInvalidModel,
         "{}: mode '{}', coordinate_transformation_mode '{}', output {}x{} or sampling_ratio {} is "
         "not legal",
         call.op, mode, transformation, out_h, out_w, ratio);
  }
  const bool half = transformation == "half_pixel", average = mode == "avg";
  const int64_t channels = x.dim(1), height = x.dim(2), width = x.dim(3), plane = height * width;
  const Dims dims = {rois.dim(0), channels, out_h, out_w};
  std::vector<double> y = work_buffer(call, x.dtype(), dims);
  const std::vector<double> values = to_doubles(x), regions = to_doubles(rois);
  const std::vector<int64_t> images = to_ints(batches);
  for (const int64_t n : images) {
    if (n < 0 || n >= x.dim(0))
      fail(ErrorCode::kData, "{}: batch index {} is outside [0, {})", call.op, n, x.dim(0));
  }
  if (plane == 0 && !y.empty())
    fail(ErrorCode::kInvalidInput, "{}: the input [{}] is empty", call.op,
         dims_to_string(x.dims()));
  for (size_t r = 0; r < images.size(); ++r) {
    if (call.callbacks.poll) call.callbacks.poll();
    const double shift = half ? 0.5 : 0;
    const double x0 = regions[4 * r] * scale - shift, y0 = regions[4 * r + 1] * scale - shift;
    double roi_w = regions[4 * r + 2] * scale - shift - x0,
           roi_h = regions[4 * r + 3] * scale - shift - y0;
    if (!half)
      roi_w = std::max(roi_w, 1.0), roi_h = std::max(roi_h, 1.0);  // of old: never below one pixel
    const double bin_h = roi_h / static_cast<double>(out_h),
                 bin_w = roi_w / static_cast<double>(out_w);
    if (!std::isfinite(bin_h) || !std::isfinite(bin_w) ||
        static_cast<double>(std::max<int64_t>(ratio, 1)) > 2048 || bin_h > 2048 || bin_w > 2048) {
      fail(ErrorCode::kData,
           "{}: region {} is not finite, or needs more than 2048 samples along a side of a bin",
           call.op, r);
    }
    const int64_t grid_h =
        ratio > 0 ? ratio : static_cast<int64_t>(std::max(0.0, std::ceil(bin_h)));
    const int64_t grid_w =
        ratio > 0 ? ratio : static_cast<int64_t>(std::max(0.0, std::ceil(bin_w)));
    const double count = static_cast<double>(std::max<int64_t>(1, grid_h * grid_w));
    std::vector<Sample> samples(static_cast<size_t>(grid_h * grid_w));
    for (int64_t bin = 0; bin < out_h * out_w; ++bin) {
      for (int64_t g = 0; g < grid_h * grid_w; ++g) {
        const double gy =
            (static_cast<double>(g / grid_w) + 0.5) * bin_h / static_cast<double>(grid_h);
        const double gx =
            (static_cast<double>(g % grid_w) + 0.5) * bin_w / static_cast<double>(grid_w);
        samples[static_cast<size_t>(g)] =
            sample(y0 + static_cast<double>(bin / out_w) * bin_h + gy,
                   x0 + static_cast<double>(bin % out_w) * bin_w + gx, height, width);
      }
      for (int64_t c = 0; c < channels; ++c) {
        const double* from = values.data() + (images[r] * channels + c) * plane;
        double sum = 0, top = -std::numeric_limits<double>::infinity();
        for (const Sample& s : samples) {
          for (size_t k = 0; k < 4; ++k) {
            const double part = s.weight[k] * from[s.offset[k]];
            sum += part;
            top = std::max(
                top, part);  // ONNX takes the greatest weighted neighbour, not the greatest sample
          }
        }
        y[static_cast<size_t>((static_cast<int64_t>(r) * channels + c) * out_h * out_w + bin)] =
            average           ? sum / count
            : samples.empty() ? 0
                              : top;
      }
    }
  }
  return results(from_doubles(x.dtype(), dims, y));
}

}  // namespace

PLANISH_REFERENCE(roi_align) { return {"", "RoiAlign", &eval_roi_align}; }

}  // namespace planish::reference
