// cpu.resize_f32: x [..., ih, iw]; the last two dims are resized to the output's. Arguments
//
//   mode        "nearest" or "linear"
//   coordinates "half_pixel", "asymmetric", "align_corners" or "pytorch_half_pixel"
//   rounding    nearest: "round_prefer_floor", "round_prefer_ceil", "floor" or "ceil"
//   scales      floats, two, as the model gave them; empty: output size / input size
#include <algorithm>
#include <array>
#include <cmath>

#include "backends/cpu/run/check.h"
#include "kernels/movement/movement.h"

namespace planish::backends::cpu {
namespace {

constexpr std::array<std::string_view, 4> kCoordinates = {"half_pixel", "asymmetric",
                                                          "align_corners", "pytorch_half_pixel"};
constexpr std::array<std::string_view, 4> kRoundings = {"round_prefer_floor", "round_prefer_ceil",
                                                        "floor", "ceil"};

struct Axis {
  std::vector<int64_t> low, high;
  std::vector<float> weight;  // of high
};

// The scale as a fraction, so that output size / input size stays exact.
struct Scale {
  double numerator = 1, denominator = 1;
};

double input_position(std::string_view coordinates, int64_t o, int64_t in, const Scale& scale) {
  const auto position = static_cast<double>(o);
  // The resized length before it was rounded to a whole number.
  const double width = static_cast<double>(in) * scale.numerator / scale.denominator;
  if (coordinates == "asymmetric") return position * scale.denominator / scale.numerator;
  if (coordinates == "align_corners")
    return width == 1 ? 0 : position * static_cast<double>(in - 1) / (width - 1);
  if (coordinates == "pytorch_half_pixel" && width <= 1) return 0;
  return (position + 0.5) * scale.denominator / scale.numerator - 0.5;
}

Axis make_axis(const Attributes& args, int64_t in, int64_t out, const Scale& scale) {
  const std::string& coordinates = args.get_string("coordinates");
  const std::string& rounding = args.get_string("rounding");
  const bool linear = args.get_string("mode") == "linear";
  Axis axis;
  axis.low.resize(static_cast<size_t>(out));
  axis.high.resize(static_cast<size_t>(out));
  axis.weight.resize(static_cast<size_t>(out));
  for (int64_t o = 0; o < out; ++o) {
    const auto i = static_cast<size_t>(o);
    const double last = static_cast<double>(in - 1);
    double at = input_position(coordinates, o, in, scale);
    if (linear) {
      at = std::clamp(at, 0.0, last);
      axis.low[i] = static_cast<int64_t>(std::floor(at));
      axis.high[i] = std::min(axis.low[i] + 1, in - 1);
      axis.weight[i] = static_cast<float>(at - std::floor(at));
      continue;
    }
    if (rounding == "floor") {
      at = std::floor(at);
    } else if (rounding == "ceil") {
      at = std::ceil(at);
    } else if (rounding == "round_prefer_floor") {
      at = std::ceil(at - 0.5);
    } else {
      at = std::floor(at + 0.5);
    }
    axis.low[i] = axis.high[i] = static_cast<int64_t>(std::clamp(at, 0.0, last));
  }
  return axis;
}

class ResizeStep : public KernelStep<kernels::ResizeArgs, &kernels::resize_f32> {
 public:
  explicit ResizeStep(const plan::Step&) {}
  static void check(const Checker& c) {
    c.arity(1, 1);
    const size_t rank = c.rank(c.input(0, DType::kFloat32), 2, 64);
    c.rank(c.output(0, DType::kFloat32), rank, rank);
    const Attributes& args = c.step().args;
    const std::string& mode = args.get_string("mode");
    if (mode != "nearest" && mode != "linear") c.refuse(fmt::format("unknown mode '{}'", mode));
    if (std::ranges::find(kCoordinates, args.get_string("coordinates")) == kCoordinates.end())
      c.refuse("unknown coordinates");
    if (std::ranges::find(kRoundings, args.get_string("rounding")) == kRoundings.end())
      c.refuse("unknown rounding");
    const Floats& scales = args.get_floats("scales");
    if (!scales.empty() && scales.size() != 2) c.refuse("argument 'scales' needs two numbers");
    for (const float s : scales) {
      if (!(s > 0) || !std::isfinite(s)) c.refuse("a scale is not positive");
    }
  }
  void prepare(runtime::StepContext& context) override {
    const Attributes& args = context.step().args;
    const runtime::SlotView x = context.input(0), y = context.output(0);
    const size_t rank = x.dims.size();
    require_dims(context, std::ranges::equal(x.dims.first(rank - 2), y.dims.first(rank - 2)),
                 "input and output differ in their outer dims");
    args_.planes = count(x.dims.first(rank - 2));
    args_.ih = x.dims[rank - 2];
    args_.iw = x.dims[rank - 1];
    args_.oh = y.dims[rank - 2];
    args_.ow = y.dims[rank - 1];
    count(y.dims);
    const bool any = count(y.dims) > 0;
    require_dims(context, !any || (args_.ih > 0 && args_.iw > 0),
                 "an empty plane cannot be resized");
    const Floats& scales = args.get_floats("scales");
    if (any) {
      rows_ = make_axis(args, args_.ih, args_.oh,
                        scales.empty() ? ratio(args_.oh, args_.ih) : Scale{scales[0], 1});
      columns_ = make_axis(args, args_.iw, args_.ow,
                           scales.empty() ? ratio(args_.ow, args_.iw) : Scale{scales[1], 1});
    } else {
      args_.planes = 0;
    }
    args_.linear = args.get_string("mode") == "linear";
    args_.y0 = rows_.low.data();
    args_.y1 = rows_.high.data();
    args_.yw = rows_.weight.data();
    args_.x0 = columns_.low.data();
    args_.x1 = columns_.high.data();
    args_.xw = columns_.weight.data();
    args_.x = x.as<const float>();
    args_.y = y.as<float>();
  }

 private:
  static Scale ratio(int64_t out, int64_t in) {
    return {static_cast<double>(out), static_cast<double>(in)};
  }

  Axis rows_, columns_;
};

}  // namespace

void register_resize(runtime::Registry& registry) {
  registry.add(step_kernel<ResizeStep>("cpu.resize_f32"));
}

}  // namespace planish::backends::cpu
