#include "backends/test/compile/test_backend.h"

#include "backends/reference/compile/reference_backend.h"
#include "base/error.h"

namespace planish::backends::test {
namespace {

constexpr std::string_view kKernel = "test.reference";  // as registered by backends/test/run

// Forwards everything and marks the steps of one node to fail at run time.
class FailingContext final : public LowerContext {
 public:
  explicit FailingContext(LowerContext& inner) : inner_(inner) {}
  const ir::Graph& graph() const override { return inner_.graph(); }
  uint32_t slot(ir::ValueId value) override { return inner_.slot(value); }
  uint32_t constant(std::string name, Tensor data, std::string recipe) override {
    return inner_.constant(std::move(name), std::move(data), std::move(recipe));
  }
  uint32_t temporary(std::string name, DType dtype, const Shape& shape) override {
    return inner_.temporary(std::move(name), dtype, shape);
  }
  uint32_t workspace(const SizeExpr& bytes) override { return inner_.workspace(bytes); }
  void add_step(plan::Step step) override {
    step.args.set("@fail", std::string("injected failure"));
    inner_.add_step(std::move(step));
  }
  void alias(ir::ValueId output, ir::ValueId input) override { inner_.alias(output, input); }
  int threads() const override { return inner_.threads(); }

 private:
  LowerContext& inner_;
};

class TestBackend final : public Backend {
 public:
  explicit TestBackend(TestBackendOptions options) : options_(std::move(options)) {}

  std::string_view name() const override { return "test"; }
  bool host_memory() const override { return false; }

  Support supports(const ir::Graph& graph, const ir::Node& node) const override {
    if (!options_.operators.contains(node.op))
      return Support::no("operator '" + node.op + "' is not in the test provider's list");
    for (const auto* list : {&node.inputs, &node.outputs}) {
      for (const ir::ValueId v : *list) {
        if (v != ir::kNoValue && graph.value(v).type.dtype != DType::kFloat32)
          return Support::no("only float32");
      }
    }
    return Support::yes();
  }
  bool supports_epilogue(const ir::Graph&,
                         const ir::Node&,
                         const ir::EpilogueOp& op) const override {
    return options_.operators.contains(op.op);
  }
  std::string lower(const ir::Node& node, LowerContext& context) const override {
    if (options_.fail_lower.contains(node.name))
      fail(ErrorCode::kUnsupported, "injected failure of lowering");
    FailingContext failing(context);
    reference::lower_by_reference(node, options_.fail_run.contains(node.name) ? failing : context,
                                  kKernel, 1);
    return std::string(kKernel);
  }

 private:
  TestBackendOptions options_;
};

}  // namespace

std::unique_ptr<Backend> make_backend(TestBackendOptions options) {
  return std::make_unique<TestBackend>(std::move(options));
}

}  // namespace planish::backends::test
