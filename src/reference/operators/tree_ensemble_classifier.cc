// ai.onnx.ml TreeEnsembleClassifier: the trees' leaf weights are summed per class; the label is
// that of the greatest sum. Two classes of which only one has weights are one score s: its class
// wins above 0.5 where all weights are positive (a probability; scores 1 - s, s), else above 0 (a
// margin; scores -s, s; so for LOGISTIC in any case).
#include <algorithm>
#include <set>

#include "reference/forest.h"
#include "reference/post_transform.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_tree_ensemble_classifier(const Call& call) {
  const Labels labels(call, "classlabels_int64s", "classlabels_strings");
  const int64_t classes = labels.count();
  const Rows x = read_rows(call);
  // A single label still stands for two scores' worth of class ids in some exports: ids 0 and 1.
  const Forest forest = read_forest(call, "class", std::max<int64_t>(classes, 2));
  const std::vector<double> base = float_list(call, "base_values");
  if (!base.empty() && base.size() != 1 && static_cast<int64_t>(base.size()) != classes) {
    fail(ErrorCode::kInvalidModel, "{}: {} base values for {} classes", call.op, base.size(),
         classes);
  }
  std::set<int64_t> scored;
  bool positive = true;
  for (const LeafWeight& w : forest.weights) scored.insert(w.target), positive &= w.weight >= 0;
  const bool binary = classes == 2 && scored.size() == 1;
  const PostTransform transform = read_post_transform(call);

  const Dims dims = {x.rows, classes};
  std::vector<double> z = work_buffer(call, DType::kFloat32, dims);
  std::vector<int64_t> best(static_cast<size_t>(x.rows));
  call.parallel_for(x.rows, [&](int64_t begin, int64_t end) {
    std::vector<double> sums;
    for (int64_t i = begin; i < end; ++i) {
      sums.assign(static_cast<size_t>(std::max<int64_t>(classes, 2)), 0.0);
      for (const int64_t root : forest.roots) {
        const TreeNode& leaf = forest.leaf(call, root, x.row(i));
        for (int64_t w = leaf.begin; w < leaf.end; ++w) {
          const LeafWeight& entry = forest.weights[static_cast<size_t>(w)];
          sums[static_cast<size_t>(entry.target)] += entry.weight;
        }
      }
      const auto scores =
          std::span(z).subspan(static_cast<size_t>(i * classes), static_cast<size_t>(classes));
      int64_t& label = best[static_cast<size_t>(i)];
      if (binary) {
        const int64_t only = *scored.begin();
        const size_t own = base.size() == 1 ? 0 : static_cast<size_t>(only);
        const double s = sums[static_cast<size_t>(only)] + (base.empty() ? 0 : base[own]);
        label = s > (positive ? 0.5 : 0.0) ? 1 : 0;
        scores[0] = positive && transform != PostTransform::kLogistic ? 1 - s : -s;
        scores[1] = s;
        // One score is no distribution: SOFTMAX has nothing to do.
        if (transform == PostTransform::kLogistic || transform == PostTransform::kProbit) {
          apply_post_transform(transform, scores);
        }
        continue;
      }
      for (size_t c = 0; c < scores.size(); ++c) {
        scores[c] = sums[c] + (base.empty() ? 0 : base[base.size() == 1 ? 0 : c]);
      }
      // The first of equal scores; classes without any weight compete only through base values.
      label = -1;
      for (int64_t c = 0; c < classes; ++c) {
        if (base.empty() && !scored.contains(c) && !scored.empty()) continue;
        if (label < 0 || scores[static_cast<size_t>(c)] > scores[static_cast<size_t>(label)])
          label = c;
      }
      label = std::max<int64_t>(label, 0);
      apply_post_transform(transform, scores);
    }
  });
  return results(labels.pick(best), from_doubles(DType::kFloat32, dims, z));
}

// The labels alone when the scores are not asked for.
std::vector<Value> eval_outputs(const Call& call) {
  std::vector<Value> out = eval_tree_ensemble_classifier(call);
  out.resize(call.outputs);
  return out;
}

}  // namespace

PLANISH_REFERENCE(tree_ensemble_classifier) {
  return {"ai.onnx.ml", "TreeEnsembleClassifier", &eval_outputs};
}

}  // namespace planish::reference
