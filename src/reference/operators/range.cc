#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_range(const Call& call) {
  const Tensor& start = call.tensor(0);
  same_type(call, start, call.tensor(1));
  same_type(call, start, call.tensor(2));
  for (size_t i = 0; i < 3; ++i) (void)one_double(call, i);  // each is one number
  return with_number<kNumber>(call, start.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T first{}, limit{}, delta{};
    load(start, 0, 1, 1, &first);
    load(call.tensor(1), 0, 1, 1, &limit);
    load(call.tensor(2), 0, 1, 1, &delta);
    if (delta == T{0}) fail(ErrorCode::kData, "Range: delta is 0");
    int64_t count = 0;
    if constexpr (std::is_same_v<T, double>) {
      const double steps = std::ceil((limit - first) / delta);
      if (!(steps < 0x1p62)) fail(ErrorCode::kData, "Range: {} elements", steps);
      count = steps > 0 ? static_cast<int64_t>(steps) : 0;
    } else {
      // Distances as unsigned: the span of int64_t does not fit int64_t.
      const bool up = delta > T{0};
      if (up ? first < limit : limit < first) {
        const auto from = static_cast<uint64_t>(up ? first : limit);
        const auto to = static_cast<uint64_t>(up ? limit : first);
        const auto step = up ? static_cast<uint64_t>(delta) : 0 - static_cast<uint64_t>(delta);
        const uint64_t steps = (to - from - 1) / step + 1;
        if (steps > (uint64_t{1} << 62)) fail(ErrorCode::kData, "Range: {} elements", steps);
        count = static_cast<int64_t>(steps);
      }
    }
    Tensor out = call.make(start.dtype(), {count});
    for_blocks(call, count, [&](int64_t begin, int64_t n) {
      T values[kBlock];
      for (int64_t i = 0; i < n; ++i)
        values[i] = wrap_add(first, wrap_mul(static_cast<T>(begin + i), delta));
      store(out, begin, n, values);
    });
    return single(std::move(out));
  });
}

}  // namespace

PLANISH_REFERENCE(range) { return {"", "Range", &eval_range}; }

}  // namespace planish::reference
