#include <numeric>

#include "reference/elementwise.h"
#include "reference/movement.h"

namespace planish::reference {

namespace {

// A NaN ranks above every number, as in sorting by NumPy; equals keep the order of their indices.
template <class T>
bool before(const std::vector<T>& v, int64_t a, int64_t b, bool largest) {
  const T x = v[static_cast<size_t>(a)], y = v[static_cast<size_t>(b)];
  if constexpr (std::is_same_v<T, double>) {
    if (std::isnan(x) || std::isnan(y)) {
      if (std::isnan(x) && std::isnan(y)) return a < b;
      return std::isnan(x) == largest;
    }
  }
  if (x != y) return largest ? x > y : x < y;
  return a < b;
}

std::vector<Value> eval_top_k(const Call& call) {
  const Tensor& x = call.tensor(0);
  const int64_t k = one_integer(call, 1);
  const auto axis =
      static_cast<size_t>(normal_axis(call, call.attributes.get_int("axis", -1), x.rank()));
  const bool largest = call.attributes.get_int("largest", 1) != 0;
  const int64_t n = x.dims()[axis];
  if (k < 0 || k > n) fail(ErrorCode::kData, "TopK: k is {}, the axis has {}", k, n);
  Dims dims = x.dims();
  dims[axis] = k;
  Tensor values = call.make(x.dtype(), dims);
  Tensor indices = call.make(DType::kInt64, dims);
  std::vector<Value> out;
  if (values.size() > 0) {
    const int64_t inner = row_major(x.dims())[axis];
    const std::span<int64_t> chosen = indices.mutable_data<int64_t>();
    with_number<kNumber>(call, x.dtype(), [&](auto zero) {
      using T = decltype(zero);
      call.parallel_for(x.size() / n, [&](int64_t begin, int64_t end) {
        std::vector<T> v(static_cast<size_t>(n));
        std::vector<int64_t> order(static_cast<size_t>(n));
        for (int64_t line = begin; line < end; ++line) {
          const int64_t first = line / inner * inner * n + line % inner;
          load(x, first, inner, n, v.data());
          std::iota(order.begin(), order.end(), int64_t{0});
          std::partial_sort(order.begin(), order.begin() + k, order.end(),
                            [&](int64_t a, int64_t b) { return before(v, a, b, largest); });
          const int64_t to = line / inner * inner * k + line % inner;
          for (int64_t i = 0; i < k; ++i) {
            const int64_t from = order[static_cast<size_t>(i)];
            chosen[static_cast<size_t>(to + i * inner)] = from;
            copy_run(values, to + i * inner, x, first + from * inner, 1);
          }
        }
      });
      return std::vector<Value>{};
    });
  }
  out.emplace_back(std::move(values));
  if (call.outputs > 1) out.emplace_back(std::move(indices));
  return out;
}

}  // namespace

PLANISH_REFERENCE(top_k) { return {"", "TopK", &eval_top_k}; }

}  // namespace planish::reference
