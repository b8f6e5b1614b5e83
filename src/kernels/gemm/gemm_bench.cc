// GFLOP/s of every tactic on the shapes of common models, one worker.
//
//   cmake --preset bench && cmake --build --preset bench --target kernels_gemm_bench
#include <benchmark/benchmark.h>

#include <vector>

#include "kernels/gemm/gemm.h"

namespace planish::kernels {
namespace {

void bm_gemm(benchmark::State& state, const GemmVariant* variant, GemmProblem p) {
  std::vector<float> a(static_cast<size_t>(p.m * p.k), 0.5f),
      b(static_cast<size_t>(p.k * p.n), 0.25f);
  std::vector<float> packed(static_cast<size_t>(packed_b_floats(p.k, p.n))),
      c(static_cast<size_t>(p.m * p.n));
  std::vector<float> workspace(static_cast<size_t>(variant->workspace_floats(p)));
  pack_b(p.k, p.n, b.data(), p.n, 1, packed.data());
  GemmArgs args;
  args.problem = p;
  args.a = a.data();
  args.a_row = p.k;
  args.b = p.packed_b ? packed.data() : b.data();
  args.b_row = p.n;
  args.c = c.data();
  args.c_row = p.n;
  args.workspace = workspace.data();
  for (auto _ : state) {
    variant->run(&args, 0, 1);
    benchmark::ClobberMemory();
  }
  state.counters["GFLOP/s"] = benchmark::Counter(2e-9 * static_cast<double>(p.m * p.n * p.k),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

const bool kRegistered = [] {
  const GemmProblem shapes[] = {{1, 1, 1000, 512, true},   {1, 8, 768, 768, true},
                                {1, 128, 768, 768, true},  {1, 128, 3072, 768, true},
                                {1, 128, 768, 3072, true}, {1, 128, 128, 64, false},
                                {1, 128, 64, 128, false},  {1, 512, 512, 512, false}};
  for (const GemmVariant& v : gemm_variants()) {
    if (!machine_has(v.isa)) continue;
    for (const GemmProblem& p : shapes) {
      const std::string name = std::string(v.name) + "/" + std::to_string(p.m) + "x" +
                               std::to_string(p.n) + "x" + std::to_string(p.k) +
                               (p.packed_b ? "/packed" : "");
      benchmark::RegisterBenchmark(name.c_str(), bm_gemm, &v, p);
    }
  }
  return true;
}();

}  // namespace
}  // namespace planish::kernels
