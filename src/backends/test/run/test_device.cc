#include "backends/test/run/test_device.h"

#include <cstring>

#include "backends/reference/run/evaluate.h"
#include "runtime/host.h"

namespace planish::backends::test {
namespace {

// Addresses handed out lie in a range that no x86-64 or AArch64 program can map, so that any use on
// the host faults at once.
constexpr uintptr_t kShift = uintptr_t{1} << 60;

std::byte* to_device(std::byte* host) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<uintptr_t>(host) + kShift);
}
std::byte* to_host(const std::byte* device) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<uintptr_t>(device) - kShift);
}

class TestMemory final : public runtime::Memory {
 public:
  std::byte* allocate(size_t bytes, size_t alignment) override {
    return to_device(host_.allocate(bytes, alignment));
  }
  void free(std::byte* p) noexcept override { host_.free(to_host(p)); }
  void copy_in(std::byte* device, const std::byte* host, size_t bytes) override {
    std::memcpy(to_host(device), host, bytes);
  }
  void copy_out(std::byte* host, const std::byte* device, size_t bytes) override {
    std::memcpy(host, to_host(device), bytes);
  }
  bool host_visible() const override { return false; }

 private:
  runtime::HostMemory host_;
};

class TestDevice final : public runtime::Device {
 public:
  std::string_view name() const override { return "test"; }
  runtime::Memory& memory() override { return memory_; }

 private:
  TestMemory memory_;
};

class Evaluate final : public runtime::Step {
 public:
  explicit Evaluate(const plan::Step& step) : step_(step) {}

  void prepare(runtime::StepContext&) override {}

  Status run(runtime::StepContext& context, int worker, int) noexcept override {
    if (worker != 0) return Status::kOk;
    try {
      if (step_.args.has(kFailArg)) fail(ErrorCode::kData, "{}", step_.args.get_string(kFailArg));
      evaluate_on(context);
      return Status::kOk;
    } catch (const Error& e) {
      context.report(e);
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
      held[i] = Tensor::borrow(v.dtype, Dims(v.dims.begin(), v.dims.end()), to_host(v.data));
      inputs[i] = &held[i];
    }
    const std::vector<Value> results = reference::evaluate(step_, inputs, context);
    for (size_t i = 0; i < step_.outputs.size(); ++i) {
      if (!context.has_output(i)) continue;
      const runtime::SlotView out = context.output(i);
      const Tensor& t = results[i].tensor();
      if (t.bytes() != out.bytes)
        fail(ErrorCode::kInternal, "a result of {} bytes for a slot of {}", t.bytes(), out.bytes);
      if (t.bytes() > 0) std::memcpy(to_host(out.data), t.raw(), static_cast<size_t>(t.bytes()));
    }
  }

  const plan::Step& step_;
};

}  // namespace

void register_steps(runtime::Registry& registry) {
  registry.add_device(std::make_unique<TestDevice>());
  registry.add({kStepName, kStepVersion, &reference::check,
                [](const plan::Plan&, const plan::Program&, const plan::Step& step) {
                  return std::unique_ptr<runtime::Step>(std::make_unique<Evaluate>(step));
                }});
}

}  // namespace planish::backends::test
