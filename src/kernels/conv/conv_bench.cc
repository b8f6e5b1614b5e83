// GFLOP/s of every tactic on layers of ResNet and MobileNet, one worker.
#include <benchmark/benchmark.h>

#include <vector>

#include "kernels/conv/conv.h"

namespace planish::kernels {
namespace {

void bm_conv(benchmark::State& state, const ConvVariant* variant, ConvProblem p) {
  std::vector<float> x(static_cast<size_t>(p.n * p.ic * p.ih * p.iw), 0.5f),
      w(static_cast<size_t>(p.oc * p.k()), 0.25f);
  std::vector<float> packed(static_cast<size_t>(packed_conv_floats(p.oc, p.k(), p.groups)));
  std::vector<float> y(static_cast<size_t>(p.n * p.oc * p.oh * p.ow)),
      workspace(static_cast<size_t>(variant->workspace_floats(p.k())));
  pack_conv(p.oc, p.k(), p.groups, w.data(), packed.data());
  ConvArgs args;
  args.problem = p;
  args.x = x.data();
  args.weights = packed.data();
  args.y = y.data();
  args.workspace = workspace.data();
  for (auto _ : state) {
    variant->run(&args, 0, 1);
    benchmark::ClobberMemory();
  }
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * static_cast<double>(p.n * p.oc * p.oh * p.ow * p.k()),
                         benchmark::Counter::kIsIterationInvariantRate);
}

const bool kRegistered = [] {
  struct Layer {
    const char* name;
    ConvProblem p;
  };
  const Layer layers[] = {
      {"stem7x7s2", {1, 1, 3, 224, 224, 64, 112, 112, 7, 7, 2, 2, 1, 1, 3, 3}},
      {"3x3_64_56", {1, 1, 64, 56, 56, 64, 56, 56, 3, 3, 1, 1, 1, 1, 1, 1}},
      {"3x3s2_64_128", {1, 1, 64, 56, 56, 128, 28, 28, 3, 3, 2, 2, 1, 1, 1, 1}},
      {"3x3_128_28", {1, 1, 128, 28, 28, 128, 28, 28, 3, 3, 1, 1, 1, 1, 1, 1}},
      {"3x3_256_14", {1, 1, 256, 14, 14, 256, 14, 14, 3, 3, 1, 1, 1, 1, 1, 1}},
      {"3x3_512_7", {1, 1, 512, 7, 7, 512, 7, 7, 3, 3, 1, 1, 1, 1, 1, 1}},
      {"1x1_64_256_56", {1, 1, 64, 56, 56, 256, 56, 56, 1, 1, 1, 1, 1, 1, 0, 0}},
      {"1x1_96_24_56", {1, 1, 96, 56, 56, 24, 56, 56, 1, 1, 1, 1, 1, 1, 0, 0}},
      {"1x1_320_1280_7", {1, 1, 320, 7, 7, 1280, 7, 7, 1, 1, 1, 1, 1, 1, 0, 0}},
  };
  for (const ConvVariant& v : conv_variants()) {
    if (!machine_has(v.isa)) continue;
    for (const Layer& layer : layers) {
      benchmark::RegisterBenchmark((std::string(v.name) + "/" + layer.name).c_str(), bm_conv, &v,
                                   layer.p);
    }
  }
  return true;
}();

}  // namespace
}  // namespace planish::kernels
