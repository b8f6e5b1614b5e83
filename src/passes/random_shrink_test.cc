// Makes a failing graph small. Every step changes one thing of a copy and keeps it when the failure
// is still of the same kind; rounds of all steps follow one another until none helps. A copy that
// is no legal graph any more fails in another way, so steps need not be careful.
#include <algorithm>
#include <set>

#include "base/elements.h"
#include "ops/op.h"
#include "passes/match.h"
#include "passes/random_check_test.h"

namespace planish::passes {
namespace {

constexpr ir::PrintOptions kWhole{.max_constant_elements = INT64_MAX};

std::vector<ir::Graph*> all_graphs(ir::Graph& graph) {
  std::vector<ir::Graph*> list{&graph};
  for (const ir::NodeId id : graph.order()) {
    for (const auto& block : graph.node(id).blocks) {
      for (ir::Graph* inner : all_graphs(*block)) list.push_back(inner);
    }
  }
  return list;
}

// The graph with these of its outputs, without what erased nodes left behind.
std::unique_ptr<ir::Graph> with_outputs(const ir::Graph& graph,
                                        const std::vector<ir::ValueId>& ids) {
  std::string text = ir::print(graph, kWhole);
  text.resize(text.rfind("  return "));
  text += "  return ";
  for (size_t i = 0; i < ids.size(); ++i) {
    text += fmt::format("{}%{}", i == 0 ? "" : ", ", graph.value(ids[i]).name);
  }
  return ir::parse_graph(text + "\n}\n");
}

void erase_when_dead(ir::Graph& graph, ir::NodeId id) {
  const ir::Node& node = graph.node(id);
  if (std::ranges::all_of(node.outputs, [&](V v) { return unused(graph, v); })) {
    graph.erase_node(id);
  }
}

// The first elements along each axis.
Tensor resized(const Tensor& tensor, const Dims& dims) {
  const std::vector<double> old = to_doubles(tensor);
  std::vector<double> values(static_cast<size_t>(element_count(dims)), 0);
  for (size_t i = 0; i < values.size() && i < old.size(); ++i) values[i] = old[i];
  if (is_floating(tensor.dtype())) return from_doubles(tensor.dtype(), dims, values);
  std::vector<int64_t> numbers = to_ints(tensor);
  numbers.resize(values.size());
  return from_ints(tensor.dtype(), dims, numbers);
}

Tensor filled(const Tensor& tensor, int64_t number) {
  return from_ints(tensor.dtype(), tensor.dims(),
                   std::vector<int64_t>(static_cast<size_t>(tensor.size()), number));
}

bool same_tensor(const Tensor& a, const Tensor& b) {
  return a.dims() == b.dims() &&
         std::ranges::equal(std::span(a.raw(), static_cast<size_t>(a.bytes())),
                            std::span(b.raw(), static_cast<size_t>(b.bytes())));
}

class Shrinker {
 public:
  Shrinker(Sample sample, const Optimiser& optimise, std::string kind)
      : best_(std::move(sample)), optimise_(optimise), kind_(std::move(kind)) {}

  Sample run() {
    bool smaller = true;
    for (int round = 0; smaller && round < 8; ++round) {
      smaller = false;
      smaller |= drop_runs();
      smaller |= drop_outputs();
      for (size_t g = 0; g < all_graphs(*best_.graph).size(); ++g) smaller |= drop_nodes(g);
      smaller |= cut();
      smaller |= drop_inputs();
      smaller |= close_dims();
      smaller |= shrink_sizes();
      smaller |= simplify();
      for (size_t g = 0; g < all_graphs(*best_.graph).size(); ++g) smaller |= strip(g);
    }
    best_.graph = with_outputs(*best_.graph, best_.graph->outputs());
    return std::move(best_);
  }

