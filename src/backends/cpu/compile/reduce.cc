// Reductions over neighbouring axes, the global pools among them.
#include <algorithm>

#include "backends/cpu/compile/fuse.h"
#include "kernels/norm/norm.h"

namespace planish::backends::cpu {
namespace {

const kernels::NormVariant& variant() {
  return *kernels::best_variant(kernels::norm_variants(), 0);
}

struct Name {
  std::string_view op, name;
};
constexpr Name kNames[] = {{"ReduceSum", "sum"},
                           {"ReduceMean", "mean"},
                           {"ReduceMax", "max"},
                           {"ReduceMin", "min"},
                           {"ReduceL1", "l1"},
                           {"ReduceL2", "l2"},
                           {"ReduceSumSquare", "sum_square"},
                           {"GlobalAveragePool", "mean"},
                           {"GlobalMaxPool", "max"}};

struct Axes {
  int64_t first = 0, count = 0;
};

// Nothing when the axes are not known or not neighbours (dims of 1 between them do not matter).
std::optional<Axes> read(const Facts& facts, std::string& why) {
  const int64_t rank = facts.rank(0);
  if (facts.op().starts_with("Global")) {
    if (rank < 2) {
      why = "an input without channels";
      return std::nullopt;
    }
    return Axes{2, rank - 2};
  }
  Ints axes;
  if (facts.has_input(1)) {
    const std::optional<Ints> given = facts.integers(1);
    if (!given) {
      why = "its axes are not constant";
      return std::nullopt;
    }
    axes = *given;
  }
  if (axes.empty()) {
    if (facts.attributes().get_int("noop_with_empty_axes", 0) != 0) {
      why = "without axes it reduces nothing";
      return std::nullopt;
    }
    return Axes{0, rank};
  }
  for (int64_t& axis : axes) {
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) {
      why = "no such axis";
      return std::nullopt;
    }
  }
  std::ranges::sort(axes);
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  for (int64_t i = axes.front(); i <= axes.back(); ++i) {
    if (!std::ranges::binary_search(axes, i) &&
        facts.shape(0)[static_cast<size_t>(i)] != SizeExpr(1)) {
      why = "the reduced axes are not neighbours";
      return std::nullopt;
    }
  }
  return Axes{axes.front(), axes.back() - axes.front() + 1};
}

Support supports(const Facts& facts) {
  if (facts.dtype(0) != DType::kFloat32) return no_dtype(facts.dtype(0));
  std::string why;
  return read(facts, why) ? Support::yes() : Support::no(why);
}

std::string lower(const Facts& facts, LowerContext& context) {
  std::string why;
  const Axes axes = read(facts, why).value();
  plan::Step step = make_step(facts, context, "cpu.reduce_f32", 1);
  const auto* name = std::ranges::find(kNames, facts.op(), &Name::op);
  step.args.set("tactic", std::string(variant().name));
  step.args.set("op", std::string(name->name));
  step.args.set("axis", axes.first);
  step.args.set("count", axes.count);
  finish(facts, context, std::move(step), std::nullopt);
  return variant().name;
}

}  // namespace

PLANISH_LOWERINGS(reduce) {
  static const std::vector<Lowering> all = [] {
    std::vector<Lowering> list;
    for (const Name& name : kNames) list.push_back({name.op, &supports, &lower});
    return list;
  }();
  return all;
}

}  // namespace planish::backends::cpu
