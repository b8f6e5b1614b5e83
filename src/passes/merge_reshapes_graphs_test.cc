// Chains of what only renames elements: targets with 0, with -1, with both, allowzero, open ones.
#include <algorithm>

#include "passes/random_graphs_test.h"

namespace planish::passes {
namespace {

V reshape(Draw& draw, V x) {
  const Dims dims = draw.dims_of(x);
  Dims target;
  for (const int64_t d : dims) {  // neighbours joined, ones put in
    if (!target.empty() && draw.one_in(3)) {
      target.back() *= d;
    } else {
      target.push_back(d);
    }
    if (draw.one_in(6)) target.push_back(1);
  }
  if (draw.one_in(4)) std::ranges::reverse(target);
  Attributes attributes;
  const bool empty = element_count(dims) == 0;
  if (empty && std::ranges::find(target, 0) != target.end()) {
    if (draw.one_in(2)) attributes.set("allowzero", int64_t{1});
  } else {
    for (size_t i = 0; i < target.size() && i < dims.size(); ++i) {
      if (target[i] == dims[i] && draw.one_in(4)) target[i] = 0;
    }
  }
  if (!empty && !target.empty() && draw.one_in(2)) {
    target[static_cast<size_t>(draw.below(static_cast<int64_t>(target.size())))] = -1;
  }
  return draw.emit("Reshape", {x, draw.hidden_ints(target)}, std::move(attributes));
}

V squeeze(Draw& draw, V x) {
  const Dims& dims = draw.dims_of(x);
  const auto rank = static_cast<int64_t>(dims.size());
  if (draw.one_in(4)) return draw.emit("Squeeze", {x});
  Ints axes;
  for (int64_t i = 0; i < rank; ++i) {
    if (dims[static_cast<size_t>(i)] == 1 && !draw.one_in(4)) {
      axes.push_back(draw.one_in(2) ? i : i - rank);
    }
  }
  return draw.emit("Squeeze", {x, draw.hidden_ints(axes)});
}

V unsqueeze(Draw& draw, V x) {
  const auto rank = static_cast<int64_t>(draw.dims_of(x).size());
  Ints axes = {draw.below(2 * rank + 2) - rank - 1};
  if (draw.one_in(4)) axes = {0, -1};
  return draw.emit("Unsqueeze", {x, draw.hidden_ints(axes)});
}

}  // namespace

PLANISH_GRAPHS(merge_reshapes,
               {.kinds = {"removed with *: back at the first shape", "joined with *"},
                .share = 6}) {
  V x = draw.value(draw.pick(kTypes), draw.dims(0, 3));
  for (int64_t i = 2 + draw.below(3); i > 0; --i) {
    const auto rank = static_cast<int64_t>(draw.dims_of(x).size());
    switch (draw.below(6)) {
      case 0:
        x = draw.emit("Flatten", {x}, with("axis", draw.below(2 * rank + 1) - rank));
        break;
      case 1:
        x = squeeze(draw, x);
        break;
      case 2:
        x = unsqueeze(draw, x);
        break;
      default:
        x = reshape(draw, x);
    }
    if (draw.one_in(8)) x = draw.surround(x);
  }
}

}  // namespace planish::passes
