#include "compiler/index_bound.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace planish::compiler {
namespace {

// Operators whose output elements are elements of input 0.
bool moves(std::string_view op) {
  static const std::set<std::string_view> kMoves = {
      "Identity", "Cast",  "Reshape", "Squeeze", "Unsqueeze", "Transpose", "Slice",
      "Concat",   "Split", "Expand",  "Flatten", "Tile",      "Gather",    "Clip"};
  return kMoves.contains(op);
}

class Search {
 public:
  explicit Search(int64_t open) : open_(open) {}

  void follow(const ir::Graph& graph, ir::ValueId value) {
    if (!seen_.emplace(&graph, value).second) return;
    for (const ir::Use& use : graph.value(value).uses) {
      const ir::Node& node = graph.node(use.node);
      if (!node.blocks.empty()) {
        into_blocks(node, use.input);
        continue;
      }
      if ((node.op == "Gather" || node.op == "GatherElements" || node.op == "ScatterElements") &&
          use.input == 1) {
        limit(graph, node.inputs[0], node.attributes.get_int("axis", 0));
      } else if ((node.op == "GatherND" || node.op == "ScatterND") && use.input == 1) {
        limit_all(graph, node.inputs[0]);
      } else if (moves(node.op) && (use.input == 0 || node.op == "Concat")) {
        for (const ir::ValueId out : node.outputs) {
          if (out != ir::kNoValue) follow(graph, out);
        }
      }
    }
  }
  int64_t bound() const { return bound_; }

 private:
  void take(const SizeExpr& dim) {
    const int64_t size = std::max<int64_t>(dim.constant().value_or(open_), 1);
    bound_ = bound_ == 0 ? size : std::min(bound_, size);
  }
  void limit(const ir::Graph& graph, ir::ValueId data, int64_t axis) {
    const Type& type = graph.value(data).type;
    if (!type.has_shape()) return;
    const auto rank = static_cast<int64_t>(type.shape->size());
    if (axis < 0) axis += rank;
    if (axis >= 0 && axis < rank) take((*type.shape)[static_cast<size_t>(axis)]);
  }
  void limit_all(const ir::Graph& graph, ir::ValueId data) {
    const Type& type = graph.value(data).type;
    if (type.has_shape()) std::ranges::for_each(*type.shape, [&](const SizeExpr& d) { take(d); });
  }
  void into_blocks(const ir::Node& node, uint32_t input) {
    // If hands its captures on from input 1; Loop and Scan bodies take theirs at the same index.
    for (const auto& block : node.blocks) {
      const size_t index = node.op == "If" ? size_t{input} - 1 : input;
      if (node.op == "If" && input == 0) continue;
      if (index < block->inputs().size()) follow(*block, block->inputs()[index]);
    }
  }

  int64_t open_;
  int64_t bound_ = 0;
  std::set<std::pair<const ir::Graph*, ir::ValueId>> seen_;
};

}  // namespace

int64_t index_bound(const ir::Graph& graph, ir::ValueId input, int64_t open) {
  if (!is_integer(graph.value(input).type.dtype)) return 0;
  Search search(open);
  search.follow(graph, input);
  return search.bound();
}

}  // namespace planish::compiler
