#include "backends/reference/compile/reference_backend.h"

#include "base/error.h"
#include "ops/op.h"
#include "reference/reference.h"

namespace planish::backends::reference {
namespace {

// As registered by backends/reference/run; the two sides share no header but the plan.
constexpr std::string_view kKernel = "reference";
constexpr uint32_t kVersion = 1;

class ReferenceBackend final : public Backend {
 public:
  std::string_view name() const override { return "reference"; }

  Support supports(const ir::Graph&, const ir::Node& node) const override {
    if (planish::reference::find(node.domain, node.op) == nullptr) {
      return Support::no("operator '" + node.op + "' has no reference evaluation");
    }
    return Support::yes();
  }
  bool supports_epilogue(const ir::Graph&,
                         const ir::Node&,
                         const ir::EpilogueOp& op) const override {
    return planish::reference::find(op.domain, op.op) != nullptr;
  }
  std::string lower(const ir::Node& node, LowerContext& context) const override {
    lower_by_reference(node, context, kKernel, kVersion);
    return std::string(kKernel);
  }
};

}  // namespace

plan::Step operator_step(std::string_view kernel,
                         uint32_t version,
                         const std::string& domain,
                         const std::string& op,
                         const Attributes& attributes) {
  plan::Step step;
  step.kernel = kernel;
  step.version = version;
  step.args = attributes;
  step.args.set("@op", op);
  step.args.set("@domain", domain);
  return step;
}

plan::Step operator_step(const std::string& domain,
                         const std::string& op,
                         const Attributes& attributes) {
  return operator_step(kKernel, kVersion, domain, op, attributes);
}

void lower_by_reference(const ir::Node& node,
                        LowerContext& context,
                        std::string_view kernel,
                        uint32_t version) {
  plan::Step step = operator_step(kernel, version, node.domain, node.op, node.attributes);
  const auto slot_of = [&](ir::ValueId v) {
    return v == ir::kNoValue ? plan::kNone : context.slot(v);
  };
  for (size_t i = 0; i < node.operator_inputs(); ++i)
    step.inputs.push_back(slot_of(node.inputs[i]));
  while (!step.inputs.empty() && step.inputs.back() == plan::kNone) step.inputs.pop_back();
  for (const ir::ValueId v : node.outputs) step.outputs.push_back(slot_of(v));
  while (!step.outputs.empty() && step.outputs.back() == plan::kNone) step.outputs.pop_back();
  if (node.epilogue.empty()) {
    context.add_step(std::move(step));
    return;
  }
  // The chain as separate steps; every link has the type of the final value (an epilogue operator
  // may broadcast only its other operands).
  const Type& type = context.graph().value(node.outputs[0]).type;
  if (!type.has_shape())
    fail(ErrorCode::kInternal, "node '{}' has an epilogue but no known shape", node.name);
  const uint32_t last = step.outputs[0];
  uint32_t flow = context.temporary(node.name + "_raw", type.dtype, *type.shape);
  step.outputs[0] = flow;
  context.add_step(std::move(step));
  for (size_t k = 0; k < node.epilogue.size(); ++k) {
    const ir::EpilogueOp& e = node.epilogue[k];
    plan::Step next = operator_step(kernel, version, e.domain, e.op, e.attributes);
    for (const int32_t operand : e.operands) {
      next.inputs.push_back(operand == ir::EpilogueOp::kFlow ? flow
                            : operand == ir::EpilogueOp::kOmitted
                                ? plan::kNone
                                : slot_of(node.inputs[static_cast<size_t>(operand)]));
    }
    const bool end = k + 1 == node.epilogue.size();
    const uint32_t out =
        end ? last : context.temporary(node.name + "_" + e.op, type.dtype, *type.shape);
    next.outputs.push_back(out);
    flow = out;
    context.add_step(std::move(next));
  }
}

std::unique_ptr<Backend> make_backend() { return std::make_unique<ReferenceBackend>(); }

}  // namespace planish::backends::reference
