// What the classifiers and regressors of ai.onnx.ml share: the last transformation of scores,
// labels, and rows of any numeric input.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reference/reference.h"

namespace planish::reference {

enum class PostTransform : uint8_t { kNone, kSoftmax, kLogistic, kSoftmaxZero, kProbit };

// Attribute post_transform by name; kInvalidModel for an unknown one.
PostTransform read_post_transform(const Call& call);
// One row of scores, in place.
void apply_post_transform(PostTransform transform, std::span<double> scores);

double logistic(double x);
// The normal quantile with Winitzki's closed form of the inverse error function (2008): ONNX leaves
// the formula open, and this one is what its implementations agree on.
double probit(double p);

// Input 0 as rows of features: [N, C], or [C] as one row. kInvalidInput for other ranks.
struct Rows {
  std::vector<double> values;
  int64_t rows = 0, columns = 0;
  std::span<const double> row(int64_t i) const {
    return std::span(values).subspan(static_cast<size_t>(i * columns),
                                     static_cast<size_t>(columns));
  }
};
Rows read_rows(const Call& call);

// Class labels from attributes `ints` or `strings` (exactly one of them given).
class Labels {
 public:
  Labels(const Call& call, std::string_view ints, std::string_view strings);
  int64_t count() const { return count_; }
  // The labels at these indices as a tensor of shape [indices].
  Tensor pick(std::span<const int64_t> indices) const;

 private:
  const Ints* ints_;
  const Strings* strings_;
  int64_t count_;
};

}  // namespace planish::reference
