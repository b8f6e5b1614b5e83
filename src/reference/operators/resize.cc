// Resize: every output position along an axis maps to a real coordinate of the input
// (coordinate_transformation_mode), from which `mode` takes the nearest element or a weighted sum
// of neighbours. Axes are independent, so an axis becomes a table of indices and weights, and the
// tables are applied one axis after another.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>

#include "reference/movement.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

struct ResizedAxis {
  int64_t axis = 0, in = 0, out = 0;
  double numerator = 1, denominator = 1;  // scale = numerator / denominator, kept apart to be exact
  double start = 0, end = 1;              // region of interest, tf_crop_and_resize only

  double scale() const { return numerator / denominator; }
  double unscale(double v) const { return v * denominator / numerator; }
  // Length before rounding to a whole number.
  double width() const { return static_cast<double>(in) * numerator / denominator; }
};

bool given(const Call& call, size_t input) {
  return call.has(input) && call.tensor(input).size() > 0;
}

double coordinate(const std::string& mode, const ResizedAxis& a, double x) {
  const auto in = static_cast<double>(a.in);
  if (mode == "half_pixel") return a.unscale(x + 0.5) - 0.5;
  if (mode == "asymmetric") return a.unscale(x);
  if (mode == "align_corners") return a.width() == 1 ? 0 : x * (in - 1) / (a.width() - 1);
  if (mode == "pytorch_half_pixel") return a.width() > 1 ? a.unscale(x + 0.5) - 0.5 : 0;
  if (mode == "half_pixel_symmetric") {
    const double center = in / 2, adjustment = static_cast<double>(a.out) / a.width();
    return center * (1 - adjustment) + a.unscale(x + 0.5) - 0.5;
  }
  if (mode == "tf_crop_and_resize") {
    return a.width() > 1 ? a.start * (in - 1) + x * (a.end - a.start) * (in - 1) / (a.width() - 1)
                         : 0.5 * (a.start + a.end) * (in - 1);
  }
  return a.unscale(x + 0.5);  // tf_half_pixel_for_nn, of opsets 11 and 12
}

int64_t nearest(const std::string& rounding, double x, int64_t in) {
  double i = 0;
  if (rounding == "round_prefer_floor")
    i = std::ceil(x - 0.5);
  else if (rounding == "round_prefer_ceil")
    i = std::floor(x + 0.5);
  else if (rounding == "floor")
    i = std::floor(x);
  else
    i = std::ceil(x);
  return static_cast<int64_t>(std::clamp(i, 0.0, static_cast<double>(in - 1)));
}

