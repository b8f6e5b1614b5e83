// cpu.reduce_f32      x                              op, axis, count: reduces dims [axis, axis +
// count) cpu.batch_norm_f32  x, scale, bias, mean, variance epsilon cpu.layer_norm_f32  x, scale,
// bias?                axis, epsilon; outputs y, mean?, inverse_std?
// cpu.instance_norm_f32  x, scale, bias           epsilon
//
// All with `tactic`.
#include "kernels/norm/norm.h"

#include <algorithm>

#include "backends/cpu/run/check.h"

namespace planish::backends::cpu {
namespace {

constexpr std::string_view kReduceNames[] = {"sum", "mean", "max", "min", "sum_square", "l1", "l2"};

kernels::ReduceOp parse_reduce(std::string_view name) {
  return static_cast<kernels::ReduceOp>(std::ranges::find(kReduceNames, name) -
                                        std::begin(kReduceNames));
}

void check_tactic(const Checker& c) {
  if (kernels::find_norm(c.step().args.get_string("tactic")) == nullptr) c.refuse("unknown tactic");
}

// Holds the family's functions; the derived steps choose one.
class NormStep : public runtime::Step {
 public:
  explicit NormStep(const plan::Step& step)
      : variant_(tactic(step, &kernels::find_norm, &kernels::machine_has)) {}

 protected:
  const kernels::NormVariant& variant_;
};

class ReduceStep : public NormStep {
 public:
  using NormStep::NormStep;
  static void check(const Checker& c) {
    check_tactic(c);
    c.arity(1, 1);
    const auto rank = static_cast<int64_t>(c.rank(c.input(0, DType::kFloat32), 0, 64));
    c.output(0, DType::kFloat32);
    if (parse_reduce(c.step().args.get_string("op")) == kernels::ReduceOp::kCount)
      c.refuse("unknown reduction");
    const int64_t axis = c.integer("axis", 0, rank);
    c.integer("count", 0, rank - axis);
  }
  void prepare(runtime::StepContext& context) override {
    const Attributes& args = context.step().args;
    const runtime::SlotView x = context.input(0), y = context.output(0);
    const auto axis = static_cast<size_t>(args.get_int("axis")),
               n = static_cast<size_t>(args.get_int("count"));
    args_ = {parse_reduce(args.get_string("op")),
             count(x.dims.first(axis)),
             count(x.dims.subspan(axis, n)),
             count(x.dims.subspan(axis + n)),
             x.as<const float>(),
             y.as<float>()};
    count(x.dims);
    require_dims(context, count(y.dims) == args_.outer * args_.inner,
                 "the output does not fit the reduction");
  }
  Status run(runtime::StepContext&, int worker, int workers) noexcept override {
    return variant_.reduce(&args_, worker, workers);
  }

 private:
  kernels::ReduceArgs args_;
};

class BatchNormStep : public NormStep {
 public:
  using NormStep::NormStep;
  static void check(const Checker& c) {
    check_tactic(c);
    c.arity(5, 5);
    const size_t rank = c.rank(c.input(0, DType::kFloat32), 2, 64);
    for (size_t i = 1; i < 5; ++i) c.rank(c.input(i, DType::kFloat32), 1, 1);
    c.rank(c.output(0, DType::kFloat32), rank, rank);
    c.real("epsilon");
  }
  void prepare(runtime::StepContext& context) override {
    const runtime::SlotView x = context.input(0), y = context.output(0);
    require_dims(context, std::ranges::equal(x.dims, y.dims), "input and output differ in shape");
    const int64_t channels = x.dims[1];
    for (size_t i = 1; i < 5; ++i) {
      require_dims(context, context.input(i).dims[0] == channels,
                   "a parameter does not fit the channels");
    }
    count(x.dims);
    args_ = {x.dims[0],
             channels,
             count(x.dims.subspan(2)),
             context.step().args.get_float("epsilon"),
             x.as<const float>(),
             context.input(1).as<const float>(),
             context.input(2).as<const float>(),
             context.input(3).as<const float>(),
             context.input(4).as<const float>(),
             y.as<float>()};
  }
  Status run(runtime::StepContext&, int worker, int workers) noexcept override {
    return variant_.batch_norm(&args_, worker, workers);
  }

