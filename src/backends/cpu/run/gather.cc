// cpu.gather: x, indices (int32 or int64); argument axis. An index outside of the axis ends the run
// with kIndexOutOfRange.
#include "backends/cpu/run/check.h"
#include "kernels/movement/movement.h"

namespace planish::backends::cpu {
namespace {

class GatherStep : public KernelStep<kernels::GatherArgs, &kernels::gather> {
 public:
  explicit GatherStep(const plan::Step&) {}
  static void check(const Checker& c) {
    c.arity(2, 2);
    const plan::Slot& x = c.input(0);
    const plan::Slot& indices = c.input(1);
    const int bits = bit_width(x.dtype);
    if (bits < 8 || bits > 128)
      c.refuse(fmt::format("elements of {} are not whole bytes", to_string(x.dtype)));
    if (indices.dtype != DType::kInt64 && indices.dtype != DType::kInt32)
      c.refuse("indices are int32 or int64");
    const size_t rank = c.rank(x, 1, 64), index_rank = c.rank(indices, 0, 64);
    c.rank(c.output(0, x.dtype), rank + index_rank - 1, rank + index_rank - 1);
    c.integer("axis", 0, static_cast<int64_t>(rank) - 1);
  }
  void prepare(runtime::StepContext& context) override {
    const runtime::SlotView x = context.input(0), indices = context.input(1), y = context.output(0);
    const auto axis = static_cast<size_t>(context.step().args.get_int("axis"));
    args_ = {count(x.dims.first(axis)),
             x.dims[axis],
             count(x.dims.subspan(axis + 1)),
             count(indices.dims),
             bit_width(x.dtype) / 8,
             indices.dtype == DType::kInt64,
             x.data,
             indices.data,
             y.data};
    const Dims product = {args_.outer, args_.count, args_.inner};
    require_dims(context, count(y.dims) == element_count(product),
                 "the output does not fit data and indices");
  }
};

}  // namespace

void register_gather(runtime::Registry& registry) {
  registry.add(step_kernel<GatherStep>("cpu.gather"));
}

}  // namespace planish::backends::cpu
