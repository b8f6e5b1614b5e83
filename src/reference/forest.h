// Decision trees of the three tree operators of ai.onnx.ml in one form.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reference/reference.h"

namespace planish::reference {

enum class Branch : uint8_t { kLeq, kLt, kGte, kGt, kEq, kNeq, kMember, kLeaf };

struct TreeNode {
  Branch mode = Branch::kLeaf;
  bool missing_is_true = false;  // a NaN feature takes the true branch
  int64_t feature = 0;
  double value = 0;         // compared with the feature
  int64_t yes = 0, no = 0;  // nodes
  // Leaf: its weights; kMember: its set. [begin, end) of the forest's list.
  int64_t begin = 0, end = 0;
};

struct LeafWeight {
  int64_t target;
  double weight;
};

struct Forest {
  std::vector<TreeNode> nodes;
  std::vector<int64_t> roots;
  std::vector<LeafWeight> weights;
  std::vector<double> members;  // sets of the kMember nodes

  // The leaf that `features` reaches from `root`. kInvalidInput when a tree asks for a feature
  // beyond the row, kInvalidModel when the walk never ends.
  const TreeNode& leaf(const Call& call, int64_t root, std::span<const double> features) const;
};

// From TreeEnsembleClassifier's or Regressor's attributes; `prefix` is "class" or "target". Targets
// must lie in [0, targets).
Forest read_forest(const Call& call, std::string_view prefix, int64_t targets);

// Attribute `name` (floats) or `name`_as_tensor.
std::vector<double> float_list(const Call& call, std::string_view name);

enum class Aggregate : uint8_t { kAverage, kSum, kMin, kMax };

// Per target the aggregate of the trees' weights plus the base value (empty: 0); transformed.
std::vector<Value> regress(const Call& call,
                           const Forest& forest,
                           int64_t targets,
                           Aggregate aggregate,
                           std::span<const double> base,
                           uint8_t post_transform,
                           DType result);

}  // namespace planish::reference
