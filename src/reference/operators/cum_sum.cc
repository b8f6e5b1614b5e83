#include "reference/elementwise.h"
#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_cum_sum(const Call& call) {
  const Tensor& x = call.tensor(0);
  const auto axis = static_cast<size_t>(normal_axis(call, one_integer(call, 1), x.rank()));
  const bool exclusive = call.attributes.get_int("exclusive", 0) != 0;
  const bool reverse = call.attributes.get_int("reverse", 0) != 0;
  Tensor out = call.make(x.dtype(), x.dims());
  if (out.size() == 0) return single(std::move(out));
  const int64_t n = x.dims()[axis], inner = row_major(x.dims())[axis];
  return with_number<kNumber>(call, x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    call.parallel_for(x.size() / n, [&](int64_t begin, int64_t end) {
      std::vector<T> v(static_cast<size_t>(n));
      for (int64_t line = begin; line < end; ++line) {
        const int64_t first = line / inner * inner * n + line % inner;
        load(x, first, inner, n, v.data());
        if (reverse) std::reverse(v.begin(), v.end());
        T total{};
        for (T& e : v) {
          const T before = total;
          total = wrap_add(total, e);
          e = exclusive ? before : total;
        }
        if (reverse) std::reverse(v.begin(), v.end());
        for (int64_t i = 0; i < n; ++i)
          store(out, first + i * inner, 1, &v[static_cast<size_t>(i)]);
      }
    });
    return single(std::move(out));
  });
}

}  // namespace

PLANISH_REFERENCE(cum_sum) { return {"", "CumSum", &eval_cum_sum}; }

}  // namespace planish::reference