 private:
  template <class F>
  bool attempt(const F& change) {
    Sample next = copy(best_);
    try {
      if (!change(next)) return false;
      const std::optional<Failure> failure = check(next, optimise_);
      if (!failure || failure->kind != kind_) return false;
    } catch (const Error&) {
      return false;
    }
    best_ = std::move(next);
    return true;
  }

  bool drop_runs() {
    if (best_.runs.size() < 2) return false;
    return attempt([](Sample& s) {
             s.runs.pop_back();
             return true;
           }) ||
           attempt([](Sample& s) {
             s.runs.erase(s.runs.begin());
             return true;
           });
  }

  bool drop_outputs() {
    bool any = false;
    for (size_t i = best_.graph->outputs().size(); i-- > 0;) {
      if (best_.graph->outputs().size() < 2) break;
      any |= attempt([i](Sample& s) {
        std::vector<ir::ValueId> outputs = s.graph->outputs();
        outputs.erase(outputs.begin() + static_cast<ptrdiff_t>(i));
        s.graph = with_outputs(*s.graph, outputs);
        return true;
      });
    }
    return any;
  }

  // Takes out dead nodes, and puts an input in the place of a node's output.
  bool drop_nodes(size_t g) {
    bool any = false;
    const std::vector<ir::NodeId> order = all_graphs(*best_.graph)[g]->order();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      const ir::NodeId id = *it;
      const auto graph_of = [g](Sample& s) {
        const std::vector<ir::Graph*> graphs = all_graphs(*s.graph);
        return g < graphs.size() ? graphs[g] : nullptr;
      };
      if (attempt([&](Sample& s) {
            ir::Graph* graph = graph_of(s);
            if (graph == nullptr || !graph->alive(id)) return false;
            graph->erase_node(id);  // throws while somebody reads it
            return true;
          })) {
        any = true;
        continue;
      }
      const ir::Graph* graph = graph_of(best_);
      if (graph == nullptr || !graph->alive(id)) continue;
      const size_t inputs = graph->node(id).inputs.size();
      for (size_t i = 0; i < inputs; ++i) {
        if (attempt([&](Sample& s) {
              ir::Graph* target = graph_of(s);
              const ir::Node& node = target->node(id);
              const V in = node.inputs[i];
              if (in == ir::kNoValue) return false;
              for (const V out : std::vector(node.outputs)) target->replace_uses(out, in);
              target->erase_node(id);
              return true;
            })) {
          any = true;
          break;
        }
      }
    }
    return any;
  }

  // A value of the main graph becomes a graph input or a constant with what it holds.
  bool cut() {
    bool any = false;
    std::vector<std::map<V, Tensor>> held;
    for (const std::vector<Value>& run : best_.runs) {
      std::map<V, Tensor>& values = held.emplace_back();
      const ir::Graph* main = best_.graph.get();
      ops::InterpretOptions options;
      options.on_value = [&](const ir::Graph& graph, const ir::ValueDef& def, const Value& value) {
        if (&graph == main && value.is_tensor()) values.insert_or_assign(def.id, value.tensor());
      };
      std::vector<const Value*> pointers;
      for (const Value& v : run) pointers.push_back(&v);
      try {
        ops::interpret(*main, pointers, options);
      } catch (const Error&) {
        return false;
      }
    }
    const std::vector<ir::NodeId> order = best_.graph->order();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      if (!best_.graph->alive(*it)) continue;
      for (const V out : std::vector(best_.graph->node(*it).outputs)) {
        if (out == ir::kNoValue || best_.graph->is_output(out)) continue;
        any |= attempt([&](Sample& s) {
          const Tensor& first = held[0].at(out);
          Shape shape(first.dims().begin(), first.dims().end());
          const V in = s.graph->add_input("", Type::tensor(first.dtype(), std::move(shape)));
          s.graph->replace_uses(out, in);
          for (size_t r = 0; r < s.runs.size(); ++r) s.runs[r].emplace_back(held[r].at(out));
          erase_when_dead(*s.graph, *it);
          return true;
        });
        if (!best_.graph->alive(*it)) break;
      }
    }
    return any;
  }

