#include "reference/test_call.h"

namespace planish::reference {
namespace {

// A body given as a function of its arguments.
Callbacks body(std::function<std::vector<Value>(std::vector<Value>)> f) {
  Callbacks c;
  c.run_block = [f = std::move(f)](size_t, std::vector<Value> arguments) {
    return f(std::move(arguments));
  };
  return c;
}

std::vector<Value> list(std::initializer_list<Tensor> tensors) {
  return {tensors.begin(), tensors.end()};
}

// cond and state, state times 2, and the iteration as a scan output; stops after `last`.
Callbacks doubling(int64_t last) {
  return body([last](std::vector<Value> in) {
    const int64_t i = load_int(in[0].tensor(), 0);
    const float v = in[2].tensor().data<float>()[0];
    return list({Tensor::scalar(i < last), Tensor::scalar(2 * v), in[0].tensor()});
  });
}

TEST(Loop, TripCountConditionAndTheirAbsence) {
  const Tensor m = Tensor::scalar<int64_t>(3), yes = Tensor::scalar(true),
               start = Tensor::scalar(1.0f);
  const auto run = [&](const Value& trips, const Value& cond, int64_t last) {
    const std::vector<Value> out =
        evaluate("Loop", {trips, cond, start}, {}, 2, "", doubling(last));
    return std::pair(numbers(out[0])[0], numbers(out[1]));
  };
  EXPECT_EQ(run(m, yes, 10).first, 8);
  EXPECT_THAT(run(m, yes, 10).second, ElementsAre(0, 1, 2));
  EXPECT_EQ(run(m, yes, 1).first, 4);
  EXPECT_EQ(run(Value(), yes, 4).first, 32);
  EXPECT_EQ(run(m, Value(), 0).first, 8);  // cond omitted: what the body says is ignored
  EXPECT_EQ(run(Value(), Value(), 2).first, 8);
}

TEST(Loop, ABodyThatNeverRunsStillGivesTypedScanOutputs) {
  Callbacks c = doubling(1);
  c.block_output = [](size_t, size_t output) {
    return output == 2 ? Type::tensor(DType::kInt64, {SizeExpr(2), SizeExpr::symbol("N")}) : Type();
  };
  for (const std::vector<Value>& inputs :
       {list({Tensor::scalar<int64_t>(0), Tensor::scalar(true), Tensor::scalar(7.0f)}),
        list({Tensor::scalar<int64_t>(5), Tensor::scalar(false), Tensor::scalar(7.0f)}),
        list({Tensor::scalar<int64_t>(-2), Tensor::scalar(true), Tensor::scalar(7.0f)})}) {
    const std::vector<Value> out = evaluate("Loop", inputs, {}, 2, "", c);
    EXPECT_THAT(numbers(out[0]), ElementsAre(7));
    EXPECT_EQ(out[1].tensor().dtype(), DType::kInt64);
    EXPECT_EQ(out[1].tensor().dims(), (Dims{0, 2, 0}));
  }
}

TEST(Loop, StopsForTheCallerAndForMemory) {
  Callbacks endless = doubling(1 << 30);
  int polls = 0;
  endless.poll = [&] {
    if (++polls > 50) fail(ErrorCode::kCancelled, "enough");
  };
  const std::vector<Value> inputs = {Value(), Tensor::scalar(true), Tensor::scalar(1.0f)};
  EXPECT_EQ(error_of([&] { evaluate("Loop", inputs, {}, 2, "", endless); }), "enough");
  endless.poll = nullptr;
  endless.max_output_bytes = 4096;
  EXPECT_THAT(error_of([&] { evaluate("Loop", inputs, {}, 2, "", endless); }),
              HasSubstr("limit of 4096 bytes"));
}

TEST(Loop, IterationsMustAgreeAndTheBodyMustDeliver) {
  const std::vector<Value> inputs = list({Tensor::scalar<int64_t>(3), Tensor::scalar(true)});
  const Callbacks growing = body([](std::vector<Value> in) {
    return list({Tensor::scalar(true), Tensor(DType::kFloat32, {load_int(in[0].tensor(), 0)})});
  });
  EXPECT_THAT(error_of([&] { evaluate("Loop", inputs, {}, 1, "", growing); }),
              HasSubstr("iterations must agree"));
  const Callbacks silent = body([](std::vector<Value>) { return list({Tensor::scalar(true)}); });
  EXPECT_THAT(error_of([&] { evaluate("Loop", inputs, {}, 1, "", silent); }),
              HasSubstr("returns 1 values"));
}

TEST(If, TheConditionPicksTheBlock) {
  Callbacks c;
  c.run_block = [](size_t block, std::vector<Value>) {
    return list({Tensor::scalar(static_cast<float>(block))});
  };
  EXPECT_THAT(numbers(evaluate("If", {Tensor::scalar(true)}, {}, 1, "", c)[0]), ElementsAre(0));
  EXPECT_THAT(numbers(evaluate("If", {Tensor::of<bool>({1}, {false})}, {}, 1, "", c)[0]),
              ElementsAre(1));
  EXPECT_THAT(
      error_of([&] { evaluate("If", {Tensor::of<bool>({2}, {true, true})}, {}, 1, "", c); }),
      HasSubstr("one bool"));
}

TEST(Scan, AxesAndDirections) {
  // State sums the slices; each slice goes out again.
  const Callbacks c = body([](std::vector<Value> in) {
    std::vector<float> sum;
    const auto a = in[0].tensor().data<float>(), b = in[1].tensor().data<float>();
    for (size_t i = 0; i < a.size(); ++i) sum.push_back(a[i] + b[i]);
    const Tensor state = floats({2}, sum);
    return list({state, state});
  });
  const Attributes a = attributes({{"num_scan_inputs", int64_t{1}},
                                   {"scan_input_axes", Ints{1}},
                                   {"scan_input_directions", Ints{1}},
                                   {"scan_output_axes", Ints{-1}},
                                   {"scan_output_directions", Ints{1}}});
  const std::vector<Value> out =
      evaluate("Scan", {floats({2}, {0, 0}), floats({2, 3}, {1, 2, 3, 10, 20, 30})}, a, 2, "", c);
  EXPECT_THAT(numbers(out[0]), ElementsAre(6, 60));
  EXPECT_EQ(out[1].tensor().dims(), (Dims{2, 3}));
  EXPECT_THAT(numbers(out[1]), ElementsAre(6, 5, 3, 60, 50, 30));
}

}  // namespace
}  // namespace planish::reference
