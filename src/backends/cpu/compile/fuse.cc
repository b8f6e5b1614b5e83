#include "backends/cpu/compile/fuse.h"

#include <array>
#include <limits>

#include "kernels/pointwise/broadcast.h"

namespace planish::backends::cpu {
namespace {

using kernels::Binary;
using kernels::Unary;

struct NamedUnary {
  std::string_view op;
  Unary unary;
};
// Operators without parameters.
constexpr NamedUnary kPlain[] = {{"Relu", Unary::kRelu},
                                 {"Sigmoid", Unary::kSigmoid},
                                 {"HardSwish", Unary::kHardSwish},
                                 {"Tanh", Unary::kTanh},
                                 {"Exp", Unary::kExp},
                                 {"Erf", Unary::kErf},
                                 {"Sqrt", Unary::kSqrt},
                                 {"Reciprocal", Unary::kReciprocal},
                                 {"Neg", Unary::kNeg},
                                 {"Abs", Unary::kAbs},
                                 {"Floor", Unary::kFloor},
                                 {"Ceil", Unary::kCeil},
                                 {"Round", Unary::kRound},
                                 {"Sign", Unary::kSign},
                                 {"Log", Unary::kLog},
                                 {"Mish", Unary::kMish},
                                 {"Softplus", Unary::kSoftplus},
                                 {"Softsign", Unary::kSoftsign},
                                 {"Sin", Unary::kSin},
                                 {"Cos", Unary::kCos}};

struct NamedBinary {
  std::string_view op;
  Binary binary;
};
constexpr NamedBinary kBinaries[] = {
    {"Add", Binary::kAdd}, {"Sub", Binary::kSub}, {"Mul", Binary::kMul},     {"Div", Binary::kDiv},
    {"Min", Binary::kMin}, {"Max", Binary::kMax}, {"PRelu", Binary::kPRelu}, {"Pow", Binary::kPow}};

// Input `index` of the node (an epilogue's operand) as a constant float of one element.
std::optional<float> scalar_operand(const Facts& facts, const ir::EpilogueOp& op, size_t position) {
  if (position >= op.operands.size() || op.operands[position] < 0) return std::nullopt;
  const ir::ValueDef& value =
      facts.graph().value(facts.node().inputs[static_cast<size_t>(op.operands[position])]);
  if (!value.constant || value.constant->dtype() != DType::kFloat32 || value.constant->size() != 1)
    return std::nullopt;
  return value.constant->aligned().data<float>()[0];
}

bool given(const ir::EpilogueOp& op, size_t position) {
  return position < op.operands.size() && op.operands[position] != ir::EpilogueOp::kOmitted;
}

std::optional<UnarySpec> unary_epilogue(const Facts& facts, const ir::EpilogueOp& op) {
  if (op.operands.empty() || op.operands[0] != ir::EpilogueOp::kFlow) return std::nullopt;
  const std::optional<float> low = scalar_operand(facts, op, 1),
                             high = scalar_operand(facts, op, 2);
  for (size_t i = 1; i < op.operands.size(); ++i) {
    // Only Clip has more operands, and only constant bounds are parameters.
    if (given(op, i) && (op.op != "Clip" || i > 2 || !(i == 1 ? low : high))) return std::nullopt;
  }
  return unary_of(op.op, op.attributes, low, high);
}

const ir::ValueDef& operand_value(const Facts& facts, const ir::EpilogueOp& op, size_t position) {
  return facts.graph().value(facts.node().inputs[static_cast<size_t>(op.operands[position])]);
}

// Position of the other operand of a binary operator; nothing when it is none.
std::optional<size_t> other_operand(const ir::EpilogueOp& op) {
  if (op.operands.size() != 2) return std::nullopt;
  for (const size_t flow : {size_t{0}, size_t{1}}) {
    if (op.operands[flow] == ir::EpilogueOp::kFlow && op.operands[1 - flow] >= 0) return 1 - flow;
  }
  return std::nullopt;
}

// Whether `operand` broadcasts to `output` in whole groups: each group of dims either equal or 1.
bool fits(const Shape& output, const Shape& operand, const Groups& groups) {
  if (operand.size() > output.size()) return false;
  const size_t missing = output.size() - operand.size();
  const size_t bounds[] = {0, groups.rows, groups.columns, output.size()};
  for (size_t g = 0; g < 3; ++g) {
    bool full = true, ones = true;
    for (size_t i = bounds[g]; i < bounds[g + 1]; ++i) {
      const SizeExpr dim = i < missing ? SizeExpr(1) : operand[i - missing];
      full = full && equal(dim, output[i]) == Tri::kYes;
      ones = ones && dim == SizeExpr(1);
    }
    if (!full && !ones) return false;
  }
  return true;
}

bool broadcasts(const Shape& output, const Shape& operand) {
  if (operand.size() > output.size()) return false;
  const size_t missing = output.size() - operand.size();
  for (size_t i = 0; i < operand.size(); ++i) {
    if (operand[i] != SizeExpr(1) && equal(operand[i], output[missing + i]) != Tri::kYes)
      return false;
  }
  return true;
}

void add_link(plan::Step& step, const Link& link) {
  Strings names = step.args.get_strings("epilogue");
  Floats p0 = step.args.get_floats("epilogue_p0"), p1 = step.args.get_floats("epilogue_p1");
  Ints operands = step.args.get_ints("epilogue_operand"),
       first = step.args.get_ints("epilogue_first"), row = step.args.get_ints("epilogue_row");
  names.emplace_back(link.binary ? to_string(link.op) : to_string(link.unary.op));
  p0.push_back(link.unary.p0);
  p1.push_back(link.unary.p1);
  first.push_back(link.flow_first ? 1 : 0);
  row.push_back(link.row ? 1 : 0);
  operands.push_back(-1);
  if (link.binary) {
    operands.back() = static_cast<int64_t>(step.inputs.size());
    step.inputs.push_back(link.operand);
  }
  step.args.set("epilogue", std::move(names));
  step.args.set("epilogue_p0", std::move(p0));
  step.args.set("epilogue_p1", std::move(p1));
  step.args.set("epilogue_operand", std::move(operands));
  step.args.set("epilogue_first", std::move(first));
  step.args.set("epilogue_row", std::move(row));
}

plan::Step link_step(const Link& link, uint32_t flow) {
  plan::Step step;
  if (!link.binary) {
    step.kernel = "cpu.unary_f32";
    step.inputs = {flow};
    step.args.set("op", std::string(to_string(link.unary.op)));
    step.args.set("p0", link.unary.p0);
    step.args.set("p1", link.unary.p1);
    return step;
  }
  step.kernel = "cpu.binary_f32";
  step.inputs = {link.flow_first ? flow : link.operand, link.flow_first ? link.operand : flow};
  step.args.set("op", std::string(to_string(link.op)));
  return step;
}

}  // namespace

std::optional<UnarySpec> unary_of(std::string_view op,
                                  const Attributes& attributes,
                                  std::optional<float> low,
                                  std::optional<float> high) {
  for (const NamedUnary& plain : kPlain) {
    if (plain.op == op) return UnarySpec{plain.unary, 0, 0};
  }
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (op == "Clip")
    return UnarySpec{Unary::kClip, low.value_or(-kInfinity), high.value_or(kInfinity)};
  if (op == "LeakyRelu")
    return UnarySpec{Unary::kLeakyRelu, attributes.get_float("alpha", 0.01f), 0};
  if (op == "ThresholdedRelu")
    return UnarySpec{Unary::kThresholdedRelu, attributes.get_float("alpha", 1.0f), 0};
  if (op == "HardSigmoid") {
    return UnarySpec{Unary::kHardSigmoid, attributes.get_float("alpha", 0.2f),
                     attributes.get_float("beta", 0.5f)};
  }
  if (op == "Elu") return UnarySpec{Unary::kElu, attributes.get_float("alpha", 1.0f), 0};
  if (op == "Celu") return UnarySpec{Unary::kCelu, attributes.get_float("alpha", 1.0f), 0};
  if (op == "Selu") {
    return UnarySpec{Unary::kSelu, attributes.get_float("alpha", 1.67326319217681884765625f),
                     attributes.get_float("gamma", 1.05070102214813232421875f)};
  }
  if (op == "Swish") return UnarySpec{Unary::kSwish, attributes.get_float("alpha", 1.0f), 0};
  if (op == "Gelu") {
    return UnarySpec{
        attributes.get_string("approximate", "none") == "tanh" ? Unary::kGeluTanh : Unary::kGelu, 0,
        0};
  }
  return std::nullopt;
}

std::optional<Binary> binary_of(std::string_view op) {
  for (const NamedBinary& named : kBinaries) {
    if (named.op == op) return named.binary;
  }
  return std::nullopt;
}

Support supports_epilogue_op(const Facts& facts, const ir::EpilogueOp& op) {
  if (!op.domain.empty() || facts.output().type.dtype != DType::kFloat32 ||
      !facts.output().type.has_shape()) {
    return Support::no("epilogues are on float32 of known rank");
  }
  if (unary_epilogue(facts, op)) return Support::yes();
  const std::optional<size_t> other = other_operand(op);
  if (!other || !binary_of(op.op))
    return Support::no("the epilogue " + op.op + " has no cpu kernel");
  const ir::ValueDef& value = operand_value(facts, op, *other);
  if (value.type.dtype != DType::kFloat32 || !value.type.has_shape()) {
    return Support::no("an operand of the epilogue " + op.op + " is not float32 of known rank");
  }
  if (facts.output_shape().size() > static_cast<size_t>(kernels::kMaxRank) ||
      !broadcasts(facts.output_shape(), value.type.shape.value())) {
    return Support::no("an operand of the epilogue " + op.op + " may not broadcast to the output");
  }
  return Support::yes();
}

void finish(const Facts& facts,
            LowerContext& context,
            plan::Step step,
            std::optional<Groups> groups,
            std::vector<Link> own) {
  size_t room = groups ? static_cast<size_t>(kernels::kMaxEpilogue) : 0;
  if (own.size() > room)
    fail(ErrorCode::kInternal, "node '{}' has {} links of its own", facts.node().name, own.size());
  for (const Link& link : own) add_link(step, link);
  room -= own.size();
  std::vector<Link> apart;
  for (const ir::EpilogueOp& op : facts.node().epilogue) {
    Link link;
    bool fused = groups && room > 0 && apart.empty();
    if (const std::optional<UnarySpec> unary = unary_epilogue(facts, op)) {
      link.unary = *unary;
    } else {
      const size_t other = other_operand(op).value();
      link.binary = true;
      link.op = binary_of(op.op).value();
      link.flow_first = other == 1;
      const auto index = static_cast<size_t>(op.operands[other]);
      link.operand = context.slot(facts.node().inputs[index]);
      fused = fused && fits(facts.output_shape(),
                            *facts.graph().value(facts.node().inputs[index]).type.shape, *groups);
    }
    if (fused) {
      add_link(step, link);
      --room;
    } else {
      apart.push_back(link);
    }
  }
  const uint32_t last = step.outputs[0];
  for (size_t i = 0; i < apart.size(); ++i) {
    const uint32_t flow = context.temporary(facts.node().name + "_raw" + std::to_string(i),
                                            DType::kFloat32, facts.output_shape());
    step.outputs[0] = flow;
    context.add_step(std::move(step));
    step = link_step(apart[i], flow);
    step.outputs = {last};
  }
  context.add_step(std::move(step));
}

}  // namespace planish::backends::cpu
