// cpu.shape: x of any type; arguments first, count: dims [first, first + count) of x as int64.
// cpu.size: x; the number of its elements.
#include <algorithm>

#include "backends/cpu/run/check.h"

namespace planish::backends::cpu {
namespace {

// The numbers are known when sizes are bound; a run only writes them down.
class NumbersStep : public runtime::Step {
 public:
  Status run(runtime::StepContext&, int worker, int) noexcept override {
    if (worker == 0) std::copy(numbers_.begin(), numbers_.end(), to_);
    return Status::kOk;
  }

 protected:
  void set(const runtime::StepContext& context, Dims numbers) {
    const runtime::SlotView y = context.output(0);
    require_dims(context, count(y.dims) == static_cast<int64_t>(numbers.size()),
                 "the output does not hold one number a dim");
    numbers_ = std::move(numbers);
    to_ = y.as<int64_t>();
  }

 private:
  Dims numbers_;
  int64_t* to_ = nullptr;
};

class ShapeStep : public NumbersStep {
 public:
  explicit ShapeStep(const plan::Step&) {}
  static void check(const Checker& c) {
    c.arity(1, 1);
    const auto rank = static_cast<int64_t>(c.rank(c.input(0), 0, 64));
    c.rank(c.output(0, DType::kInt64), 1, 1);
    const int64_t first = c.integer("first", 0, rank);
    c.integer("count", 0, rank - first);
  }
  void prepare(runtime::StepContext& context) override {
    const runtime::SlotView x = context.input(0);
    const auto first = static_cast<size_t>(context.step().args.get_int("first"));
    const auto n = static_cast<size_t>(context.step().args.get_int("count"));
    const auto part = x.dims.subspan(first, n);
    set(context, Dims(part.begin(), part.end()));
  }
};

class SizeStep : public NumbersStep {
 public:
  explicit SizeStep(const plan::Step&) {}
  static void check(const Checker& c) {
    c.arity(1, 1);
    c.input(0);
    c.output(0, DType::kInt64);
  }
  void prepare(runtime::StepContext& context) override {
    set(context, {count(context.input(0).dims)});
  }
};

}  // namespace

void register_shape(runtime::Registry& registry) {
  registry.add(step_kernel<ShapeStep>("cpu.shape"));
  registry.add(step_kernel<SizeStep>("cpu.size"));
}

}  // namespace planish::backends::cpu
