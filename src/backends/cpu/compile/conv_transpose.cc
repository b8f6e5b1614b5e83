// ConvTranspose over one or two spatial dims with constant weights and explicit padding.
#include "backends/cpu/compile/fuse.h"
#include "backends/cpu/compile/spatial.h"
#include "kernels/transposed/transposed.h"

namespace planish::backends::cpu {
namespace {

const kernels::TransposedVariant& variant() {
  return *kernels::best_variant(kernels::transposed_variants(), kernels::ConvProblem{});
}

WindowSpec window_of(const Facts& facts) {
  const Dims& w = facts.constant(1)->dims();
  return read_window(facts, Ints(w.begin() + 2, w.end()));
}

Ints output_padding(const Facts& facts) {
  Ints padding = facts.attributes().get_ints("output_padding");
  if (padding.empty()) padding.assign(static_cast<size_t>(facts.rank(0) - 2), 0);
  return padding;
}

Support supports(const Facts& facts) {
  if (Support s = all_float32(facts); !s.supported) return s;
  if (facts.rank(0) < 3 || facts.rank(0) > 4) {
    return Support::no(
        fmt::format("{} spatial dims; the cpu kernels take 1 or 2", facts.rank(0) - 2));
  }
  if (facts.rank(1) != facts.rank(0)) return Support::no("weights and input differ in rank");
  if (facts.constant(1) == nullptr) {
    return Support::no("the weights are not constant, so they cannot be packed");
  }
  const WindowSpec w = window_of(facts);
  if (!w.auto_pad.empty() || !facts.attributes().get_ints("output_shape").empty()) {
    return Support::no("padding that follows from output_shape or auto_pad has no cpu kernel");
  }
  if (const char* why = window_problem(w)) return Support::no(why);
  if (output_padding(facts).size() != w.kernel.size())
    return Support::no("attributes of another rank");
  const int64_t group = facts.attributes().get_int("group", 1);
  if (group < 1 || facts.constant(1)->dim(0) % group != 0) {
    return Support::no("groups do not divide the channels");
  }
  return Support::yes();
}

std::string lower(const Facts& facts, LowerContext& context) {
  const WindowSpec window = window_of(facts);
  const Tensor weights = facts.constant(1)->aligned();
  const int64_t group = facts.attributes().get_int("group", 1);
  const int64_t ic = weights.dim(0), oc = weights.dim(1) * group, taps = window.kernel_size();
  const std::string tactic = variant().name;
  plan::Step step = make_step(facts, context, "cpu.conv_transpose_f32", 1);
  Tensor packed(DType::kFloat32, {kernels::packed_transposed_floats(ic, oc, taps, group)});
  kernels::pack_transposed(ic, oc, taps, group, weights.data<float>().data(),
                           packed.mutable_data<float>().data());
  step.inputs.push_back(context.constant(facts.input(1).name + "_packed", std::move(packed),
                                         "pack " + tactic + " of " + facts.input(1).name));
  kernels::ConvProblem problem;
  problem.groups = group;
  problem.ic = ic;
  problem.oc = oc;
  step.workspaces.push_back(
      context.workspace(variant().workspace_floats(problem) * 4 * context.threads()));
  step.args.set("tactic", tactic);
  step.args.set("group", group);
  step.args.set("channels", oc);
  step.args.set("in_channels", ic);
  step.args.set("output_padding", output_padding(facts));
  set_window(step, window);
  std::vector<Link> own;
  if (facts.has_input(2)) {
    Link bias;
    bias.binary = true;
    bias.operand = context.slot(facts.node().inputs[2]);
    bias.row = true;
    own.push_back(bias);
  }
  finish(facts, context, std::move(step), Groups{1, 2}, std::move(own));
  return tactic;
}

}  // namespace

PLANISH_LOWERINGS(conv_transpose) {
  static constexpr Lowering kAll[] = {{"ConvTranspose", &supports, &lower}};
  return kAll;
}

}  // namespace planish::backends::cpu
