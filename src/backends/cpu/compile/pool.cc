// MaxPool and AveragePool over one or two spatial dims. (Global pools: reduce.cc.)
#include "kernels/pool/pool.h"

#include "backends/cpu/compile/fuse.h"
#include "backends/cpu/compile/spatial.h"

namespace planish::backends::cpu {
namespace {

const kernels::PoolVariant& variant() {
  return *kernels::best_variant(kernels::pool_variants(), kernels::PoolProblem{});
}

Support supports(const Facts& facts) {
  if (facts.outputs() > 1) return Support::no("its output Indices has no cpu kernel");
  if (Support s = all_float32(facts); !s.supported) return s;
  if (facts.rank(0) < 3 || facts.rank(0) > 4) {
    return Support::no(
        fmt::format("{} spatial dims; the cpu kernels take 1 or 2", facts.rank(0) - 2));
  }
  const WindowSpec w = read_window(facts, facts.attributes().get_ints("kernel_shape"));
  if (static_cast<int64_t>(w.kernel.size()) != facts.rank(0) - 2)
    return Support::no("kernel_shape is of another rank");
  if (const char* why = window_problem(w)) return Support::no(why);
  for (const int64_t p : w.pads) {
    if (p < 0) return Support::no("negative padding");
  }
  return Support::yes();
}

std::string lower(const Facts& facts, LowerContext& context) {
  plan::Step step = make_step(facts, context, "cpu.pool_f32", 1);
  step.args.set("tactic", std::string(variant().name));
  step.args.set("kind", std::string(facts.op() == "MaxPool" ? "max" : "average"));
  step.args.set("ceil_mode", int64_t{facts.attributes().get_int("ceil_mode", 0) != 0});
  step.args.set("count_include_pad",
                int64_t{facts.attributes().get_int("count_include_pad", 0) != 0});
  set_window(step, read_window(facts, facts.attributes().get_ints("kernel_shape")));
  finish(facts, context, std::move(step), std::nullopt);
  return variant().name;
}

}  // namespace

PLANISH_LOWERINGS(pool) {
  static constexpr Lowering kAll[] = {{"MaxPool", &supports, &lower},
                                      {"AveragePool", &supports, &lower}};
  return kAll;
}

}  // namespace planish::backends::cpu
