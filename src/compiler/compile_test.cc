// From text-form graphs through placement and lowering to a run, against the interpreter.
#include "compiler/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/reference/compile/reference_backend.h"
#include "backends/reference/run/evaluate.h"
#include "backends/test/compile/test_backend.h"
#include "backends/test/run/test_device.h"
#include "base/error.h"
#include "io/compare.h"
#include "ops/op.h"
#include "plan/file.h"
#include "runtime/executor.h"

namespace planish::compiler {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

struct Fixture {
  std::unique_ptr<ir::Graph> graph;
  std::unique_ptr<backends::Backend> reference = backends::reference::make_backend();
  std::unique_ptr<backends::Backend> test;
  runtime::Registry registry;
  CompileOptions options;

  explicit Fixture(std::string_view text, backends::test::TestBackendOptions on_test = {})
      : graph(ir::parse_graph(text)) {
    ops::infer(*graph);
    backends::reference::register_steps(registry);
    backends::test::register_steps(registry);
    test = backends::test::make_backend(on_test);
    options.registry = &registry;
    if (!on_test.operators.empty()) options.providers.push_back(test.get());
    options.providers.push_back(reference.get());
    options.passes.enabled = false;
  }

  // Compiles (which compares end to end), writes, reads back and runs on these inputs too.
  std::vector<Value> run(std::vector<Value> inputs, int workers = 2) {
    const Compiled c = compile(*graph, options);
    std::vector<const Value*> pointers;
    for (const Value& v : inputs) pointers.push_back(&v);
    const auto expected = ops::interpret(*graph, pointers);
    const auto bytes = plan::serialize(c.plan);
    const plan::Plan plan = plan::read(bytes);
    runtime::Team team(workers);
    runtime::Context context(plan, registry, {.team = &team});
    std::vector<Value> outputs;
    for (int round = 0; round < 2; ++round) {
      outputs.clear();
      for (size_t i = 0; i < inputs.size(); ++i) context.set_input(i, inputs[i]);
      context.run();
      for (size_t i = 0; i < plan.outputs.size(); ++i) outputs.push_back(context.output(i));
      for (size_t i = 0; i < expected.size(); ++i) {
        const io::Comparison same = io::compare_values(outputs[i], expected[i]);
        EXPECT_TRUE(same.equal) << "output " << i << ": " << same.problem;
      }
    }
    // Outputs are views of the context, which ends here.
    std::vector<Value> owned;
    for (const Value& v : expected) owned.push_back(v);
    return owned;
  }
};

constexpr std::string_view kPointwise = R"(
graph main(%x: float32[N, 2], %y: float32[N, 2]) {
  %a: float32[N, 2] = Add(%x, %y)
  %b: float32[N, 2] = Relu(%a)
  %c: float32[N, 2] = Mul(%b, %x)
  return %c
}
)";

TEST(Compile, OpenDimsStayOpen) {
  Fixture f(kPointwise);
  for (const int64_t n : {3, 1, 0}) {
    Tensor x(DType::kFloat32, {n, 2}), y(DType::kFloat32, {n, 2});
    for (float& v : x.mutable_data<float>()) v = -1.5f;
    f.run({x, y});
  }
  const Compiled c = compile(*f.graph, f.options);
  EXPECT_TRUE(c.plan.evidence.done);
  EXPECT_THAT(c.notes, Contains(HasSubstr("open dims taken as 1 for the check: N")));
}

TEST(Compile, PlansAreTheSameBytesEachTime) {
  Fixture f(kPointwise);
  EXPECT_EQ(plan::serialize(compile(*f.graph, f.options).plan),
            plan::serialize(compile(*f.graph, f.options).plan));
}

// Trip count and conditions as vectors of one element, the body's own condition too.
TEST(Compile, ControlFlowByVectorsOfOneElement) {
  Fixture f(R"(
graph main(%n: int64[1], %go: bool[1], %x: float32[2]) {
  %y: float32[2], %counts: int64[T] = Loop(%n, %go, %x) with {
    graph body(%i: int64[], %c: bool[], %v: float32[2]) {
      %axes = constant int64[1] {0}
      %wide: bool[1] = Unsqueeze(%c, %axes)
      %next: float32[2] = Add(%v, %v)
      return %wide, %next, %i
    }
  }
  %z: float32[2] = If(%go; %y) with {
    graph then(%y: float32[2]) { %a: float32[2] = Abs(%y) return %a }
    graph else(%y: float32[2]) { %b: float32[2] = Neg(%y) return %b }
  }
  return %z, %counts
}
)");
  const Tensor n = Tensor::of<int64_t>({1}, {3}), x = Tensor::of<float>({2}, {-1, 2});
  const auto yes = f.run({n, Tensor::of<bool>({1}, {true}), x});
  EXPECT_THAT(yes[0].tensor().data<float>(), testing::ElementsAre(8, 16));
  EXPECT_THAT(yes[1].tensor().data<int64_t>(), testing::ElementsAre(0, 1, 2));
  const auto no = f.run({n, Tensor::of<bool>({1}, {false}), x});
  EXPECT_THAT(no[0].tensor().data<float>(), testing::ElementsAre(1, -2));
  EXPECT_EQ(no[1].tensor().dims(), (Dims{0}));
}

TEST(Compile, CopiesCrossFromOneMemoryToAnother) {
  Fixture f(kPointwise, {{"Relu", "Mul"}, {}, {}});
  const Tensor x = Tensor::of<float>({1, 2}, {1.f, -2.f});
  f.run({x, x});
  const Compiled c = compile(*f.graph, f.options);
  std::vector<std::string> kernels;
  for (const auto& s : c.plan.programs[0].steps) kernels.push_back(s.kernel);
  EXPECT_THAT(kernels, testing::ElementsAre("reference", "copy", "test.reference", "copy",
                                            "test.reference", "wait", "copy"));
  EXPECT_TRUE(c.plan.placements[0].fallback);
  EXPECT_THAT(c.plan.placements[0].reason,
              HasSubstr("test: operator 'Add' is not in the test provider's list"));
}

