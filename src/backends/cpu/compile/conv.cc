// Conv over one or two spatial dims: packed panels, or direct when each group has one input
// channel.
#include "kernels/conv/conv.h"

#include "backends/cpu/compile/fuse.h"
#include "backends/cpu/compile/spatial.h"
#include "kernels/depthwise/depthwise.h"

namespace planish::backends::cpu {
namespace {

using kernels::ConvProblem;

struct ConvFacts {
  WindowSpec window;
  int64_t group = 1, channels = 0, in_channels = 0;
  bool depthwise = false;
};

// Numbers that come from the weights' dims; nothing when these are open.
std::optional<ConvFacts> read(const Facts& facts) {
  const std::optional<Dims> w = constant_dims(facts.shape(1));
  if (!w || w->size() < 3) return std::nullopt;
  ConvFacts c;
  c.window = read_window(facts, Ints(w->begin() + 2, w->end()));
  c.group = facts.attributes().get_int("group", 1);
  c.channels = (*w)[0];
  c.in_channels = (*w)[1] * c.group;
  c.depthwise = c.group > 1 && (*w)[1] == 1;
  return c;
}

// The problem with 1 for sizes that only the bind knows: tactics refuse by the window.
ConvProblem problem_of(const ConvFacts& c) {
  ConvProblem p;
  const size_t n = c.window.kernel.size();
  p.groups = c.group;
  p.ic = c.in_channels;
  p.oc = c.channels;
  p.kw = c.window.kernel[n - 1];
  p.sw = c.window.strides[n - 1];
  p.dw = c.window.dilations[n - 1];
  if (n == 2) {
    p.kh = c.window.kernel[0];
    p.sh = c.window.strides[0];
    p.dh = c.window.dilations[0];
  }
  return p;
}

Support supports(const Facts& facts) {
  if (Support s = all_float32(facts); !s.supported) return s;
  if (facts.rank(0) < 3 || facts.rank(0) > 4) {
    return Support::no(
        fmt::format("{} spatial dims; the cpu kernels take 1 or 2", facts.rank(0) - 2));
  }
  if (facts.rank(1) != facts.rank(0)) return Support::no("weights and input differ in rank");
  const std::optional<ConvFacts> c = read(facts);
  if (!c) return Support::no("the dims of the weights are not known");
  if (c->group < 1 || c->channels % c->group != 0)
    return Support::no("groups do not divide the channels");
  if (const char* why = window_problem(c->window)) return Support::no(why);
  if (!c->depthwise && facts.constant(1) == nullptr)
    return Support::no("the weights are not constant, so they cannot be packed");
  const bool some =
      c->depthwise ? kernels::best_variant(kernels::depthwise_variants(), problem_of(*c)) != nullptr
                   : kernels::best_variant(kernels::conv_variants(), problem_of(*c)) != nullptr;
  return some ? Support::yes() : Support::no("no tactic takes this window");
}

std::string lower(const Facts& facts, LowerContext& context) {
  const ConvFacts c = read(facts).value();
  const ConvProblem problem = problem_of(c);
  plan::Step step;
  std::string tactic;
  if (c.depthwise) {
    tactic = kernels::best_variant(kernels::depthwise_variants(), problem)->name;
    step = make_step(facts, context, "cpu.depthwise_f32", 2);
  } else {
    const kernels::ConvVariant& variant = *kernels::best_variant(kernels::conv_variants(), problem);
    tactic = variant.name;
    step = make_step(facts, context, "cpu.conv_f32", 1);
    const Tensor weights = facts.constant(1)->aligned();
    Tensor packed(DType::kFloat32, {kernels::packed_conv_floats(c.channels, problem.k(), c.group)});
    kernels::pack_conv(c.channels, problem.k(), c.group, weights.data<float>().data(),
                       packed.mutable_data<float>().data());
    step.inputs.push_back(context.constant(facts.input(1).name + "_packed", std::move(packed),
                                           "pack " + tactic + " of " + facts.input(1).name));
    step.workspaces.push_back(
        context.workspace(variant.workspace_floats(problem.k()) * 4 * context.threads()));
  }
  step.args.set("tactic", tactic);
  step.args.set("group", c.group);
  step.args.set("channels", c.channels);
  step.args.set("in_channels", c.in_channels);
  set_window(step, c.window);
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

PLANISH_LOWERINGS(conv) {
  static constexpr Lowering kAll[] = {{"Conv", &supports, &lower}};
  return kAll;
}

}  // namespace planish::backends::cpu
