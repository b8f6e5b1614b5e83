// cpu.pad: x, value? (one element; omitted: zero); argument pads, all begins then all ends,
// negative ones crop. The whole output is filled, then the interior copied.
#include "backends/cpu/run/check.h"
#include "kernels/movement/movement.h"

namespace planish::backends::cpu {
namespace {

class PadStep : public KernelStep<kernels::PadArgs, &kernels::pad> {
 public:
  explicit PadStep(const plan::Step&) {}
  static void check(const Checker& c) {
    c.arity(1, 2);
    const plan::Slot& x = c.input(0);
    const int bits = bit_width(x.dtype);
    if (bits < 8 || bits > 128)
      c.refuse(fmt::format("elements of {} are not whole bytes", to_string(x.dtype)));
    const size_t rank = c.rank(x, 1, kernels::kMaxRank);
    c.rank(c.output(0, x.dtype), rank, rank);
    if (c.has_input(1)) c.input(1, x.dtype);
    constexpr int64_t kFar = int64_t{1} << 40;
    c.integers("pads", 2 * rank, -kFar, kFar);
  }
  void prepare(runtime::StepContext& context) override {
    const runtime::SlotView x = context.input(0), y = context.output(0);
    const Ints& pads = context.step().args.get_ints("pads");
    const size_t rank = x.dims.size();
    args_ = {};
    args_.rank = static_cast<int>(rank);
    args_.element_bytes = bit_width(x.dtype) / 8;
    for (size_t i = 0; i < rank; ++i) {
      const int64_t dim = x.dims[i];
      require_dims(context, dim < (int64_t{1} << 60) && y.dims[i] == dim + pads[i] + pads[rank + i],
                   "the output does not fit the pads");
      args_.in[i] = dim;
      args_.out[i] = y.dims[i];
      args_.begin[i] = pads[i];
    }
    args_.value = zero_;
    if (context.step().inputs.size() > 1 && context.has_input(1)) {
      require_dims(context, count(context.input(1).dims) == 1,
                   "the padding value is not one element");
      args_.value = context.input(1).data;
    }
    args_.x = x.data;
    args_.y = y.data;
  }

 private:
  static constexpr std::byte zero_[16] = {};
};

}  // namespace

void register_pad(runtime::Registry& registry) { registry.add(step_kernel<PadStep>("cpu.pad")); }

}  // namespace planish::backends::cpu
