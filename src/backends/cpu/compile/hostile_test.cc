// Damaged and hostile steps, as a plan that lies could hold them.
#include "backends/cpu/compile/differential_test.h"

namespace planish::backends::cpu {
namespace {

// Every argument of a step, in turn removed, given another kind, and set to hostile numbers: check
// (or prepare) must refuse or the step must run without touching what is not its own (asan
// watches).
void fuzz_args(const Case& c, uint64_t seed) {
  Built b = build(c);
  Lowered l = lower_case(b, c, 1);
  ASSERT_TRUE(l.lower);
  std::vector<plan::Step>& steps = l.lower->program().steps;
  ASSERT_EQ(steps.size(), 1u);
  const plan::Step good = steps[0];
  std::mt19937_64 engine(seed);
  const int64_t numbers[] = {
      -1, 0, 1, 2, 3, 7, 1 << 20, int64_t{1} << 31, int64_t{1} << 40, INT64_MAX, INT64_MIN};
  const auto number = [&] { return numbers[engine() % std::size(numbers)]; };
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    plan::Step bad = good;
    std::vector<std::string> names;
    for (const auto& [name, value] : good.args) names.push_back(name);
    const uint64_t what = engine() % 8;
    if (what == 0 && !bad.inputs.empty()) {
      bad.inputs[engine() % bad.inputs.size()] =
          engine() % 2 == 0 ? plan::kNone : static_cast<uint32_t>(engine() % 9);
    } else if (what == 1) {
      bad.outputs[0] = static_cast<uint32_t>(engine() % (l.lower->program().slots.size() + 1));
      // An output over a constant or an input is the plan verifier's to refuse.
      if (bad.outputs[0] < l.lower->program().slots.size() && bad.outputs[0] != good.outputs[0])
        continue;
    } else if (what == 2) {
      bad.inputs.resize(engine() % 6, 0);
    } else if (!names.empty()) {
      const std::string& name = names[engine() % names.size()];
      const Attribute& old = *good.args.find(name);
      if (what == 3) {
        bad.args.erase(name);
      } else if (what == 4) {
        bad.args.set(name, std::string("frobnicate"));
      } else if (std::holds_alternative<int64_t>(old)) {
        bad.args.set(name, number());
      } else if (const Ints* list = std::get_if<Ints>(&old)) {
        Ints values = *list;
        if (!values.empty() && engine() % 2 == 0) {
          values[engine() % values.size()] = number();
        } else {
          values.resize(engine() % 5, number());
        }
        bad.args.set(name, values);
      }
    }
    steps[0] = bad;
    try {
      Status status = Status::kOk;
      run_lowered(l, 1, &status);
    } catch (const Error& e) {
      EXPECT_TRUE(e.code() == ErrorCode::kInvalidPlan || e.code() == ErrorCode::kInvalidModel ||
                  e.code() == ErrorCode::kOutOfMemory || e.code() == ErrorCode::kUnsupported)
          << e.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 20) << c.op;
}

TEST(CpuSteps, HostileArgumentsAreRefused) {
  Random random(1);
  Case conv;
  conv.op = "Conv";
  conv.attributes.set("pads", Ints{1, 1, 1, 1});
  conv.inputs = {live(random.floats({1, 4, 6, 6})), fixed(random.floats({8, 4, 3, 3})),
                 fixed(random.floats({8}))};
  fuzz_args(conv, 1);
  Case depthwise = conv;
  depthwise.attributes.set("group", int64_t{4});
  depthwise.inputs[1] = fixed(random.floats({8, 1, 3, 3}));
  fuzz_args(depthwise, 2);
  Case transposed = conv;
  transposed.op = "ConvTranspose";
  transposed.inputs = {live(random.floats({1, 4, 6, 6})), fixed(random.floats({4, 3, 3, 3}))};
  fuzz_args(transposed, 15);
  fuzz_args({"MatMul", {}, {live(random.floats({2, 4, 6})), fixed(random.floats({6, 9}))}, {}, {}},
            3);
  fuzz_args(
      {"MatMul", {}, {live(random.floats({2, 4, 6})), live(random.floats({2, 6, 9}))}, {}, {}}, 4);
  Case pool;
  pool.op = "MaxPool";
  pool.attributes.set("kernel_shape", Ints{3, 3});
  pool.inputs = {live(random.floats({1, 4, 6, 6}))};
  fuzz_args(pool, 5);
  fuzz_args({"Softmax", {}, {live(random.floats({2, 4, 6}))}, {}, {}}, 6);
  fuzz_args({"ReduceSum", {}, {live(random.floats({2, 4, 6})), ints({1})}, {}, {}}, 7);
  fuzz_args({"Transpose", {}, {live(random.floats({2, 4, 6}))}, {}, {}}, 8);
  fuzz_args({"Slice",
             {},
             {live(random.floats({5, 6})), ints({1, 4}), ints({4, 0}), ints({0, 1}), ints({1, -2})},
             {},
             {}},
            9);
  Case concat;
  concat.op = "Concat";
  concat.attributes.set("axis", int64_t{1});
  concat.inputs = {live(random.floats({2, 3})), live(random.floats({2, 4}))};
  fuzz_args(concat, 10);
  fuzz_args(
      {"Gather", {}, {live(random.floats({3, 2})), live(Tensor::of<int64_t>({2}, {0, 2}))}, {}, {}},
      11);
  fuzz_args({"Pad", {}, {live(random.floats({3, 2})), ints({1, 0, 0, 2})}, {}, {}}, 12);
  fuzz_args({"Add", {}, {live(random.floats({3, 2})), live(random.floats({2}))}, {}, {}}, 13);
  fuzz_args({"Resize",
             {},
             {live(random.floats({1, 1, 3, 2})), std::nullopt, std::nullopt, ints({1, 1, 5, 4})},
             {},
             {}},
            14);
}

}  // namespace
}  // namespace planish::backends::cpu
