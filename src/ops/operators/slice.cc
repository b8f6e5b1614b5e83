// Starts, ends and axes were attributes up to opset 9.
#include <algorithm>
#include <limits>

#include "ops/movement.h"

namespace planish::ops {

namespace {

// How many elements start:end:1 keeps of `extent`, where that has a simple form.
std::optional<SizeExpr> forward_length(const SizeExpr& start,
                                       const SizeExpr& end,
                                       const SizeExpr& extent) {
  // A bound at or past any size means the end.
  constexpr int64_t kFar = std::numeric_limits<int32_t>::max();
  const auto place = [&](const SizeExpr& at) -> std::optional<SizeExpr> {
    const std::optional<int64_t> number = at.constant();
    if (number && *number >= kFar) return extent;
    if (number && *number < 0) {
      if (*number <= -kFar) return SizeExpr(0);
      return SizeExpr::max(extent + at, 0);
    }
    if (!number && !never_negative(at)) return std::nullopt;
    return at == extent || number == 0 ? at : SizeExpr::min(at, extent);
  };
  const auto from = place(start), to = place(end);
  if (!from || !to) return std::nullopt;
  if (*from == SizeExpr(0)) return to;
  if (*to == extent && start.is_constant()) {
    if (never_negative(start)) return SizeExpr::max(extent - start, 0);
    return SizeExpr::min(extent, -start);
  }
  const SizeExpr length = *to - *from;
  return never_negative(length) ? length : SizeExpr::max(length, 0);
}

// All constant: as the reference counts.
int64_t exact_length(int64_t start, int64_t end, int64_t step, int64_t extent) {
  const auto place = [extent](int64_t at, int64_t low, int64_t high) {
    return std::clamp(at < 0 ? at + extent : at, low, std::max(low, high));
  };
  const bool back = step < 0;
  const int64_t from = place(start, 0, back ? extent - 1 : extent);
  const int64_t to = place(end, back ? -1 : 0, back ? extent - 1 : extent);
  const int64_t distance = extent == 0 ? 0 : back ? from - to : to - from;
  if (distance <= 0) return 0;
  const auto width = back ? 0 - static_cast<uint64_t>(step) : static_cast<uint64_t>(step);
  return static_cast<int64_t>((static_cast<uint64_t>(distance) - 1) / width) + 1;
}

void infer_slice(InferContext& context) {
  const Shape* x = context.input_shape(0);
  if (x == nullptr) return set_shape(context, std::nullopt);
  const auto rank = static_cast<int64_t>(x->size());
  const auto starts = context.input_symbolic(1), ends = context.input_symbolic(2);
  std::optional<std::vector<int64_t>> axes, steps;
  if (context.has_input(3)) {
    axes = context.input_ints(3);
  } else if (const auto count = described_shape(context, 1)) {
    axes.emplace();
    for (size_t i = 0; i < count->size(); ++i) axes->push_back(static_cast<int64_t>(i));
  }
  if (!axes) return set_shape(context, fresh_shape(context, rank));
  const std::vector<int64_t> at = normalize_axes(context, *axes, rank);
  if (context.has_input(4))
    steps = context.input_ints(4);
  else
    steps = std::vector<int64_t>(at.size(), 1);
  if ((starts && starts->elements.size() != at.size()) ||
      (ends && ends->elements.size() != at.size()) || (steps && steps->size() != at.size()))
    context.fail(
        fmt::format("starts, ends, axes and steps must be equally many ({} axes)", at.size()));
  Shape out = *x;
  for (size_t i = 0; i < at.size(); ++i) {
    SizeExpr& dim = out[static_cast<size_t>(at[i])];
    if (steps && (*steps)[i] == 0) context.fail("a step is 0");
    std::optional<SizeExpr> length;
    if (starts && ends && steps) {
      const SizeExpr &start = starts->elements[i], &end = ends->elements[i];
      const int64_t step = (*steps)[i];
      if (start.is_constant() && end.is_constant() && dim.is_constant()) {
        length = exact_length(*start.constant(), *end.constant(), step, *dim.constant());
      } else if (step > 0) {
        length = forward_length(start, end, dim);
        if (length && step > 1) length = SizeExpr::ceil_div(*length, step);
      } else if (step == -1 && start == SizeExpr(-1) && end.is_constant() &&
                 *end.constant() <= -std::numeric_limits<int32_t>::max()) {
        length = dim;  // the whole axis, reversed
      }
    }
    dim = length ? *length : context.fresh_dim();
  }
  const std::optional<int64_t> length = rank == 1 ? out[0].constant() : std::nullopt;
  set_shape(context, std::move(out));
  const auto content = context.input_symbolic(0);
  if (!content || !length || content->dims.size() != 1) return;
  if (at.empty()) return context.set_symbolic(0, *content);
  if (!starts || !steps || !starts->elements[0].is_constant()) return;
  const int64_t extent = content->dims[0], step = (*steps)[0];
  int64_t from = *starts->elements[0].constant();
  if (from < 0) from += extent;
  from = std::clamp<int64_t>(from, 0, step < 0 ? std::max<int64_t>(extent - 1, 0) : extent);
  ir::SymbolicTensor part{{*length}, {}};
  for (int64_t i = 0; i < *length; ++i)
    part.elements.push_back(content->elements[static_cast<size_t>(from + i * step)]);
  context.set_symbolic(0, std::move(part));
}

void upgrade_slice(UpgradeContext& context) {
  if (context.from() >= 10) return;
  attribute_to_input(context, "starts", 1);
  attribute_to_input(context, "ends", 2);
  attribute_to_input(context, "axes", 3);
}

}  // namespace

PLANISH_OPERATOR(slice) {
  OpDef d = mover("Slice");
  d.inputs.insert(d.inputs.end(),
                  {index_input("starts"), index_input("ends"),
                   index_input("axes", Arity::kOptional), index_input("steps", Arity::kOptional)});
  d.legacy_attributes = {"axes", "ends", "starts"};
  d.infer = &infer_slice;
  d.upgrade = &upgrade_slice;
  return d;
}

}  // namespace planish::ops
