// cpu.conv_f32, cpu.depthwise_f32, cpu.conv_transpose_f32 (with output_padding): inputs x, weights
// (packed constant [bytes]; depthwise: as ONNX has them), epilogue operands...; arguments tactic,
// group, channels (output), window, epilogue.
#include "kernels/conv/conv.h"

#include "backends/cpu/run/epilogue.h"
#include "backends/cpu/run/window.h"
#include "kernels/depthwise/depthwise.h"
#include "kernels/transposed/transposed.h"

namespace planish::backends::cpu {
namespace {

constexpr int64_t kManyChannels = int64_t{1} << 31;

kernels::ConvProblem make_problem(const runtime::StepContext& context,
                                  std::span<const int64_t> x,
                                  std::span<const int64_t> y) {
  const Window w = make_window(context, x, y);
  const Attributes& args = context.step().args;
  kernels::ConvProblem p;
  p.n = x[0];
  p.groups = args.get_int("group");
  p.ic = x[1];
  p.oc = y[1];
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
  require_dims(context, p.ic == args.get_int("in_channels") && p.oc == args.get_int("channels"),
               "channels do not fit the weights");
  return p;
}

// Number of input channels of one group's filter.
int64_t check_channels(const Checker& c) {
  const int64_t group = c.integer("group", 1, kManyChannels);
  const int64_t channels = c.integer("channels", 0, kManyChannels);
  const int64_t in_channels = c.integer("in_channels", 0, kManyChannels);
  if (channels % group != 0 || in_channels % group != 0)
    c.refuse("groups do not divide the channels");
  return in_channels / group;
}

size_t check_common(const Checker& c) {
  c.arity(2, 2 + kernels::kMaxEpilogue);
  const size_t rank = c.rank(c.input(0, DType::kFloat32), 3, 4);
  c.rank(c.output(0, DType::kFloat32), rank, rank);
  check_window(c, rank - 2);
  check_epilogue(c, 2);
  return rank - 2;
}

class ConvStep : public runtime::Step {
 public:
  explicit ConvStep(const plan::Step& step)
      : variant_(tactic(step, &kernels::find_conv, &kernels::machine_has)) {}

  static void check(const Checker& c) {
    check_common(c);
    if (kernels::find_conv(c.step().args.get_string("tactic")) == nullptr)
      c.refuse("unknown tactic");
    const int64_t ic = check_channels(c);
    Dims k = {ic};
    for (const int64_t d : c.step().args.get_ints("kernel_shape")) k.push_back(d);
    const int64_t channels = c.step().args.get_int("channels"),
                  groups = c.step().args.get_int("group");
    // Checked products: (channels rounded up per group) x k.
    const Dims whole = {groups, (channels / groups + kernels::kPanelRows - 1) / kernels::kPanelRows,
                        kernels::kPanelRows, element_count(k)};
    c.constant_bytes(c.input(1), byte_count(DType::kFloat32, element_count(whole)));
  }

  void prepare(runtime::StepContext& context) override {
    const runtime::SlotView x = context.input(0), y = context.output(0);
    args_.problem = make_problem(context, x.dims, y.dims);
    if (const char* why = variant_.supports(args_.problem)) refuse_dims(context, why);
    args_.x = x.as<const float>();
    args_.weights = context.input(1).as<const float>();
    args_.y = y.as<float>();
    args_.epilogue = make_epilogue(context, y.dims, 1, 2);
    args_.workspace =
        scratch_.floats(context, variant_.workspace_floats(args_.problem.k()) * context.workers());
  }
  Status run(runtime::StepContext&, int worker, int workers) noexcept override {
    return variant_.run(&args_, worker, workers);
  }

 private:
  const kernels::ConvVariant& variant_;
  kernels::ConvArgs args_;
  Scratch scratch_;
};

class DepthwiseStep : public runtime::Step {
 public:
  explicit DepthwiseStep(const plan::Step& step)
      : variant_(tactic(step, &kernels::find_depthwise, &kernels::machine_has)) {}

  static void check(const Checker& c) {
    const size_t spatial = check_common(c);
    if (kernels::find_depthwise(c.step().args.get_string("tactic")) == nullptr)
      c.refuse("unknown tactic");
    if (check_channels(c) != 1) c.refuse("more than one input channel per group");
    c.rank(c.input(1, DType::kFloat32), spatial + 2, spatial + 2);
  }