double cubic_weight(double distance, double a) {
  const double x = std::abs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

struct Tap {
  int64_t index;
  double weight;
};

// The output elements of one axis: taps[begin[o] .. begin[o + 1]).
struct Table {
  std::vector<Tap> taps;
  std::vector<size_t> begin;
};

struct Settings {
  std::string mode, transformation, rounding;
  double cubic_a = -0.75;
  bool exclude_outside = false, antialias = false;
};

// Neighbours of x with their weights. An index outside repeats the border, or is left out.
void add_taps(const Settings& s, const ResizedAxis& a, double x, Table& table) {
  const double reach = s.mode == "linear" ? 1 : 2;
  const double shrink =
      s.antialias ? std::min(a.scale(), 1.0) : 1.0;  // a filter is stretched, never squeezed
  const auto first = static_cast<int64_t>(std::floor(x - reach / shrink)) + 1;
  const auto last = static_cast<int64_t>(std::ceil(x + reach / shrink)) - 1;
  const size_t begin = table.taps.size();
  double sum = 0;
  for (int64_t i = first; i <= last; ++i) {
    if (s.exclude_outside && (i < 0 || i >= a.in)) continue;
    const double distance = (static_cast<double>(i) - x) * shrink;
    const double weight = s.mode == "linear" ? std::max(0.0, 1 - std::abs(distance))
                                             : cubic_weight(distance, s.cubic_a);
    table.taps.push_back({std::clamp<int64_t>(i, 0, a.in - 1), weight});
    sum += weight;
  }
  if (!s.exclude_outside && !s.antialias) return;  // the weights sum to 1 as they are
  for (size_t t = begin; t < table.taps.size(); ++t) table.taps[t].weight /= sum;
}

Settings read_settings(const Call& call) {
  Settings s;
  s.mode = call.attributes.get_string("mode", "nearest");
  s.transformation = call.attributes.get_string("coordinate_transformation_mode", "half_pixel");
  s.rounding = call.attributes.get_string("nearest_mode", "round_prefer_floor");
  s.cubic_a = call.attributes.get_float("cubic_coeff_a", -0.75f);
  s.exclude_outside = call.attributes.get_int("exclude_outside", 0) != 0;
  s.antialias = call.attributes.get_int("antialias", 0) != 0;
  const auto one_of = [&](std::string_view name, const std::string& value,
                          std::initializer_list<std::string_view> legal) {
    if (std::find(legal.begin(), legal.end(), value) == legal.end()) {
      fail(ErrorCode::kInvalidModel, "{}: '{}' is no {}", call.op, value, name);
    }
  };
  one_of("mode", s.mode, {"nearest", "linear", "cubic"});
  one_of("nearest_mode", s.rounding, {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  one_of("coordinate_transformation_mode", s.transformation,
         {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
          "tf_crop_and_resize", "tf_half_pixel_for_nn"});
  return s;
}

// Aspect policies: one scale for all axes, the smallest or greatest of those the sizes ask for.
void keep_aspect(const Call& call, std::vector<ResizedAxis>& axes) {
  const std::string policy = call.attributes.get_string("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || axes.empty()) return;
  if (policy != "not_larger" && policy != "not_smaller") {
    fail(ErrorCode::kInvalidModel, "{}: '{}' is no keep_aspect_ratio_policy", call.op, policy);
  }
  const auto less = [](const ResizedAxis& a, const ResizedAxis& b) {
    return a.scale() < b.scale();
  };
  const ResizedAxis pick = policy == "not_larger"
                               ? *std::min_element(axes.begin(), axes.end(), less)
                               : *std::max_element(axes.begin(), axes.end(), less);
  for (ResizedAxis& a : axes) {
    a.numerator = pick.numerator, a.denominator = pick.denominator;
    a.out = static_cast<int64_t>(std::floor(a.width() + 0.5));
  }
}

// A float32 scale stands for the simple fraction next to it (0.6f for 3/5), by which coordinates
// that are meant to be whole, or ties, are so. Continued fraction; the float itself when none is
// near.
std::pair<double, double> simplest_fraction(double scale) {
  double h0 = 0, h1 = 1, k0 = 1, k1 = 0, rest = scale;
  for (int i = 0; i < 16; ++i) {
    const double whole = std::floor(rest);
    const double h2 = whole * h1 + h0, k2 = whole * k1 + k0;
    if (k2 > 1000 || h2 > 1e6) break;
    if (static_cast<float>(h2 / k2) == static_cast<float>(scale)) return {h2, k2};
    h0 = h1, h1 = h2, k0 = k1, k1 = k2;
    if (rest == whole) break;
    rest = 1 / (rest - whole);
  }
  return {scale, 1};
}

std::vector<ResizedAxis> read_axes(const Call& call, const Dims& x, const Settings& s) {
  const auto rank = static_cast<int64_t>(x.size());
  Ints numbers = call.attributes.get_ints("axes");
  if (numbers.empty()) {
    numbers.resize(x.size());
    std::iota(numbers.begin(), numbers.end(), 0);
  }
  const bool by_scale = given(call, 2), by_size = given(call, 3);
  if (by_scale == by_size)
    fail(ErrorCode::kInvalidInput, "{}: exactly one of scales and sizes must be given", call.op);
  const Tensor& wanted = call.tensor(by_scale ? 2 : 3);
  if (wanted.size() != static_cast<int64_t>(numbers.size())) {
    fail(ErrorCode::kInvalidInput, "{}: {} {} given for {} axes", call.op, wanted.size(),
         by_scale ? "scales" : "sizes", numbers.size());
  }
  std::vector<double> roi;
  if (s.transformation == "tf_crop_and_resize") {
    if (!given(call, 1) || call.tensor(1).size() != 2 * wanted.size()) {
      fail(ErrorCode::kInvalidInput, "{}: tf_crop_and_resize needs a roi of {} numbers", call.op,
           2 * wanted.size());
    }
    roi = to_doubles(call.tensor(1));
  }
  std::vector<ResizedAxis> axes;
  for (size_t i = 0; i < numbers.size(); ++i) {
    ResizedAxis a;
    a.axis = normal_axis(call, numbers[i], rank);
    a.in = x[static_cast<size_t>(a.axis)];
    const double value = load_double(wanted, static_cast<int64_t>(i));
    if (by_size) {
      a.out = static_cast<int64_t>(value);
      if (a.out < 0 || (a.in == 0 && a.out != 0)) {
        fail(ErrorCode::kInvalidInput, "{}: size {} for axis {} of length {}", call.op, a.out,
             a.axis, a.in);
      }
      a.numerator = value, a.denominator = static_cast<double>(a.in);
    } else {
      if (!(value > 0) || value > 1e9)
        fail(ErrorCode::kInvalidInput, "{}: scale {} is not a positive number", call.op, value);
      // float32 arithmetic, by which every exporter and runtime has computed shapes: 10 * 0.7f
      // is 7.
      a.out =
          static_cast<int64_t>(std::floor(static_cast<float>(a.in) * static_cast<float>(value)));
      std::tie(a.numerator, a.denominator) = simplest_fraction(value);
    }
    if (!roi.empty()) a.start = roi[i], a.end = roi[i + numbers.size()];
    axes.push_back(a);
  }
  if (by_size) keep_aspect(call, axes);
  return axes;
}

bool unchanged(const Settings& s, const ResizedAxis& a) {
  return a.in == a.out && a.numerator == a.denominator && s.transformation != "tf_crop_and_resize";
}

// y[.., o, ..] = sum of weight * x[.., index, ..] along the axis.
std::vector<double> apply(const Call& call,
                          const std::vector<double>& x,
                          Dims& dims,
                          const ResizedAxis& a,
                          const Table& table) {
  const int64_t inner = span_size(dims, a.axis + 1, static_cast<int64_t>(dims.size()));
  const int64_t outer = span_size(dims, 0, a.axis);
  dims[static_cast<size_t>(a.axis)] = a.out;
  std::vector<double> y = work_buffer(call, DType::kFloat64, dims);
  call.parallel_for(outer * a.out, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const auto o = static_cast<size_t>(row % a.out);
      double* to = y.data() + row * inner;
      for (size_t t = table.begin[o]; t < table.begin[o + 1]; ++t) {
        const double* from = x.data() + (row / a.out * a.in + table.taps[t].index) * inner;
        for (int64_t i = 0; i < inner; ++i) to[i] += table.taps[t].weight * from[i];
      }
    }
  });
  return y;
}

// Positions that tf_crop_and_resize maps outside the input hold this value instead.
struct Outside {
  std::vector<std::vector<bool>> by_axis;  // per tensor axis; empty: none
  bool any = false;
};

template <class F>
void for_outside(const Outside& outside, const Dims& dims, F&& f) {
  if (!outside.any) return;
  const int64_t count = element_count(dims);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    bool out = false;
    for (size_t a = dims.size(); a-- > 0 && !out; rest /= dims[a]) {
      out = !outside.by_axis[a].empty() && outside.by_axis[a][static_cast<size_t>(rest % dims[a])];
    }
    if (out) f(i);
  }
}

Tensor take_nearest(const Call& call,
                    const Tensor& x,
                    const Dims& dims,
                    const std::vector<std::vector<int64_t>>& indices) {
  Tensor y = call.make(x.dtype(), dims);
  const std::vector<int64_t> strides = row_major(x.dims());
  const auto rank = dims.size();
  with_mover(y, x, [&](auto move) {
    std::vector<int64_t> at(rank, 0);
    for (int64_t i = 0; i < y.size(); ++i) {
      int64_t from = 0;
      for (size_t a = 0; a < rank; ++a) {
        from += (indices[a].empty() ? at[a] : indices[a][static_cast<size_t>(at[a])]) * strides[a];
      }
      move(i, from);
      for (size_t a = rank; a-- > 0;) {
        if (++at[a] < dims[a]) break;
        at[a] = 0;
      }
    }
  });
  return y;
}

std::vector<Value> eval_resize(const Call& call) {
  const Tensor& x = call.tensor(0);
  const Settings s = read_settings(call);
  std::vector<ResizedAxis> axes = read_axes(call, x.dims(), s);
  Dims dims = x.dims();
  for (const ResizedAxis& a : axes) dims[static_cast<size_t>(a.axis)] = a.out;
  const double extrapolation = call.attributes.get_float("extrapolation_value", 0.0f);
  if (element_count(dims) == 0) return results(Tensor(x.dtype(), dims));
  check_output(call, x.dtype(), dims, 1);  // before tables of that length are made
  Outside outside{std::vector<std::vector<bool>>(dims.size()), false};
  std::vector<std::vector<int64_t>> indices(dims.size());
  std::vector<Table> tables(axes.size());
  for (size_t k = 0; k < axes.size(); ++k) {
    const ResizedAxis& a = axes[k];
    if (unchanged(s, a)) continue;
    std::vector<bool> out(static_cast<size_t>(a.out), false);
    tables[k].begin.push_back(0);
    for (int64_t o = 0; o < a.out; ++o) {
      const double at = coordinate(s.transformation, a, static_cast<double>(o));
      if (s.transformation == "tf_crop_and_resize" &&
          (at < 0 || at > static_cast<double>(a.in - 1))) {
        out[static_cast<size_t>(o)] = outside.any = true;
      }
      // Far outside every tap is the border: bounds the taps' numbers.
      const double bounded = std::clamp(at, -4.0 * static_cast<double>(a.in) - 16,
                                        5.0 * static_cast<double>(a.in) + 16);
      if (s.mode == "nearest") {
        indices[static_cast<size_t>(a.axis)].push_back(nearest(s.rounding, at, a.in));
      } else {
        add_taps(s, a, bounded, tables[k]);
        tables[k].begin.push_back(tables[k].taps.size());
      }
    }
    if (s.transformation == "tf_crop_and_resize")
      outside.by_axis[static_cast<size_t>(a.axis)] = std::move(out);
  }
  if (s.mode == "nearest") {
    Tensor y = take_nearest(call, x, dims, indices);
    if (outside.any) {
      const Tensor value = from_doubles(
          y.dtype(), {1},
          std::vector<double>{is_integer(y.dtype()) ? std::trunc(extrapolation) : extrapolation});
      for_outside(outside, dims, [&](int64_t i) { copy_run(y, i, value, 0, 1); });
    }
    return results(std::move(y));
  }
  // Shrinking axes first, which keeps the intermediate results small.
  std::vector<size_t> order(axes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return static_cast<double>(axes[a].out) * static_cast<double>(axes[b].in) <
           static_cast<double>(axes[b].out) * static_cast<double>(axes[a].in);
  });
  std::vector<double> y = to_doubles(x);
  Dims now = x.dims();
  for (const size_t k : order) {
    if (!unchanged(s, axes[k])) y = apply(call, y, now, axes[k], tables[k]);
  }
  for_outside(outside, dims, [&](int64_t i) { y[static_cast<size_t>(i)] = extrapolation; });
  if (is_integer(x.dtype())) {  // towards zero, kept within the type where cubic overshoots
    const double bits = bit_width(x.dtype()), low = is_signed_integer(x.dtype())
                                                        ? -std::ldexp(1, static_cast<int>(bits) - 1)
                                                        : 0;
    const double high = low + std::ldexp(1, static_cast<int>(bits)) - 1;
    for (double& v : y) v = std::trunc(std::clamp(v, low, high));
  }
  return results(from_doubles(x.dtype(), dims, y));
}

}  // namespace

PLANISH_REFERENCE(resize) { return {"", "Resize", &eval_resize}; }

}  // namespace planish::reference