TEST(Compile, AFailureWhileLoweringFallsBackWithItsReason) {
  Fixture f(kPointwise, {{"Relu", "Mul"}, {"b"}, {}});
  const Compiled c = compile(*f.graph, f.options);
  EXPECT_EQ(c.plan.placements[1].provider, "reference");
  EXPECT_THAT(c.plan.placements[1].reason, HasSubstr("injected failure of lowering"));
  f.options.require = "test";
  try {
    compile(*f.graph, f.options);
    FAIL() << "--require must refuse";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("as required"));
  }
}

TEST(Compile, AFailureWhileRunningNamesItsNode) {
  Fixture f(kPointwise, {{"Mul"}, {}, {"c"}});
  try {
    compile(*f.graph, f.options);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("injected failure"));
    EXPECT_EQ(e.node(), "c");
  }
}

TEST(Compile, SizesFromDataFlowOn) {
  Fixture f(R"(
graph main(%x: float32[N]) {
  %i: int64[1, K] = NonZero(%x)
  %j: int64[1, K] = Add(%i, %i)
  %k: int64[1, 2*K] = Concat(%i, %j) {axis = 1}
  return %k
}
)");
  f.options.verify = false;
  f.run({Tensor::of<float>({5}, {1, 0, 2, 0, 3})});
  f.run({Tensor::of<float>({2}, {0, 0})});
}

TEST(Compile, BranchesReadOuterValues) {
  Fixture f(R"(
graph main(%c: bool[], %x: float32[N]) {
  %y: float32[N] = Add(%x, %x)
  %z: float32[N] = If(%c; %x, %y) with {
    graph then(%a: float32[N], %b: float32[N]) {
      %r: float32[N] = Mul(%a, %b)
      return %r
    }
    graph else(%a: float32[N], %b: float32[N]) {
      return %b
    }
  }
  %w: float32[N] = Relu(%z)
  return %w
}
)");
  const Tensor x = Tensor::of<float>({3}, {1.f, -2.f, 3.f});
  for (const bool condition : {true, false}) f.run({Tensor::scalar<bool>(condition), x});
}

TEST(Compile, LoopsCarryStackAndSwap) {
  // Two carried values change places; a third grows; each sum is stacked.
  Fixture f(R"(
graph main(%n: int64[], %a: float32[2], %b: float32[2]) {
  %go = constant bool[] {true}
  %p: float32[2], %q: float32[2], %s: float32[T, 2] = Loop(%n, %go, %a, %b; %a) with {
    graph body(%i: int64[], %c: bool[], %u: float32[2], %v: float32[2], %o: float32[2]) {
      %k: bool[] = Identity(%c)
      %m: float32[2] = Add(%u, %o)
      return %k, %v, %u, %m
    }
  }
  return %p, %q, %s
}
)");
  f.options.verify = false;
  const Tensor a = Tensor::of<float>({2}, {1.f, 2.f});
  const Tensor b = Tensor::of<float>({2}, {10.f, 20.f});
  for (const int64_t trips : {3, 0, 1}) f.run({Tensor::scalar<int64_t>(trips), a, b});
}

TEST(Compile, StringsAndSequencesPassThrough) {
  Fixture f(R"(
graph main(%x: string[2]) {
  %c = constant string[1] {"z"}
  %y: string[3] = Concat(%x, %c) {axis = 0}
  %s: seq(string[?]) = SequenceConstruct(%y, %x)
  return %y, %s
}
)");
  f.options.verify = false;
  f.run({Tensor::from_strings({2}, {"a", "b"})});
}

// What the reference makes itself counts against the context's limit like any other buffer.
TEST(Compile, ReferenceStepsKeepToTheMemoryLimit) {
  Fixture f(R"(
graph main(%shape: int64[1]) {
  %y: float32[?] = ConstantOfShape(%shape)
  return %y
}
)");
  f.options.verify = false;
  const Compiled c = compile(*f.graph, f.options);
  runtime::Context context(c.plan, f.registry, {.max_bytes = 100000});
  const auto made = [&](int64_t n) {
    const Tensor shape = Tensor::of<int64_t>({1}, {n});
    context.set_input(0, shape);
    context.run();
    return context.output(0).tensor().size();
  };
  for (int round = 0; round < 20; ++round) EXPECT_EQ(made(10000), 10000);  // each replaces the last
  try {
    made(30000);
    FAIL() << "120000 bytes were made under a limit of 100000";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kOutOfMemory) << e.what();
  }
  EXPECT_EQ(made(20000), 20000);
}

TEST(Compile, AStepOfTheReferenceEndsAtTheDeadline) {
  // One step of 2^37 multiplications: minutes, unless it asks.
  Fixture f(R"(
graph main(%x: float32[4096, 8192], %w: float32[8192, 4096]) {
  %y: float32[4096, 4096] = MatMul(%x, %w)
  return %y
}
)");
  f.options.verify = false;
  const Compiled c = compile(*f.graph, f.options);
  runtime::Context context(c.plan, f.registry);
  const Tensor x(DType::kFloat32, {4096, 8192}), w(DType::kFloat32, {8192, 4096});
  context.set_input(0, x);
  context.set_input(1, w);
  context.deadline = std::chrono::milliseconds(1);
  try {
    context.run();
    FAIL() << "the run went past its deadline";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kDeadline) << e.what();
  }
}

}  // namespace
}  // namespace planish::compiler
