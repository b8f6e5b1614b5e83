// Operators that give the same bytes other dims (no step at all), and those that tell the dims.
#include <algorithm>

#include "backends/cpu/compile/fuse.h"

namespace planish::backends::cpu {
namespace {

// Shape and axes inputs are consumed by shape inference: the output's dims are expressions of sizes
// known at bind, else the compiler does not ask.
Support supports(const Facts& facts) {
  if (facts.op() == "Dropout") {
    if (facts.outputs() > 1) return Support::no("its mask output has no cpu kernel");
    if (facts.has_input(2)) {
      const Tensor* training = facts.constant(2);
      if (training == nullptr || training->dtype() != DType::kBool || training->size() != 1 ||
          std::to_integer<int>(training->raw()[0]) != 0) {
        return Support::no("training mode has no cpu kernel");
      }
    }
  }
  if (facts.op() == "Reshape" || facts.op() == "Squeeze" || facts.op() == "Unsqueeze") {
    if (facts.has_input(1) && facts.constant(1) == nullptr && !facts.input(1).symbolic) {
      return Support::no("its shape input is known only when the node runs");
    }
  }
  return Support::yes();
}

std::string lower(const Facts& facts, LowerContext& context) {
  context.alias(facts.node().outputs[0], facts.node().inputs[0]);
  return "alias";
}

Support always(const Facts&) { return Support::yes(); }

std::string lower_shape(const Facts& facts, LowerContext& context) {
  const int64_t rank = facts.rank(0);
  const auto bound = [&](const char* name, int64_t fallback) {
    const int64_t given = facts.attributes().get_int(name, fallback);
    return std::clamp<int64_t>(given < 0 ? given + rank : given, 0, rank);
  };
  const int64_t first = bound("start", 0), last = bound("end", rank);
  plan::Step step = make_step(facts, context, "cpu.shape", 1);
  step.args.set("first", first);
  step.args.set("count", std::max<int64_t>(last - first, 0));
  context.add_step(std::move(step));
  return "shape";
}

std::string lower_size(const Facts& facts, LowerContext& context) {
  context.add_step(make_step(facts, context, "cpu.size", 1));
  return "shape";
}

}  // namespace

PLANISH_LOWERINGS(views) {
  static constexpr Lowering kAll[] = {
      {"Reshape", &supports, &lower},   {"Flatten", &supports, &lower},
      {"Squeeze", &supports, &lower},   {"Unsqueeze", &supports, &lower},
      {"Identity", &supports, &lower},  {"Dropout", &supports, &lower},
      {"Shape", &always, &lower_shape}, {"Size", &always, &lower_size}};
  return kAll;
}

}  // namespace planish::backends::cpu
