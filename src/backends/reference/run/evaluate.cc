#include "backends/reference/run/evaluate.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "reference/reference.h"
#include "runtime/host.h"

namespace planish::backends::reference {
namespace {

class Evaluate final : public runtime::Step {
 public:
  Evaluate(const plan::Program& program, const plan::Step& step) : program_(program), step_(step) {}

  void prepare(runtime::StepContext&) override {}
  bool dynamic() const override { return true; }

  Status run(runtime::StepContext& context, int worker, int) noexcept override {
    if (worker != 0) return Status::kOk;
    try {
      evaluate_on(context);
      return Status::kOk;
    } catch (const Error& e) {
      context.report(e);
    } catch (const std::bad_alloc&) {
      return Status::kOutOfMemory;
    } catch (const std::exception& e) {
      context.report(Error(ErrorCode::kInternal, e.what()));
    }
    return Status::kFailed;
  }

 private:
  void evaluate_on(runtime::StepContext& context) const {
    std::vector<Value> held(step_.inputs.size());
    std::vector<const Value*> inputs(step_.inputs.size(), nullptr);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!context.has_input(i)) continue;
      const runtime::SlotView v = context.input(i);
      if (v.value == nullptr) {
        // Constants and inputs of the caller may lie at any address.
        held[i] = Tensor::borrow(v.dtype, Dims(v.dims.begin(), v.dims.end()), v.data).aligned();
        inputs[i] = &held[i];
      } else if (v.value->is_tensor() && !std::ranges::equal(v.value->tensor().dims(), v.dims)) {
        held[i] = v.value->tensor().reshaped(Dims(v.dims.begin(), v.dims.end()));
        inputs[i] = &held[i];
      } else {
        inputs[i] = v.value;
      }
    }
    std::vector<Value> results = evaluate(step_, inputs, context);
    if (results.size() < step_.outputs.size()) {
      fail(ErrorCode::kInternal, "the reference gave {} of {} outputs", results.size(),
           step_.outputs.size());
    }
    for (size_t i = 0; i < step_.outputs.size(); ++i) {
      if (!context.has_output(i)) continue;
      if (program_.slots[step_.outputs[i]].storage == plan::Storage::kDynamic) {
        context.set_output(i, std::move(results[i]));
        continue;
      }
      const Tensor& t = results[i].tensor();
      const runtime::SlotView out = context.output(i);
      if (t.dtype() != out.dtype || !std::ranges::equal(t.dims(), out.dims)) {
        fail(ErrorCode::kInternal,
             "the reference gave {} of shape {}, shape inference said {} of shape {}",
             to_string(t.dtype()), dims_to_string(t.dims()), to_string(out.dtype),
             dims_to_string(out.dims));
      }
      if (t.bytes() > 0) std::memcpy(out.data, t.raw(), static_cast<size_t>(t.bytes()));
    }
  }

  const plan::Program& program_;
  const plan::Step& step_;
};

}  // namespace

std::vector<Value> evaluate(const plan::Step& step,
                            std::span<const Value* const> inputs,
                            const runtime::StepContext& context) {
  const std::string op = step.args.get_string(kOpArg);
  const std::string domain = step.args.get_string(kDomainArg, "");
  const planish::reference::Operator* found = planish::reference::find(domain, op);
  if (found == nullptr) fail(ErrorCode::kInvalidPlan, "unknown operator '{}'", op);
  Attributes attributes = step.args;
  attributes.erase(kOpArg);
  attributes.erase(kDomainArg);
  planish::reference::Callbacks callbacks;
  callbacks.max_output_bytes = std::min(callbacks.max_output_bytes, context.memory_left());
  callbacks.poll = [&context] {
    const Status status = context.stopped();
    if (status == Status::kCancelled) fail(ErrorCode::kCancelled, "the run was cancelled");
    if (status == Status::kDeadline) fail(ErrorCode::kDeadline, "the run's time is up");
  };
  return found->eval({domain, op, attributes, inputs, step.outputs.size(), callbacks});
}

void check(const plan::Plan&, const plan::Program&, const plan::Step& step) {
  const Attribute* op = step.args.find(kOpArg);
  if (op == nullptr || !std::holds_alternative<std::string>(*op)) {
    fail(ErrorCode::kInvalidPlan, "step '{}' names no operator", step.name);
  }
  const std::string domain = step.args.get_string(kDomainArg, "");
  if (planish::reference::find(domain, std::get<std::string>(*op)) == nullptr) {
    fail(ErrorCode::kInvalidPlan,
         "step '{}' needs the operator '{}', which this build does not have", step.name,
         std::get<std::string>(*op));
  }
}

void register_steps(runtime::Registry& registry) {
  registry.add_device(std::make_unique<runtime::HostDevice>("reference"));
  registry.add({kStepName, kStepVersion, &check,
                [](const plan::Plan&, const plan::Program& program, const plan::Step& step) {
                  return std::unique_ptr<runtime::Step>(std::make_unique<Evaluate>(program, step));
                }});
}

}  // namespace planish::backends::reference
