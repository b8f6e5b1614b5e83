// cpu.pool_f32: input x [N, C, spatial...]; arguments tactic, kind ("max" or "average"), window,
// ceil_mode, count_include_pad.
#include "kernels/pool/pool.h"

#include "backends/cpu/run/window.h"

namespace planish::backends::cpu {
namespace {

class PoolStep : public runtime::Step {
 public:
  explicit PoolStep(const plan::Step& step)
      : variant_(tactic(step, &kernels::find_pool, &kernels::machine_has)) {}

  static void check(const Checker& c) {
    c.arity(1, 1);
    if (kernels::find_pool(c.step().args.get_string("tactic")) == nullptr)
      c.refuse("unknown tactic");
    const size_t rank = c.rank(c.input(0, DType::kFloat32), 3, 4);
    c.rank(c.output(0, DType::kFloat32), rank, rank);
    check_window(c, rank - 2);
    c.integers("pads", 2 * (rank - 2), 0, (int64_t{1} << 28) - 1);
    const std::string& kind = c.step().args.get_string("kind");
    if (kind != "max" && kind != "average")
      c.refuse(fmt::format("unknown kind of pool '{}'", kind));
    c.integer("ceil_mode", 0, 1);
    c.integer("count_include_pad", 0, 1);
  }

  void prepare(runtime::StepContext& context) override {
    const Attributes& args = context.step().args;
    const runtime::SlotView x = context.input(0), y = context.output(0);
    const Window w = make_window(context, x.dims, y.dims, args.get_int("ceil_mode") == 1);
    require_dims(context, x.dims[1] == y.dims[1], "input and output differ in channels");
    kernels::PoolProblem& p = args_.problem;
    p.kind =
        args.get_string("kind") == "max" ? kernels::PoolKind::kMax : kernels::PoolKind::kAverage;
    p.planes = x.dims[0] * x.dims[1];
    p.ih = w.input[0];
    p.iw = w.input[1];
    p.oh = w.output[0];
    p.ow = w.output[1];
    p.kh = w.kernel[0];
    p.kw = w.kernel[1];
    p.sh = w.stride[0];
    p.sw = w.stride[1];
    p.dh = w.dilation[0];
    p.dw = w.dilation[1];
    p.pad_top = w.begin[0];
    p.pad_left = w.begin[1];
    p.pad_bottom = w.end[0];
    p.pad_right = w.end[1];
    p.count_include_pad = args.get_int("count_include_pad") == 1;
    if (const char* why = variant_.supports(p)) refuse_dims(context, why);
    args_.x = x.as<const float>();
    args_.y = y.as<float>();
    args_.workspace = scratch_.floats(context, variant_.workspace_floats(p) * context.workers());
  }
  Status run(runtime::StepContext&, int worker, int workers) noexcept override {
    return variant_.run(&args_, worker, workers);
  }

 private:
  const kernels::PoolVariant& variant_;
  kernels::PoolArgs args_;
  Scratch scratch_;
};

}  // namespace

void register_pool(runtime::Registry& registry) {
  registry.add(step_kernel<PoolStep>("cpu.pool_f32"));
}

}  // namespace planish::backends::cpu
