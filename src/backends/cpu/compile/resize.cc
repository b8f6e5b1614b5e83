// Resize of the last two dims, nearest and linear.
#include <algorithm>
#include <cmath>

#include "backends/cpu/compile/fuse.h"

namespace planish::backends::cpu {
namespace {

bool given(const Facts& facts, size_t i) {
  return facts.has_input(i) && !(facts.rank(i) == 1 && facts.shape(i)[0] == SizeExpr(0));
}

// The two scales when the model gives scales, an empty list when it gives sizes; nothing with a
// reason when this is no resize of the last two dims.
std::optional<Floats> read(const Facts& facts, std::string& why) {
  const auto rank = static_cast<size_t>(facts.rank(0));
  Ints axes = facts.attributes().get_ints("axes");
  if (axes.empty()) {
    for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  }
  for (int64_t& axis : axes) {
    if (axis < 0) axis += facts.rank(0);
    if (axis < 0 || axis >= facts.rank(0)) {
      why = "no such axis";
      return std::nullopt;
    }
  }
  for (size_t i = 0; i + 2 < rank; ++i) {
    if (equal(facts.shape(0)[i], facts.output_shape()[i]) != Tri::kYes) {
      why = "it resizes other dims than the last two";
      return std::nullopt;
    }
  }
  if (!given(facts, 2)) return Floats{};
  const Tensor* scales = facts.constant(2);
  if (scales == nullptr || scales->dtype() != DType::kFloat32 ||
      scales->size() != static_cast<int64_t>(axes.size())) {
    why = "its scales are not constant";
    return std::nullopt;
  }
  Floats out = {1, 1};
  const Tensor values = scales->aligned();
  for (size_t i = 0; i < axes.size(); ++i) {
    const float s = values.data<float>()[i];
    const auto axis = static_cast<size_t>(axes[i]);
    if (!(s > 0) || !std::isfinite(s)) {
      why = "a scale is not positive";
      return std::nullopt;
    }
    if (axis + 2 >= rank) {
      out[axis + 2 - rank] = s;
    } else if (s != 1) {
      why = "it resizes other dims than the last two";
      return std::nullopt;
    }
  }
  return out;
}

Support supports(const Facts& facts) {
  const Attributes& a = facts.attributes();
  if (facts.dtype(0) != DType::kFloat32) return no_dtype(facts.dtype(0));
  if (facts.rank(0) < 2) return Support::no("fewer than two dims");
  const std::string mode = a.get_string("mode", "nearest");
  if (mode != "nearest" && mode != "linear")
    return Support::no(fmt::format("mode '{}' has no cpu kernel", mode));
  const std::string coordinates = a.get_string("coordinate_transformation_mode", "half_pixel");
  if (coordinates != "half_pixel" && coordinates != "asymmetric" &&
      coordinates != "align_corners" && coordinates != "pytorch_half_pixel") {
    return Support::no(fmt::format("coordinates '{}' have no cpu kernel", coordinates));
  }
  if (a.get_int("antialias", 0) != 0) return Support::no("antialiasing has no cpu kernel");
  if (a.get_string("keep_aspect_ratio_policy", "stretch") != "stretch")
    return Support::no("its aspect policy has no cpu kernel");
  std::string why;
  return read(facts, why) ? Support::yes() : Support::no(why);
}

std::string lower(const Facts& facts, LowerContext& context) {
  const Attributes& a = facts.attributes();
  std::string why;
  plan::Step step = make_step(facts, context, "cpu.resize_f32", 1);
  step.args.set("mode", a.get_string("mode", "nearest"));
  step.args.set("coordinates", a.get_string("coordinate_transformation_mode", "half_pixel"));
  step.args.set("rounding", a.get_string("nearest_mode", "round_prefer_floor"));
  step.args.set("scales", read(facts, why).value());
  finish(facts, context, std::move(step), std::nullopt);
  return "resize";
}

}  // namespace

PLANISH_LOWERINGS(resize) {
  static constexpr Lowering kAll[] = {{"Resize", &supports, &lower}};
  return kAll;
}

}  // namespace planish::backends::cpu
