// Elementwise steps. All operands broadcast to the output.
//
//   cpu.unary_f32    x                  op, p0, p1 (kernels/pointwise)
//   cpu.binary_f32   a, b               op, epilogue...
//   cpu.scalar       a, b               op: "add", ..., on int32, int64, float32 or bool
//   cpu.where        condition, a, b
//   cpu.cast         x                  types from the slots
#include "kernels/pointwise/pointwise.h"

#include <array>

#include "backends/cpu/run/epilogue.h"
#include "kernels/pointwise/broadcast.h"
#include "kernels/pointwise/convert.h"

namespace planish::backends::cpu {
namespace {

using kernels::BroadcastIndex;

BroadcastIndex make_index(const runtime::StepContext& context, size_t operands) {
  std::array<std::span<const int64_t>, kernels::kMaxOperands> shapes;
  // The views' dims stay valid until the next bind.
  for (size_t i = 0; i < operands; ++i) shapes[i] = context.input(i).dims;
  BroadcastIndex index;
  const runtime::SlotView y = context.output(0);
  count(y.dims);
  require_dims(context, kernels::make_index(y.dims, std::span(shapes).first(operands), index),
               "an operand does not broadcast to the output in at most 8 dims");
  return index;
}

class UnaryStep : public KernelStep<kernels::UnaryArgs, &kernels::unary_f32> {
 public:
  explicit UnaryStep(const plan::Step&) {}
  static void check(const Checker& c) {
    c.arity(1, 1);
    c.input(0, DType::kFloat32);
    c.output(0, DType::kFloat32);
    if (!kernels::parse_unary(c.step().args.get_string("op"))) c.refuse("unknown unary operator");
    c.real("p0");
    c.real("p1");
  }
  void prepare(runtime::StepContext& context) override {
    const Attributes& args = context.step().args;
    const runtime::SlotView x = context.input(0), y = context.output(0);
    require_dims(context, count(x.dims) == count(y.dims), "input and output differ in size");
    args_ = {*kernels::parse_unary(args.get_string("op")),
             args.get_float("p0"),
             args.get_float("p1"),
             count(y.dims),
             x.as<const float>(),
             y.as<float>(),
             &kernels::best_pointwise()};
  }
};

class BinaryStep : public KernelStep<kernels::BinaryArgs, &kernels::binary_f32> {
 public:
  explicit BinaryStep(const plan::Step&) {}
  static void check(const Checker& c) {
    c.arity(2, 2 + kernels::kMaxEpilogue);
    c.input(0, DType::kFloat32);
    c.input(1, DType::kFloat32);
    c.output(0, DType::kFloat32);
    check_epilogue(c, 2);
    if (!kernels::parse_binary(c.step().args.get_string("op"))) c.refuse("unknown binary operator");
  }
  void prepare(runtime::StepContext& context) override {
    args_ = {*kernels::parse_binary(context.step().args.get_string("op")),
             make_index(context, 2),
             context.input(0).as<const float>(),
             context.input(1).as<const float>(),
             context.output(0).as<float>(),
             &kernels::best_pointwise(),
             make_epilogue(context, context.output(0).dims, 0, 0)};
  }
};

constexpr std::string_view kScalarNames[] = {"add",     "sub",
                                             "mul",     "min",
                                             "max",     "equal",
                                             "less",    "less_or_equal",
                                             "greater", "greater_or_equal",
                                             "and",     "or",
                                             "xor"};

std::optional<kernels::ScalarOp> parse_scalar(std::string_view name) {
  for (size_t i = 0; i < std::size(kScalarNames); ++i) {
    if (kScalarNames[i] == name) return static_cast<kernels::ScalarOp>(i);
  }
  return std::nullopt;
}

std::optional<kernels::ScalarType> scalar_type(DType type) {
  switch (type) {
    case DType::kFloat32:
      return kernels::ScalarType::kF32;
    case DType::kInt32:
      return kernels::ScalarType::kI32;
    case DType::kInt64:
      return kernels::ScalarType::kI64;
    case DType::kBool:
      return kernels::ScalarType::kBool;
    default:
      return std::nullopt;
  }
}

class ScalarStep : public KernelStep<kernels::ScalarArgs, &kernels::scalar_binary> {
 public:
  explicit ScalarStep(const plan::Step&) {}
  static void check(const Checker& c) {
    c.arity(2, 2);
    const DType type = c.input(0).dtype;
    c.input(1, type);
    const auto op = parse_scalar(c.step().args.get_string("op"));
    const auto kind = scalar_type(type);
    if (!op || !kind || !kernels::scalar_supported(*op, *kind)) {
      c.refuse(
          fmt::format("no operator '{}' on {}", c.step().args.get_string("op"), to_string(type)));
    }
    c.output(0, *op >= kernels::ScalarOp::kEqual ? DType::kBool : type);
  }
  void prepare(runtime::StepContext& context) override {
    args_ = {*parse_scalar(context.step().args.get_string("op")),
             *scalar_type(context.input(0).dtype),
             make_index(context, 2),
             context.input(0).data,
             context.input(1).data,
             context.output(0).data};
  }
};

class WhereStep : public KernelStep<kernels::WhereArgs, &kernels::where> {
 public:
  explicit WhereStep(const plan::Step&) {}
  static void check(const Checker& c) {
    c.arity(3, 3);
    c.input(0, DType::kBool);
    const DType type = c.input(1).dtype;
    c.input(2, type);
    c.output(0, type);
    const int bits = bit_width(type);
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
      c.refuse("elements of 1, 2, 4 or 8 bytes only");
  }
  void prepare(runtime::StepContext& context) override {
    args_ = {make_index(context, 3),
             bit_width(context.output(0).dtype) / 8,
             context.input(0).as<const uint8_t>(),
             context.input(1).data,
             context.input(2).data,
             context.output(0).data};
  }
};

class CastStep : public KernelStep<kernels::CastArgs, &kernels::cast> {
 public:
  explicit CastStep(const plan::Step&) {}
  static void check(const Checker& c) {
    c.arity(1, 1);
    if (!kernels::cast_supported(c.input(0).dtype, c.output(0).dtype)) {
      c.refuse(fmt::format("no cast from {} to {}", to_string(c.input(0).dtype),
                           to_string(c.output(0).dtype)));
    }
  }
  void prepare(runtime::StepContext& context) override {
    const runtime::SlotView x = context.input(0), y = context.output(0);
    require_dims(context, count(x.dims) == count(y.dims), "input and output differ in size");
    args_ = {x.dtype, y.dtype, count(y.dims), x.data, y.data};
  }
};

}  // namespace

void register_pointwise(runtime::Registry& registry) {
  registry.add(step_kernel<UnaryStep>("cpu.unary_f32"));
  registry.add(step_kernel<BinaryStep>("cpu.binary_f32"));
  registry.add(step_kernel<ScalarStep>("cpu.scalar"));
  registry.add(step_kernel<WhereStep>("cpu.where"));
  registry.add(step_kernel<CastStep>("cpu.cast"));
}

}  // namespace planish::backends::cpu
