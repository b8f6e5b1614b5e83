#include "reference/post_transform.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "reference/work.h"

namespace planish::reference {

PostTransform read_post_transform(const Call& call) {
  const std::string name = call.attributes.get_string("post_transform", "NONE");
  if (name == "NONE" || name.empty()) return PostTransform::kNone;
  if (name == "SOFTMAX") return PostTransform::kSoftmax;
  if (name == "LOGISTIC") return PostTransform::kLogistic;
  if (name == "SOFTMAX_ZERO") return PostTransform::kSoftmaxZero;
  if (name == "PROBIT") return PostTransform::kProbit;
  fail(ErrorCode::kInvalidModel, "{}: '{}' is no post_transform", call.op, name);
}

double logistic(double x) {
  const double y = 1 / (1 + std::exp(-std::abs(x)));
  return x < 0 ? 1 - y : y;
}

double probit(double p) {
  const double x = 2 * p - 1;
  const double log = std::log((1 - x) * (1 + x));
  constexpr double a = 0.147;
  const double v = 2 / (std::numbers::pi * a) + 0.5 * log;
  return std::numbers::sqrt2 * std::copysign(std::sqrt(std::sqrt(v * v - log / a) - v), x);
}

void apply_post_transform(PostTransform transform, std::span<double> scores) {
  if (scores.empty()) return;
  // SOFTMAX_ZERO leaves scores of 0 (within 1e-7) out.
  const bool zeros_stay = transform == PostTransform::kSoftmaxZero;
  switch (transform) {
    case PostTransform::kNone:
      return;
    case PostTransform::kLogistic:
      for (double& s : scores) s = logistic(s);
      return;
    case PostTransform::kProbit:
      for (double& s : scores) s = probit(s);
      return;
    case PostTransform::kSoftmax:
    case PostTransform::kSoftmaxZero: {
      const double top = *std::max_element(scores.begin(), scores.end());
      double sum = 0;
      for (double& s : scores) {
        if (zeros_stay && std::abs(s) <= 1e-7) {
          s = 0;
        } else {
          sum += s = std::exp(s - top);
        }
      }
      for (double& s : scores) {
        if (sum != 0) s /= sum;
      }
    }
  }
}

Rows read_rows(const Call& call) {
  const Tensor& x = call.tensor(0);
  if (x.rank() != 1 && x.rank() != 2) {
    fail(ErrorCode::kInvalidInput, "{}: the input is [{}]; expected rows of features, [N, C]",
         call.op, dims_to_string(x.dims()));
  }
  return {to_doubles(x), x.rank() == 2 ? x.dim(0) : 1, x.dim(x.rank() - 1)};
}

Labels::Labels(const Call& call, std::string_view ints, std::string_view strings)
    : ints_(&call.attributes.get_ints(ints)),
      strings_(&call.attributes.get_strings(strings)),
      count_(static_cast<int64_t>(std::max(ints_->size(), strings_->size()))) {
  if (ints_->empty() == strings_->empty()) {
    fail(ErrorCode::kInvalidModel, "{}: exactly one of {} and {} must be given", call.op, ints,
         strings);
  }
}

Tensor Labels::pick(std::span<const int64_t> indices) const {
  const Dims dims = {static_cast<int64_t>(indices.size())};
  if (!ints_->empty()) {
    Tensor out(DType::kInt64, dims);
    std::span<int64_t> to = out.mutable_data<int64_t>();
    for (size_t i = 0; i < indices.size(); ++i) to[i] = (*ints_)[static_cast<size_t>(indices[i])];
    return out;
  }
  std::vector<std::string> names;
  for (const int64_t i : indices) names.push_back((*strings_)[static_cast<size_t>(i)]);
  return Tensor::from_strings(dims, std::move(names));
}

}  // namespace planish::reference
