// Random graphs around the patterns of the passes. Each pass has a generator in its own file beside
// it, <pass>_graphs_test.cc:
//
//   PLANISH_GRAPHS(double_negation, {.kinds = {"Neg(Neg(x)) is x"}}) {
//     const V x = draw.value(draw.pick(kFloats), draw.dims(0, 3));
//     draw.emit(draw.one_in(4) ? "Abs" : "Neg", {draw.emit("Neg", {x})});
//   }
//
// It draws the pattern and its near misses and nothing else. make_sample() puts surroundings around
// it: graph inputs with open dims, shared constants, other readers, duplicates of nodes, outputs in
// the middle, a second pattern behind it, the bodies of If and Loop with captures. Every node is
// evaluated as it is drawn, so a generator may look at sizes and contents, and a graph whose first
// run would fail is never made: emit() throws, and make_sample() draws again.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/value.h"
#include "ir/graph.h"

namespace planish::passes {

using V = ir::ValueId;

// What floats are drawn from: eighths within [-2, 2]; those and NaN, infinities and zeros of either
// sign; those and denormals, the largest numbers and the extremes of the integers.
enum class Data : uint8_t { kMild, kSpecial, kWild };

// A graph without inferred types, with inputs in the order of graph->inputs(). Run 0 succeeds; the
// others have other data and other sizes of the open dims, and may fail.
struct Sample {
  std::unique_ptr<ir::Graph> graph;
  std::vector<std::vector<Value>> runs;
  Data data = Data::kMild;
};
Sample copy(const Sample& sample);

inline constexpr std::array kFloats = {DType::kFloat32, DType::kFloat32, DType::kFloat64,
                                       DType::kFloat16};
inline constexpr std::array kNumbers = {DType::kFloat32, DType::kFloat64, DType::kFloat16,
                                        DType::kInt32, DType::kInt64};
inline constexpr std::array kTypes = {DType::kFloat32, DType::kFloat64, DType::kFloat16,
                                      DType::kInt32,   DType::kInt64,   DType::kBool};

// One graph under construction: the main one or a block of it.
class Draw {
 public:
  struct Shared {
    std::mt19937_64 random;
    Data data = Data::kMild;
    bool open_dims = true;
    uint64_t names = 0;
    std::vector<Tensor> inputs;  // of the main graph, for run 0
  };
  // The blocks of one node share its captures.
  struct Captures {
    Draw& outer;
    std::vector<V> values;  // of the outer graph, in order
    std::vector<Draw*> blocks;
  };
  Draw(Shared& shared, ir::Graph& graph, Captures* captures = nullptr)
      : shared_(shared), graph_(graph), captures_(captures) {}

  // --- chance
  int64_t below(int64_t n);
  bool one_in(int64_t n) { return below(n) == 0; }
  template <class T, size_t N>
  T pick(const std::array<T, N>& from) {
    return from[static_cast<size_t>(below(static_cast<int64_t>(N)))];
  }
  const char* pick(std::initializer_list<const char*> from);
  V pick(const std::vector<V>& from);
  // Dims of a rank within the bounds: mostly 1 to 3, now and then 0 or 4.
  int64_t dim();
  Dims dims(int64_t least_rank, int64_t most_rank);
  Tensor tensor(DType dtype, const Dims& dims);
  Data data() const { return shared_.data; }

  // --- values
  // Some value of this type: a new graph input, one that is there, a captured one, a constant.
  V value(DType dtype, const Dims& dims);
  // A graph input, in a block a capture of one, so that nothing is known of its content. In run 0
  // it is this.
  V open(Tensor tensor);
  V open(DType dtype, const Dims& dims) { return open(tensor(dtype, dims)); }
  // A constant, now and then one that is there, or behind an Identity.
  V constant(DType dtype, const Dims& dims) { return constant(tensor(dtype, dims)); }
  V constant(Tensor tensor);
  V ints(const std::vector<int64_t>& numbers);
  // The numbers as a constant, or as something that comes to them at the run only.
  V hidden_ints(const std::vector<int64_t>& numbers);

  // --- nodes
  V emit(std::string_view op, std::vector<V> inputs, Attributes attributes = {});
  std::vector<V> emit_many(std::string_view op,
                           std::vector<V> inputs,
                           size_t outputs,
                           Attributes attributes = {});
  using Body = void (*)(Draw&);
  // An If with this condition, whose branch taken holds what `body` draws.
  std::vector<V> branch(V condition, Body body);
  // A Loop of few iterations, whose body holds what `body` draws.
  std::vector<V> loop(Body body);
  // `x`, a node or a few behind it, or a twin of the node that makes it.
  V surround(V x);

  const Tensor& at(V value) const { return values_.at(value); }
  const Dims& dims_of(V value) const { return at(value).dims(); }
  DType dtype_of(V value) const { return at(value).dtype(); }
  const ir::Graph& graph() const { return graph_; }
  // What emit() made in this graph, in order.
  const std::vector<V>& made() const { return made_; }
  // Makes outputs of the main graph or block of some values; at least one.
  std::vector<V> choose_outputs();

 private:
  std::string name(char kind);
  double special();
  Shape opened(const Dims& dims);
  V capture(V outer);
  V learn(V id, Tensor tensor);
  std::vector<V> add(ir::Node node, size_t outputs, bool readable = true);

  Shared& shared_;
  ir::Graph& graph_;
  Captures* captures_;      // of a block
  std::vector<V> formals_;  // of the captures
  std::unordered_map<V, Tensor> values_;
  std::vector<V> made_, constants_, known_;
  std::vector<V> ends_;  // made, but only to be outputs
};

Attributes with(std::string name, Attribute value);

struct Source {
  std::string_view pass = {};
  // What the pass says when it fires, one pattern for each kind of rewrite: `*` stands for a word.
  // Names of nodes are replaced by their operators first. All must come up, and no others.
  std::vector<std::string> kinds;
  // Those that change the order or the width of floating arithmetic by design.
  std::vector<std::string> inexact = {};
  // Graphs for each kind, against those of other passes: more where few of them match.
  size_t share = 1;
  void (*draw)(Draw& draw) = nullptr;
};
// By name of the pass, in no order.
const std::vector<Source>& sources();
bool register_graphs(Source source);

// Around the pattern of `source`. The same for the same seed.
Sample make_sample(const Source& source, uint64_t seed, uint64_t* rejected = nullptr);

#define PLANISH_GRAPHS(name, ...)                             \
  static void graphs_##name(Draw& draw);                      \
  [[maybe_unused]] static const bool registered_##name = [] { \
    Source source __VA_ARGS__;                                \
    source.pass = #name;                                      \
    source.draw = &graphs_##name;                             \
    return register_graphs(std::move(source));                \
  }();                                                        \
  static void graphs_##name(Draw& draw)

}  // namespace planish::passes