  void prepare(runtime::StepContext& context) override {
    const runtime::SlotView x = context.input(0), w = context.input(1), y = context.output(0);
    args_.problem = make_problem(context, x.dims, y.dims);
    const kernels::ConvProblem& p = args_.problem;
    if (const char* why = variant_.supports(p)) refuse_dims(context, why);
    require_dims(context, count(w.dims) == p.oc * p.kh * p.kw, "the weights do not fit the window");
    args_.x = x.as<const float>();
    args_.weights = w.as<const float>();
    args_.y = y.as<float>();
    args_.epilogue = make_epilogue(context, y.dims, 1, 2);
    const Dims workspace = {variant_.workspace_floats(p), context.workers()};
    args_.workspace = scratch_.floats(context, element_count(workspace));
  }
  Status run(runtime::StepContext&, int worker, int workers) noexcept override {
    return variant_.run(&args_, worker, workers);
  }

 private:
  const kernels::DepthwiseVariant& variant_;
  kernels::ConvArgs args_;
  Scratch scratch_;
};

// The sizes of a transposed convolution run the other way: output = (input - 1) * stride + extent +
// output_padding - pads.
class TransposedStep : public runtime::Step {
 public:
  explicit TransposedStep(const plan::Step& step)
      : variant_(tactic(step, &kernels::find_transposed, &kernels::machine_has)) {}

  static void check(const Checker& c) {
    const size_t spatial = check_common(c);
    const Attributes& args = c.step().args;
    if (kernels::find_transposed(args.get_string("tactic")) == nullptr) c.refuse("unknown tactic");
    if (args.has("auto_pad")) c.refuse("auto_pad of a transposed convolution");
    c.integers("output_padding", spatial, 0, kManyChannels);
    const int64_t ic = check_channels(c);
    const int64_t groups = args.get_int("group"), channels = args.get_int("channels");
    Dims rows = {channels / groups};
    for (const int64_t d : args.get_ints("kernel_shape")) rows.push_back(d);
    const int64_t panels = (element_count(rows) + kernels::kPanelRows - 1) / kernels::kPanelRows;
    const Dims whole = {groups, panels, kernels::kPanelRows, ic};
    c.constant_bytes(c.input(1), byte_count(DType::kFloat32, element_count(whole)));
  }

  void prepare(runtime::StepContext& context) override {
    const Attributes& args = context.step().args;
    const runtime::SlotView x = context.input(0), y = context.output(0);
    kernels::ConvProblem& p = args_.problem;
    p = {};
    p.n = x.dims[0];
    p.groups = args.get_int("group");
    p.ic = x.dims[1];
    p.oc = y.dims[1];
    require_dims(
        context,
        p.n == y.dims[0] && p.ic == args.get_int("in_channels") && p.oc == args.get_int("channels"),
        "channels do not fit the weights");
    const size_t spatial = x.dims.size() - 2;
    for (size_t i = 0; i < spatial; ++i) {
      const int64_t kernel = args.get_ints("kernel_shape")[i], stride = args.get_ints("strides")[i];
      const int64_t dilation = args.get_ints("dilations")[i], begin = args.get_ints("pads")[i];
      const int64_t end = args.get_ints("pads")[spatial + i];
      const int64_t in = x.dims[2 + i], out = y.dims[2 + i];
      require_dims(context, in < (int64_t{1} << 31), "a spatial dim of 2^31 or more");
      require_dims(context,
                   out == (in - 1) * stride + (kernel - 1) * dilation + 1 +
                              args.get_ints("output_padding")[i] - begin - end,
                   "the output's size does not follow from the window");
      const bool height = spatial == 2 && i == 0;
      (height ? p.kh : p.kw) = kernel;
      (height ? p.sh : p.sw) = stride;
      (height ? p.dh : p.dw) = dilation;
      (height ? p.ih : p.iw) = in;
      (height ? p.oh : p.ow) = out;
      (height ? p.pad_top : p.pad_left) = begin;
    }
    if (const char* why = variant_.supports(p)) refuse_dims(context, why);
    args_.x = x.as<const float>();
    args_.weights = context.input(1).as<const float>();
    args_.y = y.as<float>();
    args_.epilogue = make_epilogue(context, y.dims, 1, 2);
    const Dims workspace = {variant_.workspace_floats(p), context.workers()};
    args_.workspace = scratch_.floats(context, element_count(workspace));
  }
  Status run(runtime::StepContext&, int worker, int workers) noexcept override {
    return variant_.run(&args_, worker, workers);
  }

 private:
  const kernels::TransposedVariant& variant_;
  kernels::ConvArgs args_;
  Scratch scratch_;
};

}  // namespace

void register_conv(runtime::Registry& registry) {
  registry.add(step_kernel<ConvStep>("cpu.conv_f32"));
  registry.add(step_kernel<DepthwiseStep>("cpu.depthwise_f32"));
  registry.add(step_kernel<TransposedStep>("cpu.conv_transpose_f32"));
}

}  // namespace planish::backends::cpu
