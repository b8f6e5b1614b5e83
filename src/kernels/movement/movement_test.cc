#include "kernels/movement/movement.h"

#include <gtest/gtest.h>

#include <numeric>

#include "kernels/test_util.h"

namespace planish::kernels {
namespace {

// Random dims and strides of both sides against one loop nest; 0 strides on the reading side.
TEST(Movement, CopiesAgainstPlainIndexing) {
  for_seeds(200, [](uint64_t seed) {
    Random random(seed);
    CopyArgs a;
    a.rank = static_cast<int>(random.integer(1, 5));
    // The output is dense in a random order of dims; the input too, in another.
    std::vector<int> order(static_cast<size_t>(a.rank));
    std::iota(order.begin(), order.end(), 0);
    const auto shuffle = [&] {
      for (size_t i = order.size(); i-- > 1;)
        std::swap(order[i], order[static_cast<size_t>(random.integer(0, static_cast<int64_t>(i)))]);
    };
    for (int d = 0; d < a.rank; ++d) a.dims[d] = random.integer(1, random.coin() ? 5 : 40);
    int64_t to_size = 1, from_size = 1;
    if (random.coin()) shuffle();
    for (const int d : order) {
      a.to_strides[d] = to_size;
      to_size *= a.dims[d];
    }
    shuffle();
    for (const int d : order) {
      const bool repeated = random.integer(0, 4) == 0;
      a.from_strides[d] = repeated ? 0 : from_size;
      if (!repeated) from_size *= a.dims[d];
    }
    if (to_size > 200000) return;
    std::vector<uint32_t> from(static_cast<size_t>(from_size)),
        want(static_cast<size_t>(to_size), 77);
    std::iota(from.begin(), from.end(), 1);
    for (int64_t flat = 0; flat < to_size; ++flat) {
      int64_t rest = flat, f = 0, t = 0;
      for (int d = 0; d < a.rank; ++d) {
        f += rest % a.dims[d] * a.from_strides[d];
        t += rest % a.dims[d] * a.to_strides[d];
        rest /= a.dims[d];
      }
      want[static_cast<size_t>(t)] = from[static_cast<size_t>(f)];
    }
    simplify(a);
    a.from = from.data();
    for (int workers = 1; workers <= 3; ++workers) {
      std::vector<uint32_t> got(want.size(), 77);
      a.to = got.data();
      for (int w = 0; w < workers; ++w) ASSERT_EQ(copy(&a, w, workers), Status::kOk);
      ASSERT_EQ(got, want) << workers << " workers";
    }
  });
}

TEST(Movement, EveryElementSizeIsMovedWhole) {
  for (const int bytes : {1, 2, 4, 8, 16}) {
    std::vector<uint8_t> from(static_cast<size_t>(6 * bytes)), got(from.size());
    std::iota(from.begin(), from.end(), uint8_t{0});
    CopyArgs a;
    a.rank = 2;
    a.dims[0] = 3, a.dims[1] = 2;
    a.from_strides[0] = 1, a.from_strides[1] = 3;
    a.to_strides[0] = 2, a.to_strides[1] = 1;
    a.element_bytes = bytes;
    a.from = from.data();
    a.to = got.data();
    copy(&a, 0, 1);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 2; ++j) {
        for (int k = 0; k < bytes; ++k) {
          EXPECT_EQ(got[static_cast<size_t>((i * 2 + j) * bytes + k)],
                    from[static_cast<size_t>((j * 3 + i) * bytes + k)]);
        }
      }
    }
  }
}

TEST(Movement, GatherChecksItsIndices) {
  const float x[] = {0, 1, 2, 3, 4, 5};
  const int64_t good[] = {2, -1, 0}, high[] = {3}, low[] = {-4};
  float y[6];
  GatherArgs a{1, 3, 2, 3, 4, true, x, good, y};
  ASSERT_EQ(gather(&a, 0, 1), Status::kOk);
  const float want[] = {4, 5, 4, 5, 0, 1};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(y[i], want[i]);
  a.count = 1;
  a.indices = high;
  EXPECT_EQ(gather(&a, 0, 1), Status::kIndexOutOfRange);
  a.indices = low;
  EXPECT_EQ(gather(&a, 0, 1), Status::kIndexOutOfRange);
}

TEST(Movement, PadFillsAndCrops) {
  const float x[] = {1, 2, 3, 4, 5, 6}, value = 9;
  PadArgs a;
  a.rank = 2;
  a.in[0] = 2, a.in[1] = 3;
  a.out[0] = 4, a.out[1] = 4;
  a.begin[0] = 1, a.begin[1] = -1;  // the first column goes, two come behind
  a.value = &value;
  a.x = x;
  const std::vector<float> want = {9, 9, 9, 9, 2, 3, 9, 9, 5, 6, 9, 9, 9, 9, 9, 9};
  for (int workers = 1; workers <= 3; ++workers) {
    std::vector<float> y(16, 0);
    a.y = y.data();
    for (int w = 0; w < workers; ++w) pad(&a, w, workers);
    EXPECT_EQ(y, want);
  }
}

}  // namespace
}  // namespace planish::kernels
