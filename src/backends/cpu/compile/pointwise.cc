// Elementwise operators: float32 through the vector kernels, integers, comparisons and logic
// through plain ones.
#include "backends/cpu/compile/fuse.h"
#include "kernels/pointwise/broadcast.h"
#include "kernels/pointwise/convert.h"

namespace planish::backends::cpu {
namespace {

constexpr size_t kRank = kernels::kMaxRank;

Support few_dims(const Facts& facts) {
  return facts.output_shape().size() <= kRank ? Support::yes() : Support::no("more than 8 dims");
}

// --- one operand, float32

Support supports_unary(const Facts& facts) {
  // Clip's bounds: constants only.
  for (size_t i = 1; i < facts.inputs(); ++i) {
    if (facts.has_input(i) && !facts.scalar(i))
      return Support::no("its bounds are not constant float32");
  }
  return all_float32(facts);
}

std::string lower_unary(const Facts& facts, LowerContext& context) {
  const UnarySpec spec =
      unary_of(facts.op(), facts.attributes(), facts.scalar(1), facts.scalar(2)).value();
  plan::Step step = make_step(facts, context, "cpu.unary_f32", 1);
  step.args.set("op", std::string(to_string(spec.op)));
  step.args.set("p0", spec.p0);
  step.args.set("p1", spec.p1);
  finish(facts, context, std::move(step), std::nullopt);
  return kernels::best_pointwise().name;
}

// --- two operands

// Integer forms and comparisons; empty when there is none.
std::string_view scalar_name(std::string_view op) {
  struct Name {
    std::string_view op, name;
  };
  constexpr Name kNames[] = {{"Add", "add"},         {"Sub", "sub"},
                             {"Mul", "mul"},         {"Min", "min"},
                             {"Max", "max"},         {"Equal", "equal"},
                             {"Less", "less"},       {"LessOrEqual", "less_or_equal"},
                             {"Greater", "greater"}, {"GreaterOrEqual", "greater_or_equal"},
                             {"And", "and"},         {"Or", "or"},
                             {"Xor", "xor"}};
  for (const Name& n : kNames) {
    if (n.op == op) return n.name;
  }
  return {};
}

bool arithmetic(std::string_view op) {
  return op == "Add" || op == "Sub" || op == "Mul" || op == "Min" || op == "Max";
}

Support supports_binary(const Facts& facts) {
  if (facts.inputs() != 2)
    return Support::no(fmt::format("{} operands; the cpu kernels take 2", facts.inputs()));
  if (Support s = few_dims(facts); !s.supported) return s;
  const DType type = facts.dtype(0);
  if (facts.dtype(1) != type) return Support::no("operands of two types");
  if (type == DType::kFloat32) return Support::yes();
  const bool whole = type == DType::kInt32 || type == DType::kInt64;
  if (arithmetic(facts.op()) && whole) return Support::yes();
  const bool logic = facts.op() == "And" || facts.op() == "Or" || facts.op() == "Xor";
  if (type == DType::kBool && (logic || facts.op() == "Equal")) return Support::yes();
  if (!logic && !scalar_name(facts.op()).empty() && !arithmetic(facts.op()) && whole)
    return Support::yes();
  return no_dtype(type);
}

std::string lower_binary(const Facts& facts, LowerContext& context) {
  if (facts.dtype(0) == DType::kFloat32 && binary_of(facts.op())) {
    plan::Step step = make_step(facts, context, "cpu.binary_f32", 2);
    step.args.set("op", std::string(to_string(*binary_of(facts.op()))));
    finish(facts, context, std::move(step), Groups{0, 0});
    return kernels::best_pointwise().name;
  }
  plan::Step step = make_step(facts, context, "cpu.scalar", 2);
  step.args.set("op", std::string(scalar_name(facts.op())));
  context.add_step(std::move(step));
  return "scalar";
}

// --- others

Support supports_not(const Facts& facts) { return few_dims(facts); }

// not x = x xor true
std::string lower_not(const Facts& facts, LowerContext& context) {
  plan::Step step = make_step(facts, context, "cpu.scalar", 1);
  step.inputs.push_back(context.constant(facts.node().name + "_true", Tensor::scalar(true), ""));
  step.args.set("op", std::string("xor"));
  context.add_step(std::move(step));
  return "scalar";
}

Support supports_where(const Facts& facts) {
  const int bits = bit_width(facts.dtype(1));
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return no_dtype(facts.dtype(1));
  return few_dims(facts);
}

std::string lower_where(const Facts& facts, LowerContext& context) {
  finish(facts, context, make_step(facts, context, "cpu.where", 3), std::nullopt);
  return "where";
}

Support supports_cast(const Facts& facts) {
  const DType from = facts.dtype(0), to = facts.output().type.dtype;
  if (kernels::cast_supported(from, to)) return Support::yes();
  return Support::no(
      fmt::format("a cast from {} to {} has no cpu kernel", to_string(from), to_string(to)));
}

std::string lower_cast(const Facts& facts, LowerContext& context) {
  finish(facts, context, make_step(facts, context, "cpu.cast", 1), std::nullopt);
  return "cast";
}

}  // namespace

PLANISH_LOWERINGS(pointwise) {
  static const std::vector<Lowering> all = [] {
    std::vector<Lowering> list;
    for (const char* op : {"Relu",      "LeakyRelu",  "ThresholdedRelu",
                           "Clip",      "Sigmoid",    "HardSigmoid",
                           "HardSwish", "Swish",      "Tanh",
                           "Exp",       "Erf",        "Gelu",
                           "Elu",       "Selu",       "Celu",
                           "Softsign",  "Softplus",   "Mish",
                           "Sqrt",      "Reciprocal", "Neg",
                           "Abs",       "Floor",      "Ceil",
                           "Round",     "Sign",       "Log",
                           "Sin",       "Cos"}) {
      list.push_back({op, &supports_unary, &lower_unary});
    }
    for (const char* op :
         {"Add", "Sub", "Mul", "Div", "Min", "Max", "Pow", "PRelu", "Equal", "Less", "LessOrEqual",
          "Greater", "GreaterOrEqual", "And", "Or", "Xor"}) {
      list.push_back({op, &supports_binary, &lower_binary});
    }
    list.push_back({"Not", &supports_not, &lower_not});
    list.push_back({"Where", &supports_where, &lower_where});
    list.push_back({"Cast", &supports_cast, &lower_cast});
    return list;
  }();
  return all;
}

}  // namespace planish::backends::cpu