 private:
  kernels::BatchNormArgs args_;
};

class LayerNormStep : public NormStep {
 public:
  using NormStep::NormStep;
  static void check(const Checker& c) {
    check_tactic(c);
    c.arity(2, 3, 1, 3);
    const size_t rank = c.rank(c.input(0, DType::kFloat32), 1, 64);
    c.input(1, DType::kFloat32);
    if (c.has_input(2)) c.input(2, DType::kFloat32);
    c.rank(c.output(0, DType::kFloat32), rank, rank);
    for (size_t i = 1; i < 3; ++i) {
      if (c.has_output(i)) c.output(i, DType::kFloat32);
    }
    c.integer("axis", 0, static_cast<int64_t>(rank) - 1);
    c.real("epsilon");
  }
  void prepare(runtime::StepContext& context) override {
    const Attributes& args = context.step().args;
    const runtime::SlotView x = context.input(0), y = context.output(0);
    require_dims(context, std::ranges::equal(x.dims, y.dims), "input and output differ in shape");
    const auto axis = static_cast<size_t>(args.get_int("axis"));
    count(x.dims);
    args_ = {};
    args_.rows = count(x.dims.first(axis));
    args_.width = count(x.dims.subspan(axis));
    args_.epsilon = args.get_float("epsilon");
    args_.x = x.as<const float>();
    args_.scale = parameter(context, 1);
    args_.bias = context.has_input(2) ? parameter(context, 2) : nullptr;
    args_.y = y.as<float>();
    args_.mean = statistic(context, 1);
    args_.inverse_std = statistic(context, 2);
  }
  Status run(runtime::StepContext&, int worker, int workers) noexcept override {
    return variant_.layer_norm(&args_, worker, workers);
  }

 private:
  const float* parameter(const runtime::StepContext& context, size_t i) const {
    const runtime::SlotView view = context.input(i);
    require_dims(context, count(view.dims) == args_.width,
                 "a parameter does not fit the normalised dims");
    return view.as<const float>();
  }
  float* statistic(const runtime::StepContext& context, size_t i) const {
    if (i >= context.step().outputs.size() || !context.has_output(i)) return nullptr;
    const runtime::SlotView view = context.output(i);
    require_dims(context, count(view.dims) == args_.rows,
                 "a statistic does not have one element a row");
    return view.as<float>();
  }

  kernels::LayerNormArgs args_;
};

class InstanceNormStep : public NormStep {
 public:
  using NormStep::NormStep;
  static void check(const Checker& c) {
    check_tactic(c);
    c.arity(3, 3);
    const size_t rank = c.rank(c.input(0, DType::kFloat32), 3, 64);
    c.rank(c.input(1, DType::kFloat32), 1, 1);
    c.rank(c.input(2, DType::kFloat32), 1, 1);
    c.rank(c.output(0, DType::kFloat32), rank, rank);
    c.real("epsilon");
  }
  void prepare(runtime::StepContext& context) override {
    const runtime::SlotView x = context.input(0), y = context.output(0);
    require_dims(context, std::ranges::equal(x.dims, y.dims), "input and output differ in shape");
    const int64_t channels = x.dims[1];
    require_dims(context,
                 context.input(1).dims[0] == channels && context.input(2).dims[0] == channels,
                 "a parameter does not fit the channels");
    count(x.dims);
    args_ = {};
    args_.rows = x.dims[0] * channels;
    args_.width = count(x.dims.subspan(2));
    args_.channels = channels;
    args_.epsilon = context.step().args.get_float("epsilon");
    args_.x = x.as<const float>();
    args_.scale = context.input(1).as<const float>();
    args_.bias = context.input(2).as<const float>();
    args_.y = y.as<float>();
  }
  Status run(runtime::StepContext&, int worker, int workers) noexcept override {
    return variant_.layer_norm(&args_, worker, workers);
  }

 private:
  kernels::LayerNormArgs args_;
};

}  // namespace

void register_norm(runtime::Registry& registry) {
  registry.add(step_kernel<ReduceStep>("cpu.reduce_f32"));
  registry.add(step_kernel<BatchNormStep>("cpu.batch_norm_f32"));
  registry.add(step_kernel<LayerNormStep>("cpu.layer_norm_f32"));
  registry.add(step_kernel<InstanceNormStep>("cpu.instance_norm_f32"));
}

}  // namespace planish::backends::cpu