  // Graph inputs that nobody reads go; others become constants.
  bool drop_inputs() {
    bool any = false;
    for (size_t i = best_.graph->inputs().size(); i-- > 0;) {
      const auto without = [i](Sample& s, bool keep_content) {
        std::vector<ir::ValueId> inputs = s.graph->inputs();
        const V in = inputs[i];
        if (keep_content) {
          if (s.runs.size() > 1) return false;
          s.graph->replace_uses(in, s.graph->add_constant("", s.runs[0][i].tensor()));
        }
        if (!unused(*s.graph, in)) return false;
        inputs.erase(inputs.begin() + static_cast<ptrdiff_t>(i));
        s.graph->set_inputs(inputs);
        for (std::vector<Value>& run : s.runs) run.erase(run.begin() + static_cast<ptrdiff_t>(i));
        s.graph = with_outputs(*s.graph, s.graph->outputs());
        return true;
      };
      any |= attempt([&](Sample& s) { return without(s, false); }) ||
             attempt([&](Sample& s) { return without(s, true); });
    }
    return any;
  }

  // Open dims become what they are in the only run.
  bool close_dims() {
    bool any = false;
    for (size_t i = 0; i < best_.graph->inputs().size(); ++i) {
      any |= attempt([i](Sample& s) {
        const Tensor& tensor = s.runs[0][i].tensor();
        Type& type = s.graph->value(s.graph->inputs()[i]).type;
        Shape shape(tensor.dims().begin(), tensor.dims().end());
        if (s.runs.size() > 1 || type.shape == shape) return false;
        type.shape = std::move(shape);
        return true;
      });
    }
    return any;
  }

  // One size, everywhere it stands: dims of inputs and constants, and numbers in integer constants.
  bool shrink_sizes() {
    bool any = false;
    for (int64_t size = 4; size >= 2; --size) {
      for (const int64_t smaller : {int64_t{1}, size - 1}) {
        any |= attempt([=](Sample& s) {
          if (s.runs.size() > 1) return false;
          bool changed = false;
          const auto small = [&](const Tensor& tensor) {
            Dims dims = tensor.dims();
            changed |= std::ranges::find(dims, size) != dims.end();
            std::ranges::replace(dims, size, smaller);
            return resized(tensor, dims);
          };
          ir::Graph& graph = *s.graph;
          for (size_t i = 0; i < graph.inputs().size(); ++i) {
            Tensor tensor = small(s.runs[0][i].tensor());
            graph.value(graph.inputs()[i]).type =
                Type::tensor(tensor.dtype(), Shape(tensor.dims().begin(), tensor.dims().end()));
            s.runs[0][i] = Value(std::move(tensor));
          }
          for (ir::Graph* inner : all_graphs(graph)) {
            for (V id = 0; id < inner->value_count(); ++id) {
              ir::ValueDef& def = inner->value(id);
              if (!def.constant) continue;
              Tensor tensor = small(*def.constant);
              if (tensor.dtype() == DType::kInt64) {
                for (int64_t& n : tensor.mutable_data<int64_t>()) n = n == size ? smaller : n;
              }
              def.type =
                  Type::tensor(tensor.dtype(), Shape(tensor.dims().begin(), tensor.dims().end()));
              def.constant = std::move(tensor);
            }
          }
          return changed;
        });
      }
    }
    return any;
  }

  // Plainer contents: ones, zeros, then element by element.
  bool simplify() {
    bool any = false;
    const size_t graphs = all_graphs(*best_.graph).size();
    for (size_t r = 0; r < best_.runs.size(); ++r) {
      for (size_t i = 0; i < best_.runs[r].size(); ++i) {
        any |= simplify([=](Sample& s) { return &s.runs[r][i].tensor(); });
      }
    }
    for (size_t g = 0; g < graphs; ++g) {
      for (V id = 0; id < all_graphs(*best_.graph)[g]->value_count(); ++id) {
        any |= simplify([=](Sample& s) -> Tensor* {
          std::optional<Tensor>& constant = all_graphs(*s.graph)[g]->value(id).constant;
          return constant ? &*constant : nullptr;
        });
      }
    }
    return any;
  }

