#include "reference/forest.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "reference/post_transform.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

Branch parse_mode(const Call& call, const std::string& name) {
  constexpr std::string_view kNames[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE",    "BRANCH_GT",
                                         "BRANCH_EQ",  "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF"};
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (name == kNames[i] && name != "BRANCH_MEMBER") return static_cast<Branch>(i);
  }
  fail(ErrorCode::kInvalidModel, "{}: '{}' is no node mode", call.op, name);
}

}  // namespace

const TreeNode& Forest::leaf(const Call& call,
                             int64_t root,
                             std::span<const double> features) const {
  int64_t at = root;
  for (size_t steps = 0; steps <= nodes.size(); ++steps) {
    const TreeNode& node = nodes[static_cast<size_t>(at)];
    if (node.mode == Branch::kLeaf) return node;
    if (node.feature < 0 || node.feature >= static_cast<int64_t>(features.size())) {
      fail(ErrorCode::kInvalidInput, "{}: a tree asks for feature {}, but rows have {}", call.op,
           node.feature, features.size());
    }
    const double x = features[static_cast<size_t>(node.feature)];
    bool yes = node.missing_is_true && std::isnan(x);
    switch (node.mode) {
      case Branch::kLeq:
        yes |= x <= node.value;
        break;
      case Branch::kLt:
        yes |= x < node.value;
        break;
      case Branch::kGte:
        yes |= x >= node.value;
        break;
      case Branch::kGt:
        yes |= x > node.value;
        break;
      case Branch::kEq:
        yes |= x == node.value;
        break;
      case Branch::kNeq:
        yes |= x != node.value;
        break;
      case Branch::kMember:
        yes |= std::find(members.begin() + node.begin, members.begin() + node.end, x) !=
               members.begin() + node.end;
        break;
      case Branch::kLeaf:
        break;
    }
    at = yes ? node.yes : node.no;
  }
  fail(ErrorCode::kInvalidModel, "{}: the nodes of a tree form a cycle", call.op);
}

std::vector<double> float_list(const Call& call, std::string_view name) {
  if (const Tensor* tensor = call.attributes.get_tensor(std::string(name) + "_as_tensor"))
    return to_doubles(*tensor);
  const Floats& list = call.attributes.get_floats(name);
  return {list.begin(), list.end()};
}

