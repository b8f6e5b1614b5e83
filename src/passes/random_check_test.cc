// Comparison before and after the optimiser: see random_check_test.h.
#include "passes/random_check_test.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/elements.h"
#include "ops/op.h"

namespace planish::passes {
namespace {

// A fifth of a permille in float32: what build() itself allows is 1e-3 (docs/numerics.md).
constexpr double kRoundings = 4096;
// In 16 bits the chains here are short, so that fewer roundings come together.
constexpr double kNarrowRoundings = 96;
// Behind these operators a difference of one rounding, or of the sign of a zero, may become any.
constexpr std::array kJumps = {"Cast", "CastLike", "Div", "Mod", "ThresholdedRelu",
                               "Sqrt", "Not",      "Exp"};

template <class F>
void for_each_node(const ir::Graph& graph, const F& visit) {
  for (const ir::NodeId id : graph.order()) {
    visit(graph, graph.node(id));
    for (const auto& block : graph.node(id).blocks) for_each_node(*block, visit);
  }
}

// "took the cast bfloat16 of n17 out of the way" as "took the cast bfloat16 of Cast out of ..."
std::string without_names(std::string_view text, const std::map<std::string, std::string>& ops) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find(' ', at), text.size());
    std::string_view word = text.substr(at, end - at);
    std::string_view tail;
    if (word.ends_with(':')) {
      tail = ":";
      word.remove_suffix(1);
    }
    const auto op = ops.find(std::string(word));
    if (!out.empty()) out += ' ';
    out += op == ops.end() ? word : std::string_view(op->second);
    out += tail;
    at = end + 1;
  }
  return out;
}

// `*` in the pattern is one word.
bool fits(std::string_view text, std::string_view pattern) {
  while (!pattern.empty() && !text.empty()) {
    if (pattern.front() == '*') {
      const size_t stop = text.find_first_of(" :");
      if (stop == 0) return false;
      text.remove_prefix(std::min(stop, text.size()));
    } else {
      if (pattern.front() != text.front()) return false;
      text.remove_prefix(1);
    }
    pattern.remove_prefix(1);
  }
  return pattern.empty() && text.empty();
}

struct Kinds {
  explicit Kinds(const ir::Graph& before) {
    for_each_node(before, [&](const ir::Graph&, const ir::Node& node) {
      ops[node.name] = node.op;
      jumps |= std::ranges::find(kJumps, node.op) != kJumps.end();
    });
  }
  void add(const Decision& decision, Tally* tally) {
    if (!decision.fired) return;
    const std::string text = without_names(decision.what, ops);
    std::string key = fmt::format("{} ? {}", decision.pass, text);
    for (const Source& source : sources()) {
      if (source.pass != decision.pass) continue;
      for (const std::string& kind : source.kinds) {
        if (fits(text, kind)) key = fmt::format("{}: {}", decision.pass, kind);
      }
      inexact |= std::ranges::any_of(source.inexact,
                                     [&](const std::string& kind) { return fits(text, kind); });
    }
    if (tally != nullptr) ++tally->fired[key];
  }

  std::map<std::string, std::string> ops;
  bool jumps = false, inexact = false;
};

// What a run met on its way.
struct Range {
  bool empty_stack = false;  // from a Loop without iterations
  double largest = 1;        // finite magnitude
  double allowed = 1e-9;     // by which a value may differ, as a share of `largest`

  void see(const Tensor& tensor) {
    switch (tensor.dtype()) {
      case DType::kFloat64:
        break;
      case DType::kFloat32:
        allowed = std::max(allowed, kRoundings * 0x1p-24);
        break;
      case DType::kFloat16:
        allowed = std::max(allowed, kNarrowRoundings * 0x1p-11);
        break;
      case DType::kBfloat16:
        allowed = std::max(allowed, kNarrowRoundings * 0x1p-8);
        break;
      default:
        return;
    }
    for (int64_t i = 0; i < tensor.size(); ++i) {
      const double v = std::abs(load_double(tensor, i));
      if (std::isfinite(v)) largest = std::max(largest, v);
    }
  }
};

std::vector<Value> interpret(const ir::Graph& graph,
                             const std::vector<Value>& inputs,
                             Range* range = nullptr) {
  std::vector<const Value*> pointers;
  for (const Value& v : inputs) pointers.push_back(&v);
  ops::InterpretOptions options;
  options.check_types = true;
  if (range != nullptr) {
    for (const Value& v : inputs) range->see(v.tensor());
    options.on_value = [range](const ir::Graph& g, const ir::ValueDef& def, const Value& value) {
      if (!value.is_tensor()) return;
      range->see(value.tensor());
      const Dims& dims = value.tensor().dims();
      range->empty_stack |= !dims.empty() && dims[0] == 0 && g.node(def.producer).op == "Loop";
    };
  }
  return ops::interpret(graph, pointers, options);
}

