// Barrier, team, arena and executor, with step kernels made for the tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "base/error.h"
#include "plan/file.h"
#include "runtime/arena.h"
#include "runtime/barrier.h"
#include "runtime/executor.h"
#include "runtime/host.h"
#include "runtime/shapes.h"
#include "runtime/team.h"

namespace planish::runtime {
namespace {

using plan::kNone;
using plan::Storage;
using ::testing::HasSubstr;

TEST(ThreadsBarrier, AgreesOnTheFirstFailure) {
  constexpr int kWorkers = 4;
  Barrier barrier;
  barrier.reset(kWorkers);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int w = 0; w < kWorkers; ++w) {
    threads.emplace_back([&, w] {
      for (int i = 0; i < 200; ++i) {
        if (barrier.arrive(Status::kOk) != Status::kOk) ++wrong;
      }
      // One fails: all leave at the same place.
      const Status agreed = barrier.arrive(w == 2 ? Status::kDivideByZero : Status::kOk);
      if (agreed != Status::kDivideByZero) ++wrong;
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadsTeam, RunsEveryWorkerOnceAndLeases) {
  Team team(3);
  std::atomic<int> calls[3] = {};
  for (int round = 0; round < 500; ++round) {
    team.run([](void* a, int worker) noexcept { ++static_cast<std::atomic<int>*>(a)[worker]; },
             calls);
  }
  for (const auto& c : calls) EXPECT_EQ(c, 500);
  EXPECT_TRUE(team.try_lease());
  EXPECT_FALSE(team.try_lease());
  team.release();
  EXPECT_TRUE(team.try_lease());
  EXPECT_THROW(Team(0), Error);
}

TEST(Arena, LivesThatMeetNeverShareMemory) {
  std::vector<ArenaItem> items;
  uint32_t state = 1;
  for (int i = 0; i < 200; ++i) {
    state = state * 1664525u + 1013904223u;
    const uint32_t first = state % 50;
    items.push_back({static_cast<int64_t>(state % 1000), first, first + state / 7 % 10});
  }
  const ArenaPlan placed = place(items);
  int64_t sum = 0;
  for (size_t a = 0; a < items.size(); ++a) {
    sum += items[a].bytes;
    EXPECT_EQ(placed.offsets[a] % 64, 0);
    EXPECT_LE(placed.offsets[a] + items[a].bytes, placed.bytes);
    for (size_t b = a + 1; b < items.size(); ++b) {
      const bool meet = items[a].first <= items[b].last && items[b].first <= items[a].last;
      const bool overlap = placed.offsets[a] < placed.offsets[b] + items[b].bytes &&
                           placed.offsets[b] < placed.offsets[a] + items[a].bytes;
      EXPECT_FALSE(meet && overlap && items[a].bytes > 0 && items[b].bytes > 0)
          << a << " and " << b;
    }
  }
  EXPECT_LT(placed.bytes, sum) << "nothing was shared at all";
  EXPECT_THROW(place(std::vector<ArenaItem>{{INT64_MAX, 0, 1}}), Error);
}

// out = in + 1 on int64, each worker its share.
class AddOne final : public Step {
 public:
  void prepare(StepContext& c) override {
    in_ = c.input(0);
    out_ = c.output(0);
  }
  Status run(StepContext&, int worker, int workers) noexcept override {
    const int64_t n = in_.bytes / 8;
    for (int64_t i = n * worker / workers; i < n * (worker + 1) / workers; ++i)
      out_.as<int64_t>()[i] = in_.as<int64_t>()[i] + 1;
    return Status::kOk;
  }

 private:
  SlotView in_, out_;
};

// Fails on worker 0 when its input's first element is negative.
class Check final : public Step {
 public:
  void prepare(StepContext& c) override { in_ = c.input(0); }
  Status run(StepContext&, int worker, int) noexcept override {
    return worker == 0 && in_.bytes > 0 && in_.as<int64_t>()[0] < 0 ? Status::kIndexOutOfRange
                                                                    : Status::kOk;
  }

 private:
  SlotView in_;
};

// Keeps the elements above zero: a size that only the run can tell.
class Positive final : public Step {
 public:
  void prepare(StepContext&) override {}
  bool dynamic() const override { return true; }
  Status run(StepContext& c, int worker, int) noexcept override {
    if (worker != 0) return Status::kOk;
    const SlotView in = c.input(0);
    int64_t count = 0;
    for (int64_t i = 0; i < in.bytes / 8; ++i) count += in.as<int64_t>()[i] > 0 ? 1 : 0;
    const int64_t dims[] = {count};
    const SlotView out = c.resize_output(0, DType::kInt64, dims);
    int64_t at = 0;
    for (int64_t i = 0; i < in.bytes / 8; ++i) {
      if (in.as<int64_t>()[i] > 0) out.as<int64_t>()[at++] = in.as<int64_t>()[i];
    }
    return Status::kOk;
  }
};

template <class T>
StepKernel kernel(std::string_view name) {
  return {name, 1, nullptr,
          [](const plan::Plan&, const plan::Program&, const plan::Step&) -> std::unique_ptr<Step> {
            return std::make_unique<T>();
          }};
}

Registry registry() {
  Registry r;
  r.add_device(std::make_unique<HostDevice>("cpu"));
  r.add(kernel<AddOne>("add_one"));
  r.add(kernel<Check>("check"));
  r.add(kernel<Positive>("positive"));
  return r;
}

plan::Slot slot(std::string name,
                std::vector<plan::Dim> dims,
                Storage storage,
                uint32_t first = 0,
                uint32_t last = 0) {
  plan::Slot s;
  s.name = std::move(name);
  s.dtype = DType::kInt64;
  s.dims = std::move(dims);
  s.storage = storage;
  s.first_step = first;
  s.last_step = last;
  return s;
}

plan::Step step(std::string kernel, std::vector<uint32_t> in, std::vector<uint32_t> out) {
  plan::Step s;
  s.name = kernel;
  s.kernel = std::move(kernel);
  s.inputs = std::move(in);
  s.outputs = std::move(out);
  return s;
}

// x[N] -> +1 -> +1 -> y[N]
plan::Plan chain() {
  plan::Plan p;
  p.providers = {"cpu"};
  p.inputs = {{"x", "int64[N]", 0}};
  p.outputs = {{"y", "int64[N]", 0}};
  plan::Program m;
  m.name = "main";
  m.slots = {slot("x", {{0, 0}}, Storage::kInput), slot("a", {{0, 0}}, Storage::kArena, 0, 1),
             slot("y", {{0, 0}}, Storage::kArena, 1, 2)};
  m.inputs = {0};
  m.outputs = {2};
  m.registers = 1;
  m.symbols = {{"N", 0, 0, 0, false, kNone, 0, 1, 1000}};
  m.steps = {step("add_one", {0}, {1}), step("add_one", {1}, {2})};
  p.programs = {m};
  return p;
}

std::vector<int64_t> ints(const Value& v) {
  const auto s = v.tensor().data<int64_t>();
  return {s.begin(), s.end()};
}

std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(ThreadsExecutor, GivesTheSameForAnyTeamAndAnyShape) {
  const plan::Plan p = chain();
  const Registry r = registry();
  for (const int workers : {1, 2, 3}) {
    Team team(workers);
    Context c(p, r, {.team = &team});
    for (const int64_t n : {5, 0, 1, 64, 5}) {
      Tensor x(DType::kInt64, {n});
      for (int64_t i = 0; i < n; ++i) x.mutable_data<int64_t>()[static_cast<size_t>(i)] = i * 10;
      c.set_input(0, x);
      c.run();
      const auto y = ints(c.output(0));
      ASSERT_EQ(static_cast<int64_t>(y.size()), n);
      for (int64_t i = 0; i < n; ++i) EXPECT_EQ(y[static_cast<size_t>(i)], i * 10 + 2);
    }
  }
}

TEST(Executor, AllocatesNothingAfterTheFirstRunOfAShape) {
  const plan::Plan p = chain();
  const Registry r = registry();
  Context c(p, r);
  const Tensor x = Tensor::of<int64_t>({3}, {1, 2, 3});
  c.set_input(0, x);
  c.run();
  const uint64_t before = c.stats().allocations;
  for (int i = 0; i < 1000; ++i) c.run();
  EXPECT_EQ(c.stats().allocations, before);
  EXPECT_EQ(c.stats().runs, 1001u);
}

TEST(Executor, InputErrorsNameInputTypeAndShape) {
  const plan::Plan p = chain();
  const Registry r = registry();
  Context c(p, r);
  const Tensor wrong_type = Tensor::of<float>({1}, {1.f});
  c.set_input(0, wrong_type);
  EXPECT_THAT(message([&] { c.run(); }),
              HasSubstr("input 'x' expects int64[N]: given float32 of shape [1]"));
  const Tensor wrong_rank(DType::kInt64, {2, 2});
  c.set_input(0, wrong_rank);
  EXPECT_THAT(message([&] { c.run(); }), HasSubstr("the rank must be 1"));
  const Tensor too_long(DType::kInt64, {1001});
  c.set_input(0, too_long);
  EXPECT_THAT(message([&] { c.run(); }),
              HasSubstr("dim 'N' is 1001; the plan is built for 0 to 1000"));
  const Tensor ok = Tensor::of<int64_t>({1}, {4});
  c.set_input(0, ok);
  c.run();
  EXPECT_EQ(ints(c.output(0)), std::vector<int64_t>{6});
}

TEST(Executor, MemoryIsLimited) {
  const plan::Plan p = chain();
  const Registry r = registry();
  Context c(p, r, {.max_bytes = 1000});
  const Tensor x(DType::kInt64, {1000});
  c.set_input(0, x);
  EXPECT_THAT(message([&] { c.run(); }), HasSubstr("raise --max-memory"));
}

TEST(ThreadsExecutor, AFailedStepStopsAllWorkersAndNamesItself) {
  plan::Plan p = chain();
  auto& m = p.programs[0];
  m.steps.insert(m.steps.begin() + 1, step("check", {1}, {}));
  m.slots[1].last_step = 2;
  m.slots[2].first_step = 2;
  m.slots[2].last_step = 3;
  plan::verify(p);
  const Registry r = registry();
  Team team(2);
  Context c(p, r, {.team = &team});
  for (int i = 0; i < 50; ++i) {
    const Tensor bad = Tensor::of<int64_t>({2}, {-5, 1});
    c.set_input(0, bad);
    EXPECT_THAT(message([&] { c.run(); }), HasSubstr("node 'check': index out of range"));
    const Tensor good = Tensor::of<int64_t>({2}, {5, 1});
    c.set_input(0, good);
    c.run();
    EXPECT_EQ(ints(c.output(0)), (std::vector<int64_t>{7, 3}));
  }
}

TEST(ThreadsExecutor, SizesThatOnlyTheRunKnows) {
  // x[N] -> positive -> p[M] -> +1 -> y[M], with 2*M as a size program.
  plan::Plan p = chain();
  auto& m = p.programs[0];
  m.slots[1] = slot("p", {{0, 1}}, Storage::kDynamic, 0, 1);
  m.slots[2] = slot("y", {{0, 1}}, Storage::kDynamic, 1, 2);
  m.registers = 3;
  m.symbols.push_back({"M", 1, 1, 0, false, 0, 0, 1, INT64_MAX});
  m.sizes = {{0, {{plan::SizeOp::kAdd, 2, 1, 1, 0}}}};
  m.steps[0] = step("positive", {0}, {1});
  plan::verify(p);
  const Registry r = registry();
  Team team(2);
  Context c(p, r, {.team = &team});
  const Tensor a = Tensor::of<int64_t>({4}, {1, -1, 2, -2});
  c.set_input(0, a);
  c.run();
  EXPECT_EQ(ints(c.output(0)), (std::vector<int64_t>{2, 3}));
  const Tensor b = Tensor::of<int64_t>({4}, {-1, -1, -1, 9});
  c.set_input(0, b);
  c.run();
  EXPECT_EQ(ints(c.output(0)), (std::vector<int64_t>{10}));
}

TEST(ThreadsExecutor, AnOutputMayBeAnotherViewOfALateSlot) {
  // x[N] -> positive -> p[M], seen as y[1, M], which no step reads.
  plan::Plan p = chain();
  auto& m = p.programs[0];
  m.slots[1] = slot("p", {{0, 1}}, Storage::kDynamic, 0, 1);
  m.slots[2] = slot("y", {{1, kNone}, {0, 1}}, Storage::kAlias);
  m.slots[2].alias_of = 1;
  m.registers = 2;
  m.symbols.push_back({"M", 1, 1, 0, false, 0, 0, 1, INT64_MAX});
  m.steps = {step("positive", {0}, {1})};
  plan::verify(p);
  const Registry r = registry();
  Team team(2);
  Context c(p, r, {.team = &team});
  for (const auto& [given, kept] :
       std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>>{
           {{1, -1, 2}, {1, 2}}, {{-1, 7, -3}, {7}}, {{4, 5, 6}, {4, 5, 6}}}) {
    const Tensor x = Tensor::of<int64_t>({3}, given);
    c.set_input(0, x);
    c.run();
    EXPECT_EQ(c.output(0).tensor().dims(), (Dims{1, static_cast<int64_t>(kept.size())}));
    EXPECT_EQ(ints(c.output(0)), kept);
  }
}

TEST(Executor, CancelAndDeadlineEndARun) {
  const plan::Plan p = chain();
  const Registry r = registry();
  Context c(p, r);
  const Tensor x = Tensor::of<int64_t>({1}, {1});
  c.set_input(0, x);
  c.deadline = std::chrono::nanoseconds(-1);
  try {
    c.run();
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kDeadline);
  }
  c.deadline.reset();
  c.run();
}

TEST(Executor, KernelsOfAnotherVersionAreRefused) {
  plan::Plan p = chain();
  p.programs[0].steps[0].version = 9;
  const Registry r = registry();
  EXPECT_THAT(message([&] { Context c(p, r); }), HasSubstr("version 9 of the kernel 'add_one'"));
  p.programs[0].steps[0].version = 1;
  p.programs[0].steps[0].kernel = "nothing";
  EXPECT_THAT(message([&] { Context c(p, r); }), HasSubstr("needs the kernel 'nothing'"));
}

TEST(Shapes, OpenDimsAreSettledOnce) {
  const std::vector<plan::Binding> inputs = {{"a", "float32[N, 3]", 0}, {"b", "int64[N, 2*N]", 5}};
  EXPECT_EQ(resolve_shapes(inputs, {}).inputs[1], (Dims{1, 2}));
  EXPECT_EQ(resolve_shapes(inputs, {}).defaulted, std::vector<std::string>{"N"});
  EXPECT_EQ(resolve_shapes(inputs, {{{"a", {4, 3}}}, {}}).inputs[1], (Dims{4, 8}));
  EXPECT_THAT(message([&] { resolve_shapes(inputs, {{{"c", {1}}}, {}}); }),
              HasSubstr("names the input 'c'"));
  EXPECT_THAT(message([&] { resolve_shapes(inputs, {{}, {{"M", 2}}}); }),
              HasSubstr("open dims are: N"));
  EXPECT_THAT(message([&] { resolve_shapes(inputs, {{{"a", {4, 3}}}, {{"N", 2}}}); }),
              HasSubstr("sizes 2 and 4"));
  EXPECT_THAT(message([&] { resolve_shapes(inputs, {{{"a", {4, 9}}}, {}}); }),
              HasSubstr("it must be 4x3"));
}

TEST(Shapes, RandomInputsRepeatAndStayInBounds) {
  const std::vector<plan::Binding> inputs = {{"a", "float32[N, 3]", 0}, {"b", "int64[50]", 5}};
  const Shapes shapes = resolve_shapes(inputs, {});
  const auto one = random_inputs(inputs, shapes, 7);
  const auto two = random_inputs(inputs, shapes, 7);
  EXPECT_EQ(0, std::memcmp(one[0].tensor().raw(), two[0].tensor().raw(), 12));
  for (const int64_t v : one[1].tensor().data<int64_t>()) {
    EXPECT_GE(v, 0);
    EXPECT_LT(v, 5);
  }
  EXPECT_NE(ints(random_inputs(inputs, shapes, 8)[1]), ints(one[1]));
}

}  // namespace
}  // namespace planish::runtime
