// BatchNormalization (where it was not folded into a convolution) and LayerNormalization.
#include "kernels/norm/norm.h"

#include "backends/cpu/compile/fuse.h"

namespace planish::backends::cpu {
namespace {

const kernels::NormVariant& variant() {
  return *kernels::best_variant(kernels::norm_variants(), 0);
}

Support supports_batch_norm(const Facts& facts) {
  if (facts.outputs() > 1 || facts.attributes().get_int("training_mode", 0) != 0) {
    return Support::no("training mode has no cpu kernel");
  }
  if (facts.rank(0) < 2) return Support::no("an input without channels");
  return all_float32(facts);
}

std::string lower_batch_norm(const Facts& facts, LowerContext& context) {
  plan::Step step = make_step(facts, context, "cpu.batch_norm_f32", 5);
  step.args.set("tactic", std::string(variant().name));
  step.args.set("epsilon", facts.attributes().get_float("epsilon", 1e-5f));
  finish(facts, context, std::move(step), std::nullopt);
  return variant().name;
}

// Whether the input has exactly the dims [axis, rank) of x, so that rows and parameters match.
bool normalised_shape(const Facts& facts, size_t i, int64_t axis) {
  const Shape& x = facts.shape(0);
  const Shape& p = facts.shape(i);
  const size_t first = static_cast<size_t>(axis);
  // Leading dims of 1 do not matter.
  if (p.size() < x.size() - first) return false;
  const size_t extra = p.size() - (x.size() - first);
  for (size_t d = 0; d < extra; ++d) {
    if (p[d] != SizeExpr(1)) return false;
  }
  for (size_t d = first; d < x.size(); ++d) {
    if (equal(x[d], p[extra + d - first]) != Tri::kYes) return false;
  }
  return true;
}

Support supports_layer_norm(const Facts& facts) {
  if (Support s = all_float32(facts); !s.supported) return s;
  const std::optional<int64_t> axis = facts.axis("axis", -1, facts.rank(0));
  if (!axis) return Support::no("no such axis");
  for (const size_t i : {size_t{1}, size_t{2}}) {
    if (facts.has_input(i) && !normalised_shape(facts, i, *axis)) {
      return Support::no("scale or bias is not known to have the normalised shape");
    }
  }
  return Support::yes();
}

std::string lower_layer_norm(const Facts& facts, LowerContext& context) {
  plan::Step step = make_step(facts, context, "cpu.layer_norm_f32", 3);
  step.args.set("tactic", std::string(variant().name));
  step.args.set("axis", facts.axis("axis", -1, facts.rank(0)).value());
  step.args.set("epsilon", facts.attributes().get_float("epsilon", 1e-5f));
  finish(facts, context, std::move(step), std::nullopt);
  return variant().name;
}

Support supports_instance_norm(const Facts& facts) {
  if (facts.rank(0) < 3) return Support::no("an input without spatial dims");
  return all_float32(facts);
}

std::string lower_instance_norm(const Facts& facts, LowerContext& context) {
  plan::Step step = make_step(facts, context, "cpu.instance_norm_f32", 3);
  step.args.set("tactic", std::string(variant().name));
  step.args.set("epsilon", facts.attributes().get_float("epsilon", 1e-5f));
  finish(facts, context, std::move(step), std::nullopt);
  return variant().name;
}

}  // namespace

PLANISH_LOWERINGS(norm) {
  static constexpr Lowering kAll[] = {
      {"BatchNormalization", &supports_batch_norm, &lower_batch_norm},
      {"LayerNormalization", &supports_layer_norm, &lower_layer_norm},
      {"InstanceNormalization", &supports_instance_norm, &lower_instance_norm}};
  return kAll;
}

}  // namespace planish::backends::cpu
