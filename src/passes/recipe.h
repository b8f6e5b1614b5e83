// New constants computed from old ones, in two steps: first everything is evaluated outside the
// graph, so that a pass can look at the result and still leave the graph alone; then commit() adds
// the computation as fold nodes. The constants stay recipes over initializers that way.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"
#include "ir/graph.h"
#include "passes/pass.h"

namespace planish::passes {

class Recipe {
 public:
  using Ref = size_t;

  // `name` begins the names of what is made, `provenance` goes to the fold nodes.
  Recipe(const ir::Graph& graph,
         const Context& context,
         std::string name,
         std::vector<std::string> provenance);

  // A constant of the graph. It must not change before commit().
  Ref value(ir::ValueId id);
  Ref constant(std::string_view name, Tensor tensor);
  // Evaluates now; throws what the evaluation throws.
  Ref apply(std::string_view op, std::vector<Ref> inputs, Attributes attributes = {});
  // Cast, or the same when it has the type already.
  Ref cast(Ref input, DType dtype);
  // Reshape to fixed dims, or the same when it has them already.
  Ref reshape(Ref input, Dims dims);

  // Calls a computed result `<name>.<suffix>` instead of after its operator.
  Ref called(Ref ref, std::string_view suffix);

  const Tensor& result(Ref ref) const { return entries_[ref].value.tensor(); }

  // Adds what `ref` needs to the graph; returns its value. Fold nodes go through the order right
  // before `before`. A second call shares what the first one added.
  ir::ValueId commit(ir::Graph& graph, Ref ref, ir::NodeId before);

 private:
  struct Entry {
    Value value;
    ir::ValueId id = ir::kNoValue;  // in the graph already
    std::string op, name;
    Attributes attributes;
    std::vector<Ref> inputs;
  };
  Ref add(Entry entry);

  const ir::Graph& graph_;
  const Context& context_;
  std::string name_;
  std::vector<std::string> provenance_;
  std::deque<Entry> entries_;  // each after its inputs
};

}  // namespace planish::passes