  template <class F>
  bool simplify(const F& find) {
    const Tensor* now = find(best_);
    if (now == nullptr || now->size() == 0) return false;
    const int64_t count = now->size();
    if (same_tensor(*now, filled(*now, 0)) || same_tensor(*now, filled(*now, 1))) return false;
    for (const int64_t number : {0, 1}) {
      if (attempt([&](Sample& s) {
            *find(s) = filled(*find(s), number);
            return true;
          })) {
        return true;
      }
    }
    bool any = false;
    for (int64_t i = 0; i < std::min<int64_t>(count, 16); ++i) {
      for (const double number : {0.0, 1.0}) {
        if (load_double(*find(best_), i) == number && number == 1) break;
        if (attempt([&](Sample& s) {
              Tensor& tensor = *find(s);
              const double old = load_double(tensor, i);
              if (old == number || old == 1) return false;
              std::vector<double> values = to_doubles(tensor);
              values[static_cast<size_t>(i)] = number;
              if (is_floating(tensor.dtype())) {
                tensor = from_doubles(tensor.dtype(), Dims(tensor.dims()), values);
              } else {
                std::vector<int64_t> numbers = to_ints(tensor);
                numbers[static_cast<size_t>(i)] = static_cast<int64_t>(number);
                tensor = from_ints(tensor.dtype(), Dims(tensor.dims()), numbers);
              }
              return true;
            })) {
          any = true;
          break;
        }
      }
    }
    return any;
  }

  // Attributes and inputs that may be left out, captures that are not read.
  bool strip(size_t g) {
    bool any = false;
    const auto node_of = [g](Sample& s, ir::NodeId id) -> ir::Node* {
      const std::vector<ir::Graph*> graphs = all_graphs(*s.graph);
      return g < graphs.size() && graphs[g]->alive(id) ? &graphs[g]->node(id) : nullptr;
    };
    for (const ir::NodeId id : std::vector(all_graphs(*best_.graph)[g]->order())) {
      const ir::Node* node = node_of(best_, id);
      if (node == nullptr) continue;
      std::vector<std::string> names;
      for (const auto& entry : node->attributes) names.push_back(entry.first);
      for (const std::string& name : names) {
        any |= attempt([&](Sample& s) { return node_of(s, id)->attributes.erase(name); });
      }
      if (node_of(best_, id)->blocks.empty()) {
        any |= attempt([&](Sample& s) {
          const size_t count = node_of(s, id)->inputs.size();
          if (count < 2) return false;
          all_graphs(*s.graph)[g]->remove_input(id, count - 1);
          return true;
        });
      }
      for (uint32_t c = node_of(best_, id)->captures; c-- > 0;) {
        any |= attempt([&](Sample& s) {
          ir::Node& owner = *node_of(s, id);
          for (const auto& block : owner.blocks) {
            std::vector<V> formals = block->inputs();
            const size_t place = formals.size() - owner.captures + c;
            if (!unused(*block, formals[place])) return false;
            formals.erase(formals.begin() + static_cast<ptrdiff_t>(place));
            block->set_inputs(formals);
          }
          all_graphs(*s.graph)[g]->remove_input(id, owner.inputs.size() - owner.captures + c);
          --owner.captures;
          return true;
        });
      }
    }
    return any;
  }

  Sample best_;
  const Optimiser& optimise_;
  std::string kind_;
};

}  // namespace

Sample shrink(Sample sample, const Optimiser& optimise, const Failure& failure) {
  return Shrinker(std::move(sample), optimise, failure.kind).run();
}

}  // namespace planish::passes
