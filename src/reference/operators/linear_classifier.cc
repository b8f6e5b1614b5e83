// ai.onnx.ml LinearClassifier: linear scores, transformed; the label of the greatest one. One score
// for two labels stands for the second: it wins above 0, and its row becomes (1 - s, s), or with
// LOGISTIC the probabilities of both.
#include <algorithm>

#include "reference/linear_model.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_linear_classifier(const Call& call) {
  const Rows x = read_rows(call);
  const Labels labels(call, "classlabels_ints", "classlabels_strings");
  const int64_t classes = labels.count();
  const auto coefficients = static_cast<int64_t>(call.attributes.get_floats("coefficients").size());
  const auto intercepts = static_cast<int64_t>(call.attributes.get_floats("intercepts").size());
  const int64_t targets = intercepts > 0  ? intercepts
                          : x.columns > 0 ? coefficients / x.columns
                                          : 0;
  const bool single = targets == 1 && classes == 2;
  if (targets != classes && !single) {
    fail(ErrorCode::kInvalidModel, "{}: {} rows of coefficients for {} labels", call.op, targets,
         classes);
  }
  const std::vector<double> raw = linear_scores(call, x, targets);
  const PostTransform transform = read_post_transform(call);
  std::vector<double> z(static_cast<size_t>(x.rows * classes));
  std::vector<int64_t> best(static_cast<size_t>(x.rows));
  for (int64_t r = 0; r < x.rows; ++r) {
    const auto scores =
        std::span(z).subspan(static_cast<size_t>(r * classes), static_cast<size_t>(classes));
    if (single) {
      const double s = raw[static_cast<size_t>(r)];
      best[static_cast<size_t>(r)] = s > 0 ? 1 : 0;
      const double p = transform == PostTransform::kLogistic ? logistic(s)
                       : transform == PostTransform::kProbit ? probit(s)
                                                             : s;
      scores[0] = 1 - p, scores[1] = p;
      continue;
    }
    std::copy_n(raw.begin() + r * classes, classes, scores.begin());
    best[static_cast<size_t>(r)] = std::max_element(scores.begin(), scores.end()) - scores.begin();
    apply_post_transform(transform, scores);
  }
  std::vector<Value> out =
      results(labels.pick(best), from_doubles(DType::kFloat32, {x.rows, classes}, z));
  out.resize(call.outputs);
  return out;
}

}  // namespace

PLANISH_REFERENCE(linear_classifier) {
  return {"ai.onnx.ml", "LinearClassifier", &eval_linear_classifier};
}

}  // namespace planish::reference