Forest read_forest(const Call& call, std::string_view prefix, int64_t targets) {
  const Attributes& a = call.attributes;
  const Ints &trees = a.get_ints("nodes_treeids"), &ids = a.get_ints("nodes_nodeids");
  const Ints &features = a.get_ints("nodes_featureids"),
             &missing = a.get_ints("nodes_missing_value_tracks_true");
  const Ints &yes = a.get_ints("nodes_truenodeids"), &no = a.get_ints("nodes_falsenodeids");
  const Strings& modes = a.get_strings("nodes_modes");
  const std::vector<double> values = float_list(call, "nodes_values");
  const size_t count = ids.size();
  for (const size_t size :
       {trees.size(), features.size(), yes.size(), no.size(), modes.size(), values.size()}) {
    if (size != count)
      fail(ErrorCode::kInvalidModel, "{}: the nodes_* lists differ in length ({} and {})", call.op,
           size, count);
  }
  if (!missing.empty() && missing.size() != count) {
    fail(ErrorCode::kInvalidModel,
         "{}: nodes_missing_value_tracks_true has {} entries for {} nodes", call.op, missing.size(),
         count);
  }
  std::map<std::pair<int64_t, int64_t>, int64_t> index;  // (tree, node) to position
  for (size_t i = 0; i < count; ++i) {
    if (!index.emplace(std::pair(trees[i], ids[i]), static_cast<int64_t>(i)).second) {
      fail(ErrorCode::kInvalidModel, "{}: node {} of tree {} is listed twice", call.op, ids[i],
           trees[i]);
    }
  }
  const auto find = [&](int64_t tree, int64_t id) {
    const auto it = index.find({tree, id});
    if (it == index.end())
      fail(ErrorCode::kInvalidModel, "{}: tree {} has no node {}", call.op, tree, id);
    return it->second;
  };
  Forest forest;
  std::vector<bool> has_parent(count, false);
  for (size_t i = 0; i < count; ++i) {
    TreeNode node;
    node.mode = parse_mode(call, modes[i]);
    node.missing_is_true = !missing.empty() && missing[i] != 0;
    node.feature = features[i];
    node.value = values[i];
    if (node.mode != Branch::kLeaf) {
      node.yes = find(trees[i], yes[i]), node.no = find(trees[i], no[i]);
      has_parent[static_cast<size_t>(node.yes)] = has_parent[static_cast<size_t>(node.no)] = true;
    }
    forest.nodes.push_back(node);
  }
  for (size_t i = 0; i < count; ++i) {
    if (!has_parent[i]) forest.roots.push_back(static_cast<int64_t>(i));
  }

  const std::string name(prefix);
  const Ints &leaf_trees = a.get_ints(name + "_treeids"), &leaf_ids = a.get_ints(name + "_nodeids");
  const Ints& leaf_targets = a.get_ints(name + "_ids");
  const std::vector<double> leaf_weights = float_list(call, name + "_weights");
  for (const size_t size : {leaf_trees.size(), leaf_targets.size(), leaf_weights.size()}) {
    if (size != leaf_ids.size()) {
      fail(ErrorCode::kInvalidModel, "{}: the {}_* lists differ in length ({} and {})", call.op,
           prefix, size, leaf_ids.size());
    }
  }
  std::vector<std::pair<int64_t, size_t>> order;  // leaf, entry
  for (size_t i = 0; i < leaf_ids.size(); ++i) {
    if (leaf_targets[i] < 0 || leaf_targets[i] >= targets) {
      fail(ErrorCode::kInvalidModel, "{}: {} {} is outside [0, {})", call.op, prefix,
           leaf_targets[i], targets);
    }
    order.emplace_back(find(leaf_trees[i], leaf_ids[i]), i);
  }
  std::sort(order.begin(), order.end());
  for (size_t i = 0; i < order.size(); ++i) {
    TreeNode& node = forest.nodes[static_cast<size_t>(order[i].first)];
    if (i == 0 || order[i].first != order[i - 1].first) node.begin = static_cast<int64_t>(i);
    node.end = static_cast<int64_t>(i + 1);
    forest.weights.push_back({leaf_targets[order[i].second], leaf_weights[order[i].second]});
  }
  return forest;
}

std::vector<Value> regress(const Call& call,
                           const Forest& forest,
                           int64_t targets,
                           Aggregate aggregate,
                           std::span<const double> base,
                           uint8_t post_transform,
                           DType result) {
  const Rows x = read_rows(call);
  if (!base.empty() && base.size() != 1 && base.size() != static_cast<size_t>(targets)) {
    fail(ErrorCode::kInvalidModel, "{}: {} base values for {} targets", call.op, base.size(),
         targets);
  }
  const Dims dims = {x.rows, targets};
  std::vector<double> y = work_buffer(call, result, dims);
  call.parallel_for(x.rows, [&](int64_t begin, int64_t end) {
    std::vector<bool> reached(static_cast<size_t>(targets));
    for (int64_t i = begin; i < end; ++i) {
      const auto scores =
          std::span(y).subspan(static_cast<size_t>(i * targets), static_cast<size_t>(targets));
      std::fill(reached.begin(), reached.end(), false);
      for (const int64_t root : forest.roots) {
        const TreeNode& leaf = forest.leaf(call, root, x.row(i));
        for (int64_t w = leaf.begin; w < leaf.end; ++w) {
          const LeafWeight& entry = forest.weights[static_cast<size_t>(w)];
          const auto t = static_cast<size_t>(entry.target);
          if (!reached[t])
            scores[t] = entry.weight;
          else if (aggregate == Aggregate::kMin)
            scores[t] = std::min(scores[t], entry.weight);
          else if (aggregate == Aggregate::kMax)
            scores[t] = std::max(scores[t], entry.weight);
          else
            scores[t] += entry.weight;
          reached[t] = true;
        }
      }
      for (size_t t = 0; t < scores.size(); ++t) {
        if (aggregate == Aggregate::kAverage) scores[t] /= static_cast<double>(forest.roots.size());
        if (!base.empty()) scores[t] += base[base.size() == 1 ? 0 : t];
      }
      apply_post_transform(static_cast<PostTransform>(post_transform), scores);
    }
  });
  return results(from_doubles(result, dims, y));
}

}  // namespace planish::reference
