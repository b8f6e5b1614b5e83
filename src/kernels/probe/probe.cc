#include "kernels/probe/probe.h"

#include <algorithm>
#include <barrier>
#include <new>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/tensor.h"

namespace planish::kernels {

#define PLANISH_ENTRY(entry) ProbeVariant variant_##entry();
#include "kernels/probe/catalog.inc"
#undef PLANISH_ENTRY

std::span<const ProbeVariant> probe_variants() {
  static const ProbeVariant all[] = {
#define PLANISH_ENTRY(entry) variant_##entry(),
#include "kernels/probe/catalog.inc"
#undef PLANISH_ENTRY
  };
  return all;
}

namespace {

constexpr int64_t kBudget = 50'000'000;         // nanoseconds per figure
constexpr int64_t kFloats = int64_t{16} << 20;  // 64 MiB
constexpr long kRounds = 100'000;               // about 0.2 ms

// Best rate of `work` (units a call) within the budget, at least two calls.
template <class Work>
double best_rate(const Clock& clock, Work work) {
  double best = 0;
  const int64_t start = clock.now_ns();
  for (int calls = 0; calls < 2 || clock.now_ns() - start < kBudget; ++calls) {
    const int64_t before = clock.now_ns();
    const double units = work();
    best =
        std::max(best, units / static_cast<double>(std::max<int64_t>(clock.now_ns() - before, 1)));
  }
  return best;
}

}  // namespace

ProbeResult probe(int threads) {
  const ProbeVariant& variant = *best_variant(probe_variants(), 0);
  const auto n = static_cast<size_t>(std::max(threads, 1));
  const SteadyClock clock;
  // Memory first: an error must come before any thread waits for another. Zeroed: touched already.
  std::vector<Tensor> buffers;
  for (size_t i = 0; i < n; ++i) buffers.emplace_back(DType::kFloat32, Dims{kFloats});
  std::vector<ProbeResult> results(n);
  std::barrier<> together(static_cast<std::ptrdiff_t>(n));
  const auto measure = [&](size_t i) {
    float sink = 0;
    const float* data = buffers[i].data<float>().data();
    together.arrive_and_wait();
    results[i].fp32_gflops = best_rate(clock, [&] { return variant.multiply_add(kRounds, &sink); });
    together.arrive_and_wait();
    results[i].read_gbs = best_rate(clock, [&] {
      variant.read(data, kFloats, &sink);
      return static_cast<double>(kFloats) * sizeof(float);
    });
    volatile float keep = sink;
    (void)keep;
  };
  {
    std::vector<std::jthread> others;
    for (size_t i = 1; i < n; ++i) others.emplace_back(measure, i);
    measure(0);
  }
  ProbeResult total;
  for (const ProbeResult& r : results) {
    total.fp32_gflops += r.fp32_gflops;
    total.read_gbs += r.read_gbs;
  }
  return total;
}

}  // namespace planish::kernels
