// cpu.softmax_f32: input x; arguments tactic, axis (not negative), log (0 or 1).
#include "kernels/softmax/softmax.h"

#include <algorithm>

#include "backends/cpu/run/check.h"

namespace planish::backends::cpu {
namespace {

class SoftmaxStep : public runtime::Step {
 public:
  explicit SoftmaxStep(const plan::Step& step)
      : variant_(tactic(step, &kernels::find_softmax, &kernels::machine_has)) {}

  static void check(const Checker& c) {
    c.arity(1, 1);
    if (kernels::find_softmax(c.step().args.get_string("tactic")) == nullptr)
      c.refuse("unknown tactic");
    const size_t rank = c.rank(c.input(0, DType::kFloat32), 1, 64);
    c.rank(c.output(0, DType::kFloat32), rank, rank);
    c.integer("axis", 0, static_cast<int64_t>(rank) - 1);
    c.integer("log", 0, 1);
  }

  void prepare(runtime::StepContext& context) override {
    const runtime::SlotView x = context.input(0), y = context.output(0);
    require_dims(context, std::ranges::equal(x.dims, y.dims), "input and output differ in shape");
    const auto axis = static_cast<size_t>(context.step().args.get_int("axis"));
    args_.problem = {count(x.dims.first(axis)), x.dims[axis], count(x.dims.subspan(axis + 1)),
                     context.step().args.get_int("log") == 1};
    if (const char* why = variant_.supports(args_.problem)) refuse_dims(context, why);
    args_.x = x.as<const float>();
    args_.y = y.as<float>();
  }
  Status run(runtime::StepContext&, int worker, int workers) noexcept override {
    return variant_.run(&args_, worker, workers);
  }

 private:
  const kernels::SoftmaxVariant& variant_;
  kernels::SoftmaxArgs args_;
};

}  // namespace

void register_softmax(runtime::Registry& registry) {
  registry.add(step_kernel<SoftmaxStep>("cpu.softmax_f32"));
}

}  // namespace planish::backends::cpu