bool same_double(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

// `tolerance` is absolute; 0 asks for the same bits, below 0 nothing is asked of floats.
std::string compare(const Tensor& got, const Tensor& want, double tolerance) {
  if (got.dtype() != want.dtype() || got.dims() != want.dims()) {
    return fmt::format("is {} {} instead of {} {}", to_string(got.dtype()),
                       dims_to_string(got.dims()), to_string(want.dtype()),
                       dims_to_string(want.dims()));
  }
  if (tolerance < 0) return {};
  if (!is_floating(got.dtype())) {
    const auto bytes = static_cast<size_t>(got.bytes());
    return bytes == 0 || std::memcmp(got.raw(), want.raw(), bytes) == 0 ? "" : "has other bits";
  }
  for (int64_t i = 0; i < got.size(); ++i) {
    const double a = load_double(got, i);
    const double b = load_double(want, i);
    if (same_double(a, b)) continue;
    if (std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= tolerance && tolerance > 0) {
      continue;
    }
    return fmt::format("has {} instead of {} at {}", a, b, i);
  }
  return {};
}

bool compatible(const Type& a, const Type& b) {
  if (!a.is_tensor() || !b.is_tensor()) return true;
  if (a.dtype != b.dtype && a.dtype != DType::kUndefined && b.dtype != DType::kUndefined) {
    return false;
  }
  if (!a.shape || !b.shape) return true;
  if (a.shape->size() != b.shape->size()) return false;
  for (size_t i = 0; i < a.shape->size(); ++i) {
    if (equal((*a.shape)[i], (*b.shape)[i]) == Tri::kNo) return false;
  }
  return true;
}

std::string compare_interfaces(const ir::Graph& after, const ir::Graph& before) {
  if (after.inputs().size() != before.inputs().size()) return "another number of inputs";
  if (after.outputs().size() != before.outputs().size()) return "another number of outputs";
  for (size_t i = 0; i < before.inputs().size(); ++i) {
    if (after.value(after.inputs()[i]).name != before.value(before.inputs()[i]).name) {
      return fmt::format("input {} has another name", i);
    }
  }
  for (size_t i = 0; i < before.outputs().size(); ++i) {
    const Type& a = after.value(after.outputs()[i]).type;
    const Type& b = before.value(before.outputs()[i]).type;
    if (!compatible(a, b)) {
      return fmt::format("output {} is {} instead of {}", i, to_string(a), to_string(b));
    }
  }
  return {};
}

}  // namespace

std::vector<Decision> optimise_with(ir::Graph& graph, const Options& options) {
  Context context;
  context.evaluate = [](const ir::Node& node, std::span<const Value* const> inputs) {
    return ops::evaluate_node(node, inputs);
  };
  return run(graph, context, options).decisions;
}

std::optional<Failure> check(const Sample& sample, const Optimiser& optimise, Tally* tally) {
  const std::unique_ptr<ir::Graph> before = sample.graph->clone();
  std::vector<std::vector<Value>> wanted;
  std::vector<Range> ranges;
  try {
    ops::infer(*before);
    ir::verify(*before);
  } catch (const Error& error) {
    return Failure{"the graph is refused", error.what()};
  }
  for (size_t i = 0; i < sample.runs.size(); ++i) {
    ranges.emplace_back();
    wanted.emplace_back();
    try {
      wanted.back() = interpret(*before, sample.runs[i], &ranges.back());
      // Which dims a stack of nothing has, only the types tell; passes may come to know them
      // better. In run 0 nobody reads it (Draw::loop).
      if (i > 0 && ranges[i].empty_stack) wanted[i].clear();
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kMismatch) {
        return Failure{"inference and evaluation differ", error.what()};
      }
      if (i == 0) return Failure{fmt::format("the graph fails: {}", error.what()), ""};
      if (tally != nullptr) ++tally->failing;
    }
  }
  const std::unique_ptr<ir::Graph> after = before->clone();
  Kinds kinds(*before);
  try {
    for (const Decision& decision : optimise(*after)) kinds.add(decision, tally);
    ops::infer(*after);
    ir::verify(*after);
  } catch (const Error& error) {
    return Failure{"the optimiser fails", error.what()};
  }
  if (std::string d = compare_interfaces(*after, *before); !d.empty()) {
    return Failure{"the interface changed", d + "\n" + ir::print(*after)};
  }
  for (size_t i = 0; i < sample.runs.size(); ++i) {
    if (wanted[i].empty()) continue;
    double tolerance = kinds.inexact ? ranges[i].allowed * ranges[i].largest : 0;
    if (kinds.inexact && (kinds.jumps || sample.data == Data::kWild)) tolerance = -1;
    if (tally != nullptr) {
      ++tally->runs;
      tally->loose += tolerance < 0 ? 1 : 0;
    }
    std::vector<Value> got;
    try {
      got = interpret(*after, sample.runs[i]);
    } catch (const Error& error) {
      return Failure{"the optimised graph fails", error.what() + ("\n" + ir::print(*after))};
    }
    for (size_t k = 0; k < got.size(); ++k) {
      const Tensor& want = wanted[i][k].tensor();
      const bool stack = ranges[i].empty_stack && want.size() == 0;
      if (stack && got[k].tensor().size() == 0) continue;
      const std::string d = compare(got[k].tensor(), want, tolerance);
      if (!d.empty()) {
        return Failure{"the values differ", fmt::format("run {}, output {} {}; optimised:\n{}", i,
                                                        k, d, ir::print(*after))};
      }
    }
  }
  try {
    for (const Decision& decision : optimise(*after)) {
      if (!decision.fired) continue;
      return Failure{"not a fixed point", fmt::format("{} {}: {}\n{}", decision.pass, decision.node,
                                                      decision.what, ir::print(*after))};
    }
  } catch (const Error& error) {
    return Failure{"the second run fails", error.what()};
  }
  return std::nullopt;
}

std::string describe(const Sample& sample) {
  std::string out = ir::print(*sample.graph);
  for (size_t i = 0; i < sample.runs.size(); ++i) {
    ir::Graph inputs(fmt::format("inputs_{}", i));
    for (size_t k = 0; k < sample.runs[i].size(); ++k) {
      inputs.add_constant(sample.graph->value(sample.graph->inputs()[k]).name,
                          sample.runs[i][k].tensor());
    }
    out += ir::print(inputs);
  }
  return out;
}

}  // namespace planish::passes
