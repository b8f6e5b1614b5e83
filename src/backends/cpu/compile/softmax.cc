#include "kernels/softmax/softmax.h"

#include "backends/cpu/compile/fuse.h"

namespace planish::backends::cpu {
namespace {

const kernels::SoftmaxVariant& variant() {
  return *kernels::best_variant(kernels::softmax_variants(), kernels::SoftmaxProblem{});
}

Support supports(const Facts& facts) {
  if (Support s = all_float32(facts); !s.supported) return s;
  if (facts.rank(0) < 1 || !facts.axis("axis", -1, facts.rank(0)))
    return Support::no("no such axis");
  return Support::yes();
}

std::string lower(const Facts& facts, LowerContext& context) {
  plan::Step step = make_step(facts, context, "cpu.softmax_f32", 1);
  step.args.set("tactic", std::string(variant().name));
  step.args.set("axis", facts.axis("axis", -1, facts.rank(0)).value());
  step.args.set("log", int64_t{facts.op() == "LogSoftmax"});
  finish(facts, context, std::move(step), std::nullopt);
  return variant().name;
}

}  // namespace

PLANISH_LOWERINGS(softmax) {
  static constexpr Lowering kAll[] = {{"Softmax", &supports, &lower},
                                      {"LogSoftmax", &supports, &lower}};
  return kAll;
}

}  // namespace planish::backends::cpu
