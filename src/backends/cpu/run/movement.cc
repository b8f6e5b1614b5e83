// Steps that only copy elements of whole bytes:
//
//   cpu.transpose  x            permutation
//   cpu.slice      x            axes, starts, steps: element i of axis a is input element
//                               start + i * step; a negative start counts from the end; starts
//                               outside are clamped as ONNX clamps them
//   cpu.expand     x            (the output's dims)
//   cpu.split      x -> y...    axis: the outputs lie one after another along it
//   cpu.concat     x... -> y    axis
#include "kernels/movement/movement.h"

#include <algorithm>
#include <limits>

#include "backends/cpu/run/check.h"

namespace planish::backends::cpu {
namespace {

using kernels::CopyArgs;
using kernels::kMaxRank;

constexpr size_t kRank = kMaxRank;

void check_bytes(const Checker& c, DType type) {
  const int bits = bit_width(type);
  if (bits < 8 || bits > 128)
    c.refuse(fmt::format("elements of {} are not whole bytes", to_string(type)));
}

Dims strides_of(std::span<const int64_t> dims) {
  Dims strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

// A copy between dense `dims` of `from` and `to` at these strides, from offsets in elements.
CopyArgs make_copy(std::span<const int64_t> dims,
                   std::span<const int64_t> from_strides,
                   std::span<const int64_t> to_strides,
                   DType type,
                   const std::byte* from,
                   int64_t from_offset,
                   std::byte* to,
                   int64_t to_offset) {
  CopyArgs args;
  args.element_bytes = bit_width(type) / 8;
  args.rank = static_cast<int>(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    args.dims[i] = dims[i];
    args.from_strides[i] = from_strides[i];
    args.to_strides[i] = to_strides[i];
  }
  args.from = from + from_offset * args.element_bytes;
  args.to = to + to_offset * args.element_bytes;
  kernels::simplify(args);
  return args;
}

class CopyStep : public KernelStep<CopyArgs, &kernels::copy> {
 protected:
  static size_t check_copy(const Checker& c) {
    c.arity(1, 1);
    const plan::Slot& x = c.input(0);
    check_bytes(c, x.dtype);
    c.rank(c.output(0, x.dtype), 0, kRank);
    return c.rank(x, 0, kRank);
  }
};

class TransposeStep : public CopyStep {
 public:
  explicit TransposeStep(const plan::Step&) {}
  static void check(const Checker& c) {
    const size_t rank = check_copy(c);
    c.rank(c.output(0), rank, rank);
    const Ints& permutation = c.integers("permutation", rank, 0, static_cast<int64_t>(rank) - 1);
    uint32_t seen = 0;
    for (const int64_t axis : permutation) seen |= 1u << axis;
    if (seen != (1u << rank) - 1) c.refuse("argument 'permutation' is none");
  }
  void prepare(runtime::StepContext& context) override {
    const runtime::SlotView x = context.input(0), y = context.output(0);
    const Ints& permutation = context.step().args.get_ints("permutation");
    const Dims strides = strides_of(x.dims);
    Dims from(y.dims.size());
    for (size_t i = 0; i < from.size(); ++i) {
      const auto axis = static_cast<size_t>(permutation[i]);
      require_dims(context, y.dims[i] == x.dims[axis], "the output is not the permuted input");
      from[i] = strides[axis];
    }
    args_ = make_copy(y.dims, from, strides_of(y.dims), x.dtype, x.data, 0, y.data, 0);
  }
};

class SliceStep : public CopyStep {
 public:
  explicit SliceStep(const plan::Step&) {}
  static void check(const Checker& c) {
    const size_t rank = check_copy(c);
    c.rank(c.output(0), rank, rank);
    const size_t n = c.step().args.get_ints("axes").size();
    if (n > rank) c.refuse("more axes than dims");
    const Ints& axes = c.integers("axes", n, 0, static_cast<int64_t>(rank) - 1);
    uint32_t seen = 0;
    for (const int64_t axis : axes) seen |= 1u << axis;
    if (static_cast<size_t>(__builtin_popcount(seen)) != n) c.refuse("an axis is sliced twice");
    constexpr int64_t kLow = std::numeric_limits<int64_t>::min() + 1,
                      kHigh = std::numeric_limits<int64_t>::max();
    c.integers("starts", n, kLow, kHigh);
    for (const int64_t step : c.integers("steps", n, kLow, kHigh)) {
      if (step == 0) c.refuse("a step of 0");
    }
  }
  void prepare(runtime::StepContext& context) override {
    const Attributes& args = context.step().args;
    const runtime::SlotView x = context.input(0), y = context.output(0);
    const Ints& axes = args.get_ints("axes");
    const Ints& starts = args.get_ints("starts");
    const Ints& steps = args.get_ints("steps");
    Dims from = strides_of(x.dims);
    Dims expected(x.dims.begin(), x.dims.end());
    int64_t offset = 0;
    for (size_t i = 0; i < axes.size(); ++i) {
      const auto axis = static_cast<size_t>(axes[i]);
      const int64_t dim = x.dims[axis], step = steps[i], size = y.dims[axis];
      int64_t start = starts[i] < 0 ? starts[i] + dim : starts[i];
      start = std::clamp<int64_t>(start, 0, step > 0 ? dim : std::max<int64_t>(dim - 1, 0));
      // Elements that there are from start on; nothing is added to a step, which may be huge.
      const int64_t behind = dim - start;
      const int64_t room = step > 0   ? behind / step + (behind % step != 0 ? 1 : 0)
                           : dim == 0 ? 0
                                      : start / -step + 1;
      require_dims(context, size <= room, "the slice reaches outside of the input");
      expected[axis] = size;
      if (size > 0) offset += start * from[axis];
      from[axis] = size > 1 ? from[axis] * step : 0;
    }
    require_dims(context, std::ranges::equal(expected, y.dims),
                 "the output does not fit the slice");
    args_ = make_copy(y.dims, from, strides_of(y.dims), x.dtype, x.data,
                      count(y.dims) > 0 ? offset : 0, y.data, 0);
  }
};

class ExpandStep : public CopyStep {
 public:
  explicit ExpandStep(const plan::Step&) {}
  static void check(const Checker& c) { check_copy(c); }
  void prepare(runtime::StepContext& context) override {
    const runtime::SlotView x = context.input(0), y = context.output(0);
    require_dims(context, x.dims.size() <= y.dims.size(),
                 "the output has fewer dims than the input");
    const Dims strides = strides_of(x.dims);
    Dims from(y.dims.size(), 0);
    const size_t missing = y.dims.size() - x.dims.size();
    for (size_t i = missing; i < from.size(); ++i) {
      const int64_t own = x.dims[i - missing];
      require_dims(context, own == y.dims[i] || own == 1,
                   "the input does not broadcast to the output");
      from[i] = own == 1 ? 0 : strides[i - missing];
    }
    count(y.dims);
    args_ = make_copy(y.dims, from, strides_of(y.dims), x.dtype, x.data, 0, y.data, 0);
  }
};

// Several copies, one per part.
class PartsStep : public runtime::Step {
 public:
  Status run(runtime::StepContext&, int worker, int workers) noexcept override {
    for (const CopyArgs& part : parts_) kernels::copy(&part, worker, workers);
    return Status::kOk;
  }

 protected:
  static void check_parts(const Checker& c, const plan::Slot& whole, size_t parts, bool is_input) {
    check_bytes(c, whole.dtype);
    const size_t rank = c.rank(whole, 1, kRank);
    c.integer("axis", 0, static_cast<int64_t>(rank) - 1);
    for (size_t i = 0; i < parts; ++i) {
      c.rank(is_input ? c.input(i, whole.dtype) : c.output(i, whole.dtype), rank, rank);
    }
  }
  // Part at `offset` along the axis of the whole, whose element strides are `strides`.
  void check_part(const runtime::StepContext& context,
                  std::span<const int64_t> part,
                  std::span<const int64_t> whole,
                  size_t axis) const {
    for (size_t i = 0; i < whole.size(); ++i) {
      require_dims(context, i == axis || part[i] == whole[i], "a part does not fit the whole");
    }
  }

  std::vector<CopyArgs> parts_;
};

class SplitStep : public PartsStep {
 public:
  explicit SplitStep(const plan::Step&) {}
  static void check(const Checker& c) {
    c.arity(1, 1, 1, std::numeric_limits<size_t>::max());
    check_parts(c, c.input(0), c.step().outputs.size(), false);
  }
  void prepare(runtime::StepContext& context) override {
    const runtime::SlotView x = context.input(0);
    const auto axis = static_cast<size_t>(context.step().args.get_int("axis"));
    const Dims strides = strides_of(x.dims);
    parts_.clear();
    int64_t at = 0;
    for (size_t i = 0; i < context.step().outputs.size(); ++i) {
      const runtime::SlotView y = context.output(i);
      check_part(context, y.dims, x.dims, axis);
      require_dims(context, at + y.dims[axis] <= x.dims[axis],
                   "the parts are larger than the whole");
      parts_.push_back(make_copy(y.dims, strides, strides_of(y.dims), x.dtype, x.data,
                                 at * strides[axis], y.data, 0));
      at += y.dims[axis];
    }
    require_dims(context, at == x.dims[axis], "the parts are smaller than the whole");
  }
};

class ConcatStep : public PartsStep {
 public:
  explicit ConcatStep(const plan::Step&) {}
  static void check(const Checker& c) {
    c.arity(1, std::numeric_limits<size_t>::max());
    check_parts(c, c.output(0), c.inputs(), true);
  }
  void prepare(runtime::StepContext& context) override {
    const runtime::SlotView y = context.output(0);
    const auto axis = static_cast<size_t>(context.step().args.get_int("axis"));
    const Dims strides = strides_of(y.dims);
    parts_.clear();
    int64_t at = 0;
    for (size_t i = 0; i < context.step().inputs.size(); ++i) {
      const runtime::SlotView x = context.input(i);
      check_part(context, x.dims, y.dims, axis);
      require_dims(context, at + x.dims[axis] <= y.dims[axis],
                   "the parts are larger than the whole");
      parts_.push_back(make_copy(x.dims, strides_of(x.dims), strides, x.dtype, x.data, 0, y.data,
                                 at * strides[axis]));
      at += x.dims[axis];
    }
    require_dims(context, at == y.dims[axis], "the parts are smaller than the whole");
  }
};

}  // namespace

void register_movement(runtime::Registry& registry) {
  registry.add(step_kernel<TransposeStep>("cpu.transpose"));
  registry.add(step_kernel<SliceStep>("cpu.slice"));
  registry.add(step_kernel<ExpandStep>("cpu.expand"));
  registry.add(step_kernel<SplitStep>("cpu.split"));
  registry.add(step_kernel<ConcatStep>("cpu.concat"));
}

}  // namespace planish::backends::cpu
