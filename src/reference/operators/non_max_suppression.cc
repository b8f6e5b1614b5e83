// NonMaxSuppression: per batch and class, boxes in the order of falling score, each taken unless it
// overlaps one already taken by more than iou_threshold. Result: rows (batch, class, box).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "reference/work.h"

namespace planish::reference {
namespace {

struct Box {
  double top, left, bottom, right;
  double area() const { return (bottom - top) * (right - left); }
};

Box read_box(const double* v, bool center) {
  if (center) return {v[1] - v[3] / 2, v[0] - v[2] / 2, v[1] + v[3] / 2, v[0] + v[2] / 2};
  // Corners of any diagonal.
  return {std::min(v[0], v[2]), std::min(v[1], v[3]), std::max(v[0], v[2]), std::max(v[1], v[3])};
}

bool overlap(const Box& a, const Box& b, double threshold) {
  const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (height <= 0 || width <= 0 || a.area() <= 0 || b.area() <= 0) return false;
  const double shared = height * width;
  // In float32, as thresholds are: 0.5 overlaps 0.5 by no more than 0.5.
  return static_cast<float>(shared / (a.area() + b.area() - shared)) >
         static_cast<float>(threshold);
}

std::vector<Value> eval_non_max_suppression(const Call& call) {
  const Tensor &boxes = call.tensor(0), &scores = call.tensor(1);
  if (boxes.rank() != 3 || scores.rank() != 3 || boxes.dim(2) != 4 ||
      boxes.dim(0) != scores.dim(0) || boxes.dim(1) != scores.dim(2)) {
    fail(ErrorCode::kInvalidInput,
         "{}: boxes [{}] and scores [{}] must be [N,B,4] and [N,classes,B]", call.op,
         dims_to_string(boxes.dims()), dims_to_string(scores.dims()));
  }
  const bool center = call.attributes.get_int("center_point_box", 0) != 0;
  const int64_t most = call.has(2) ? one_integer(call, 2) : 0;
  const double iou = call.has(3) ? one_double(call, 3) : 0;
  if (!(iou >= 0 && iou <= 1))
    fail(ErrorCode::kInvalidInput, "{}: iou_threshold {} is outside [0, 1]", call.op, iou);
  const double lowest =
      call.has(4) ? one_double(call, 4) : -std::numeric_limits<double>::infinity();
  const std::vector<double> corners = to_doubles(boxes), values = to_doubles(scores);
  const int64_t count = boxes.dim(1), classes = scores.dim(1);
  std::vector<int64_t> rows;
  std::vector<Box> taken;
  std::vector<int64_t> order(static_cast<size_t>(count));
  for (int64_t n = 0; n < boxes.dim(0) && most > 0; ++n) {
    for (int64_t c = 0; c < classes; ++c) {
      if (call.callbacks.poll) call.callbacks.poll();
      const double* score = values.data() + (n * classes + c) * count;
      std::iota(order.begin(), order.end(), int64_t{0});
      const auto last = std::remove_if(order.begin(), order.end(), [&](int64_t b) {
        return std::isnan(score[b]) || (call.has(4) && !(score[b] > lowest));
      });
      std::stable_sort(order.begin(), last,
                       [&](int64_t a, int64_t b) { return score[a] > score[b]; });
      taken.clear();
      for (auto it = order.begin(); it != last && static_cast<int64_t>(taken.size()) < most; ++it) {
        const Box box = read_box(corners.data() + (n * count + *it) * 4, center);
        if (std::any_of(taken.begin(), taken.end(),
                        [&](const Box& other) { return overlap(box, other, iou); }))
          continue;
        taken.push_back(box);
        rows.insert(rows.end(), {n, c, *it});
      }
    }
  }
  return results(from_ints(DType::kInt64, {static_cast<int64_t>(rows.size() / 3), 3}, rows));
}

}  // namespace

PLANISH_REFERENCE(non_max_suppression) {
  return {"", "NonMaxSuppression", &eval_non_max_suppression};
}

}  // namespace planish::reference
