// Helpers of the pass tests: run chosen passes over a graph in text form and check, on seeded
// random inputs, that the optimised graph computes what the graph did before.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/elements.h"
#include "ops/op.h"
#include "passes/pass.h"

namespace planish::passes {

inline std::vector<Value> evaluate(const ir::Node& node, std::span<const Value* const> inputs) {
  return ops::evaluate_node(node, inputs);
}

// One random tensor: floats in [-2, 2) with a few zeros of either sign, small integers, bools.
inline Tensor random_tensor(DType dtype, const Dims& dims, std::mt19937_64& random) {
  const int64_t count = element_count(dims);
  std::vector<double> values(static_cast<size_t>(count));
  for (double& v : values) {
    const auto bits = static_cast<double>(random() >> 11) * 0x1p-53;
    if (is_floating(dtype)) {
      v = bits * 4 - 2;
      if (random() % 16 == 0) v = std::copysign(0.0, v);
    } else {
      v = std::floor(bits * (dtype == DType::kBool ? 2 : 5));
    }
  }
  return from_doubles(dtype, dims, values);
}

// Inputs for the graph; symbols get 2, 3, 4, ... in order of their names, or what `bindings` says.
inline std::vector<Value> random_inputs(const ir::Graph& graph,
                                        uint64_t seed,
                                        SizeExpr::Bindings bindings = {}) {
  std::set<std::string> symbols;
  for (const ir::ValueId id : graph.inputs()) {
    const Type& type = graph.value(id).type;
    if (!type.has_shape()) continue;
    for (const SizeExpr& dim : *type.shape) symbols.merge(dim.symbols());
  }
  int64_t next = 2;
  for (const std::string& s : symbols) bindings.emplace(s, next++);
  std::mt19937_64 random(seed);
  std::vector<Value> inputs;
  for (const ir::ValueId id : graph.inputs()) {
    const Type& type = graph.value(id).type;
    Dims dims;
    for (const SizeExpr& dim : type.shape.value()) dims.push_back(dim.evaluate(bindings));
    inputs.emplace_back(random_tensor(type.dtype, dims, random));
  }
  return inputs;
}

inline std::vector<Value> interpret(const ir::Graph& graph, const std::vector<Value>& inputs) {
  std::vector<const Value*> pointers;
  for (const Value& v : inputs) pointers.push_back(&v);
  ops::InterpretOptions options;
  options.check_types = true;
  return ops::interpret(graph, pointers, options);
}

// Empty when equal: bit by bit without a tolerance, else |a - b| <= tolerance * (1 + |b|).
inline std::string difference(const Tensor& a, const Tensor& b, double tolerance) {
  if (a.dtype() != b.dtype() || a.dims() != b.dims()) {
    return fmt::format("{} {} instead of {} {}", to_string(a.dtype()), dims_to_string(a.dims()),
                       to_string(b.dtype()), dims_to_string(b.dims()));
  }
  if (a.dtype() == DType::kString) return a.strings() == b.strings() ? "" : "other strings";
  if (tolerance == 0 || !is_floating(a.dtype())) {
    const auto bytes = static_cast<size_t>(a.bytes());
    return bytes == 0 || std::memcmp(a.raw(), b.raw(), bytes) == 0 ? "" : "other bits";
  }
  for (int64_t i = 0; i < a.size(); ++i) {
    const double x = load_double(a, i);
    const double y = load_double(b, i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    if (!(std::abs(x - y) <= tolerance * (1 + std::abs(y)))) {
      return fmt::format("element {}: {} instead of {}", i, x, y);
    }
  }
  return {};
}

inline std::string difference(const ir::Graph& after,
                              const ir::Graph& before,
                              uint64_t seed,
                              double tolerance,
                              const SizeExpr::Bindings& bindings = {}) {
  const std::vector<Value> inputs = random_inputs(before, seed, bindings);
  const std::vector<Value> want = interpret(before, inputs);
  const std::vector<Value> got = interpret(after, inputs);
  if (want.size() != got.size()) return "other number of outputs";
  for (size_t i = 0; i < want.size(); ++i) {
    if (const std::string d = difference(got[i].tensor(), want[i].tensor(), tolerance);
        !d.empty()) {
      return fmt::format("seed {}, output {}: {}", seed, i, d);
    }
  }
  return {};
}

// Everything but these.
inline Options only(const std::vector<std::string_view>& names) {
  Options options;
  for (const Pass& pass : all()) {
    if (std::ranges::find(names, pass.name) == names.end())
      options.disabled.emplace_back(pass.name);
  }
  return options;
}

struct Result {
  std::unique_ptr<ir::Graph> before, after;
  Report report;

  // The live nodes, one a line, without types.
  std::string nodes() const {
    const std::string text = ir::print(*after, {.types = false});
    std::string out;
    for (size_t at = text.find('\n') + 1; at < text.size();) {
      const size_t end = text.find('\n', at);
      const std::string_view line = std::string_view(text).substr(at, end - at);
      at = end + 1;
      const size_t first = line.find_first_not_of(' ');
      if (first == std::string_view::npos || line == "}") continue;
      if (line.find("= constant ") != std::string_view::npos) continue;
      if (line.substr(first).starts_with("fold ")) continue;
      out += line.substr(std::min<size_t>(first, 2));
      out += '\n';
    }
    return out;
  }
  // "pass node: what" of everything that fired.
  std::vector<std::string> fired() const { return told(true); }
  std::vector<std::string> missed() const { return told(false); }
  const ir::ValueDef& value(std::string_view name) const {
    const ir::ValueId id = after->find_value(name);
    EXPECT_NE(id, ir::kNoValue) << name;
    return after->value(id);
  }
  const ir::Node& maker(std::string_view name) const { return after->node(value(name).producer); }

 private:
  std::vector<std::string> told(bool want_fired) const {
    std::vector<std::string> out;
    for (const Decision& d : report.decisions) {
      if (d.fired == want_fired) out.push_back(fmt::format("{} {}: {}", d.pass, d.node, d.what));
    }
    return out;
  }
};

inline Result optimise(std::unique_ptr<ir::Graph> graph,
                       const Options& options,
                       double tolerance = 0,
                       Context context = {}) {
  Result r;
  ops::infer(*graph);
  ir::verify(*graph);
  r.before = graph->clone();
  r.after = std::move(graph);
  if (!context.evaluate) context.evaluate = evaluate;
  r.report = run(*r.after, context, options);
  ir::verify(*r.after);
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    EXPECT_EQ(difference(*r.after, *r.before, seed, tolerance), "") << ir::print(*r.after);
  }
  return r;
}

inline Result optimise(std::string_view text,
                       const Options& options = {},
                       double tolerance = 0,
                       Context context = {}) {
  return optimise(ir::parse_graph(text), options, tolerance, std::move(context));
}

}  // namespace planish::passes
