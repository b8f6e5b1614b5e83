// Transpose, Slice, Expand, Split, Concat, Gather, Pad.
#include <algorithm>
#include <limits>

#include "backends/cpu/compile/fuse.h"
#include "kernels/movement/movement.h"

namespace planish::backends::cpu {
namespace {

// Elements of whole bytes, at most kMaxRank dims.
Support movable(const Facts& facts) {
  const int bits = bit_width(facts.dtype(0));
  if (bits < 8 || bits > 128) return no_dtype(facts.dtype(0));
  if (facts.rank(0) > kernels::kMaxRank ||
      facts.output_shape().size() > static_cast<size_t>(kernels::kMaxRank)) {
    return Support::no("more than 8 dims");
  }
  return Support::yes();
}

std::string finish_as(const Facts& facts,
                      LowerContext& context,
                      plan::Step step,
                      std::string tactic) {
  finish(facts, context, std::move(step), std::nullopt);
  return tactic;
}

// --- Transpose

std::string lower_transpose(const Facts& facts, LowerContext& context) {
  Ints permutation = facts.attributes().get_ints("perm");
  if (!facts.attributes().has("perm")) {
    for (int64_t i = facts.rank(0); i-- > 0;) permutation.push_back(i);
  }
  plan::Step step = make_step(facts, context, "cpu.transpose", 1);
  step.args.set("permutation", permutation);
  return finish_as(facts, context, std::move(step), "copy");
}

// --- Slice

struct SliceSpec {
  Ints axes, starts, steps;
};

std::optional<SliceSpec> read_slice(const Facts& facts) {
  const std::optional<Ints> starts = facts.integers(1);
  if (!starts) return std::nullopt;
  SliceSpec s;
  s.starts = *starts;
  const size_t n = s.starts.size();
  if (facts.has_input(3)) {
    const std::optional<Ints> axes = facts.integers(3);
    if (!axes) return std::nullopt;
    s.axes = *axes;
  } else {
    for (size_t i = 0; i < n; ++i) s.axes.push_back(static_cast<int64_t>(i));
  }
  if (facts.has_input(4)) {
    const std::optional<Ints> steps = facts.integers(4);
    if (!steps) return std::nullopt;
    s.steps = *steps;
  } else {
    s.steps.assign(n, 1);
  }
  if (s.axes.size() != n || s.steps.size() != n) return std::nullopt;
  for (size_t i = 0; i < n; ++i) {
    if (s.axes[i] < 0) s.axes[i] += facts.rank(0);
    if (s.axes[i] < 0 || s.axes[i] >= facts.rank(0) || s.steps[i] == 0) return std::nullopt;
    // The least integer has no negative.
    constexpr int64_t kLeast = std::numeric_limits<int64_t>::min() + 1;
    s.starts[i] = std::max(s.starts[i], kLeast);
    s.steps[i] = std::max(s.steps[i], kLeast);
  }
  return s;
}

Support supports_slice(const Facts& facts) {
  if (Support s = movable(facts); !s.supported) return s;
  return read_slice(facts) ? Support::yes()
                           : Support::no("its starts, axes or steps are not constant");
}

std::string lower_slice(const Facts& facts, LowerContext& context) {
  const SliceSpec s = read_slice(facts).value();
  plan::Step step = make_step(facts, context, "cpu.slice", 1);
  step.args.set("axes", s.axes);
  step.args.set("starts", s.starts);
  step.args.set("steps", s.steps);
  return finish_as(facts, context, std::move(step), "copy");
}

// --- Expand

std::string lower_expand(const Facts& facts, LowerContext& context) {
  return finish_as(facts, context, make_step(facts, context, "cpu.expand", 1), "copy");
}

// --- Split, Concat

Support supports_split(const Facts& facts) {
  if (Support s = movable(facts); !s.supported) return s;
  for (size_t i = 0; i < facts.outputs(); ++i) {
    if (!facts.has_output(i)) return Support::no("a part is omitted");
  }
  return facts.axis("axis", 0, facts.rank(0)) ? Support::yes() : Support::no("no such axis");
}

std::string lower_split(const Facts& facts, LowerContext& context) {
  plan::Step step = make_step(facts, context, "cpu.split", 1);
  step.args.set("axis", facts.axis("axis", 0, facts.rank(0)).value());
  return finish_as(facts, context, std::move(step), "copy");
}

Support supports_concat(const Facts& facts) {
  if (Support s = movable(facts); !s.supported) return s;
  return facts.axis("axis", 0, facts.rank(0)) ? Support::yes() : Support::no("no such axis");
}

std::string lower_concat(const Facts& facts, LowerContext& context) {
  plan::Step step = make_step(facts, context, "cpu.concat", facts.inputs());
  step.args.set("axis", facts.axis("axis", 0, facts.rank(0)).value());
  return finish_as(facts, context, std::move(step), "copy");
}

// --- Gather

Support supports_gather(const Facts& facts) {
  const int bits = bit_width(facts.dtype(0));
  if (bits < 8 || bits > 128) return no_dtype(facts.dtype(0));
  return facts.axis("axis", 0, facts.rank(0)) ? Support::yes() : Support::no("no such axis");
}

std::string lower_gather(const Facts& facts, LowerContext& context) {
  plan::Step step = make_step(facts, context, "cpu.gather", 2);
  step.args.set("axis", facts.axis("axis", 0, facts.rank(0)).value());
  return finish_as(facts, context, std::move(step), "gather");
}

// --- Pad

std::optional<Ints> read_pads(const Facts& facts) {
  const std::optional<Ints> given = facts.integers(1);
  const auto rank = static_cast<size_t>(facts.rank(0));
  if (!given) return std::nullopt;
  Ints axes;
  if (facts.has_input(3)) {
    const std::optional<Ints> chosen = facts.integers(3);
    if (!chosen) return std::nullopt;
    axes = *chosen;
  } else {
    for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  }
  if (given->size() != 2 * axes.size()) return std::nullopt;
  Ints pads(2 * rank, 0);
  constexpr int64_t kFar = int64_t{1} << 40;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = axes[i] < 0 ? axes[i] + facts.rank(0) : axes[i];
    if (axis < 0 || axis >= facts.rank(0)) return std::nullopt;
    pads[static_cast<size_t>(axis)] = (*given)[i];
    pads[rank + static_cast<size_t>(axis)] = (*given)[axes.size() + i];
  }
  for (const int64_t p : pads) {
    if (p < -kFar || p > kFar) return std::nullopt;
  }
  return pads;
}

Support supports_pad(const Facts& facts) {
  if (Support s = movable(facts); !s.supported) return s;
  if (facts.rank(0) < 1) return Support::no("a scalar input");
  const std::string mode = facts.attributes().get_string("mode", "constant");
  if (mode != "constant") return Support::no(fmt::format("mode '{}' has no cpu kernel", mode));
  return read_pads(facts) ? Support::yes() : Support::no("its pads or axes are not constant");
}

std::string lower_pad(const Facts& facts, LowerContext& context) {
  const Ints pads = read_pads(facts).value();
  plan::Step step = make_step(facts, context, "cpu.pad", 1);
  if (facts.has_input(2)) step.inputs.push_back(context.slot(facts.node().inputs[2]));
  step.args.set("pads", pads);
  return finish_as(facts, context, std::move(step), "pad");
}

}  // namespace

PLANISH_LOWERINGS(movement) {
  static constexpr Lowering kAll[] = {
      {"Transpose", &movable, &lower_transpose},   {"Slice", &supports_slice, &lower_slice},
      {"Expand", &movable, &lower_expand},         {"Split", &supports_split, &lower_split},
      {"Concat", &supports_concat, &lower_concat}, {"Gather", &supports_gather, &lower_gather},
      {"Pad", &supports_pad, &lower_pad}};
  return kAll;
}

}  // namespace planish::backends::cpu
