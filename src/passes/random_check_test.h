// Judges an optimiser on one random graph, and makes a graph on which it fails small.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "passes/pass.h"
#include "passes/random_graphs_test.h"

namespace planish::passes {

// Changes the graph in place and tells what it did.
using Optimiser = std::function<std::vector<Decision>(ir::Graph& graph)>;
// All passes, without those left out.
std::vector<Decision> optimise_with(ir::Graph& graph, const Options& options);

// What was seen over many graphs.
struct Tally {
  // By "pass: kind", as the pattern of Source::kinds that it fits reads; "pass ? text" without one.
  std::map<std::string, uint64_t> fired;
  uint64_t runs = 0;     // compared
  uint64_t failing = 0;  // of other sizes or data, that the graph itself refuses
  uint64_t loose = 0;    // of which only types and shapes were compared
};

struct Failure {
  std::string kind;  // stays the same while the graph shrinks
  std::string text;
};

// Runs the graph before and after `optimise` and compares: no error, a graph that verifies and
// infers, the same inputs, outputs of compatible types, the same values, nothing left to do for a
// second run.
//
// Values are the same bit by bit (NaN equals NaN), unless a rewrite fired that changes floating
// arithmetic by design (Source::inexact). Then the difference may be some thousand roundings of the
// narrowest float type, seen from the largest finite number of the run (see tolerance()). Behind
// operators that jump, and with data that reach the ends of the number range, such a graph is
// compared by types and shapes alone.
std::optional<Failure> check(const Sample& sample,
                             const Optimiser& optimise,
                             Tally* tally = nullptr);

// The smallest sample with a failure of the same kind that dropping and simplifying one thing after
// another leads to.
Sample shrink(Sample sample, const Optimiser& optimise, const Failure& failure);

// Text form of the graph and its inputs.
std::string describe(const Sample& sample);

}  // namespace planish::passes
