// ai.onnx.ml TreeEnsemble (opset 5): the form that replaces Classifier and Regressor. Interior
// nodes and leaves are separate lists, modes are numbers, BRANCH_MEMBER tests a set of values.
#include <cmath>

#include "reference/forest.h"
#include "reference/post_transform.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<double> tensor_list(const Call& call, std::string_view name, bool required) {
  const Tensor* t = call.attributes.get_tensor(name);
  if (!t && required)
    fail(ErrorCode::kInvalidModel, "{}: the attribute {} is missing", call.op, name);
  return t ? to_doubles(*t) : std::vector<double>{};
}

Forest read(const Call& call, int64_t targets) {
  const Attributes& a = call.attributes;
  const std::vector<double> modes = tensor_list(call, "nodes_modes", true),
                            splits = tensor_list(call, "nodes_splits", true);
  const std::vector<double> weights = tensor_list(call, "leaf_weights", true);
  const Ints &features = a.get_ints("nodes_featureids"),
             &missing = a.get_ints("nodes_missing_value_tracks_true");
  const Ints &yes = a.get_ints("nodes_truenodeids"), &no = a.get_ints("nodes_falsenodeids");
  const Ints &yes_leaf = a.get_ints("nodes_trueleafs"), &no_leaf = a.get_ints("nodes_falseleafs");
  const Ints &leaf_targets = a.get_ints("leaf_targetids"), &roots = a.get_ints("tree_roots");
  const size_t count = modes.size();
  for (const size_t size : {splits.size(), features.size(), yes.size(), no.size(), yes_leaf.size(),
                            no_leaf.size(), missing.empty() ? count : missing.size()}) {
    if (size != count)
      fail(ErrorCode::kInvalidModel, "{}: the nodes_* lists differ in length ({} and {})", call.op,
           size, count);
  }
  if (leaf_targets.size() != weights.size()) {
    fail(ErrorCode::kInvalidModel, "{}: {} leaf targets for {} weights", call.op,
         leaf_targets.size(), weights.size());
  }
  Forest forest;
  forest.members = tensor_list(call, "membership_values", false);
  int64_t next_set = 0;  // sets stand in node order, each closed by a NaN
  const auto inside = [&](int64_t i, size_t limit, std::string_view what) {
    if (i < 0 || i >= static_cast<int64_t>(limit)) {
      fail(ErrorCode::kInvalidModel, "{}: {} {} is outside [0, {})", call.op, what, i, limit);
    }
    return i;
  };
  const auto child = [&](int64_t id, int64_t is_leaf) {  // leaves follow the interior nodes
    return is_leaf != 0 ? static_cast<int64_t>(count) + inside(id, weights.size(), "leaf")
                        : inside(id, count, "node");
  };
  for (size_t i = 0; i < count; ++i) {
    TreeNode node;
    if (!(modes[i] >= 0 && modes[i] <= 6))
      fail(ErrorCode::kInvalidModel, "{}: {} is no node mode", call.op, modes[i]);
    node.mode = static_cast<Branch>(static_cast<int>(modes[i]));
    node.missing_is_true = !missing.empty() && missing[i] != 0;
    node.feature = features[i];
    node.value = splits[i];
    node.yes = child(yes[i], yes_leaf[i]), node.no = child(no[i], no_leaf[i]);
    if (node.mode == Branch::kMember) {
      const auto size = static_cast<int64_t>(forest.members.size());
      node.begin = next_set;
      while (next_set < size && !std::isnan(forest.members[static_cast<size_t>(next_set)]))
        ++next_set;
      node.end = next_set;
      next_set = std::min(size, next_set + 1);
    }
    forest.nodes.push_back(node);
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    TreeNode leaf;
    leaf.begin = static_cast<int64_t>(i), leaf.end = leaf.begin + 1;
    forest.nodes.push_back(leaf);
    forest.weights.push_back(
        {inside(leaf_targets[i], static_cast<size_t>(targets), "target"), weights[i]});
  }
  for (const int64_t root : roots) forest.roots.push_back(inside(root, count, "root"));
  return forest;
}

std::vector<Value> eval_tree_ensemble(const Call& call) {
  const int64_t targets = call.attributes.get_int("n_targets", 1);
  const int64_t aggregate = call.attributes.get_int("aggregate_function", 1);
  const int64_t transform = call.attributes.get_int("post_transform", 0);
  if (targets < 1 || aggregate < 0 || aggregate > 3 || transform < 0 || transform > 4) {
    fail(ErrorCode::kInvalidModel,
         "{}: n_targets {}, aggregate_function {} or post_transform {} is not legal", call.op,
         targets, aggregate, transform);
  }
  return regress(call, read(call, targets), targets, static_cast<Aggregate>(aggregate), {},
                 static_cast<uint8_t>(transform), call.tensor(0).dtype());
}

}  // namespace

PLANISH_REFERENCE(tree_ensemble) { return {"ai.onnx.ml", "TreeEnsemble", &eval_tree_ensemble}; }

}  // namespace planish::reference
