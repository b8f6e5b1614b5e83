// Every tactic that this machine runs against plain loops in double.
#include "kernels/gemm/gemm.h"

#include <gtest/gtest.h>

#include "kernels/test_util.h"

namespace planish::kernels {
namespace {

struct Case {
  GemmProblem p;
  bool trans_a = false, trans_b = false;
  int64_t a_gap = 0, b_gap = 0, c_gap = 0;  // pitch beyond the dense one
  bool bias = false, residual = false, relu = false;
};

void run_case(const GemmVariant& variant, const Case& c, uint64_t seed) {
  if (!takes(variant, c.p)) return;
  SCOPED_TRACE(std::string(variant.name) + " m=" + std::to_string(c.p.m) +
               " n=" + std::to_string(c.p.n) + " k=" + std::to_string(c.p.k) +
               " batch=" + std::to_string(c.p.batch) + (c.p.packed_b ? " packed" : "") +
               (c.trans_a ? " transA" : "") + (c.trans_b ? " transB" : ""));
  Random random(seed);
  const auto [batch, m, n, k, packed] = c.p;
  const int64_t a_pitch = (c.trans_a ? m : k) + c.a_gap, b_pitch = (c.trans_b ? k : n) + c.b_gap,
                c_pitch = n + c.c_gap;
  const int64_t a_size = (c.trans_a ? k : m) * a_pitch, b_size = (c.trans_b ? n : k) * b_pitch;
  const int64_t b_count = packed ? 1 : batch;
  const auto a = random.reals(a_size * batch), b = random.reals(b_size * b_count);
  const auto bias = random.reals(n), residual = random.reals(batch * m * c_pitch);
  GemmArgs args;
  args.problem = c.p;
  args.a = a.data();
  args.a_row = c.trans_a ? 1 : a_pitch;
  args.a_column = c.trans_a ? a_pitch : 1;
  args.b_row = c.trans_b ? 1 : b_pitch;
  args.b_column = c.trans_b ? b_pitch : 1;
  std::vector<int64_t> a_offsets, b_offsets;
  for (int64_t i = 0; i < batch; ++i) {
    a_offsets.push_back(i * a_size);
    b_offsets.push_back(i * b_size);
  }
  args.a_offsets = a_offsets.data();
  std::vector<float> panels(static_cast<size_t>(packed_b_floats(k, n)), -1.0f);
  if (packed) {
    pack_b(k, n, b.data(), args.b_row, args.b_column, panels.data());
    args.b = panels.data();
  } else {
    args.b = b.data();
    args.b_offsets = b_offsets.data();
  }
  args.c_row = c_pitch;
  args.c_batch = m * c_pitch;
  if (c.bias) {
    EpilogueOp& op = args.epilogue.ops[args.epilogue.count++];
    op = {true, {}, Binary::kAdd, true, 0, 0, bias.data(), 0, 0, 1};
  }
  if (c.residual) {
    EpilogueOp& op = args.epilogue.ops[args.epilogue.count++];
    op = {true, {}, Binary::kSub, false, 0, 0, residual.data(), m * c_pitch, c_pitch, 1};
  }
  if (c.relu) args.epilogue.ops[args.epilogue.count++] = {};
  args.epilogue.functions = &best_pointwise();

  std::vector<double> want(static_cast<size_t>(batch * m * c_pitch), -7.0);
  for (int64_t s = 0; s < batch; ++s) {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p) {
          sum += static_cast<double>(
                     a[static_cast<size_t>(a_offsets[s] + i * args.a_row + p * args.a_column)]) *
                 b[static_cast<size_t>((packed ? 0 : b_offsets[s]) + p * args.b_row +
                                       j * args.b_column)];
        }
        const auto at = static_cast<size_t>((s * m + i) * c_pitch + j);
        if (c.bias) sum += bias[static_cast<size_t>(j)];
        if (c.residual) sum = residual[at] - sum;
        want[at] = c.relu && sum < 0 ? 0 : sum;
      }
    }
  }
  std::vector<float> first;
  for (int workers = 1; workers <= 3; ++workers) {
    const int64_t per_worker = variant.workspace_floats(c.p);
    ASSERT_LE(per_worker, kMaxGemmWorkspace);
    ASSERT_EQ(per_worker % 16, 0);
    // NaN in the workspace: nothing may be read before it is written.
    std::vector<float> workspace(static_cast<size_t>(per_worker * workers), NAN);
    std::vector<float> got(want.size(), -7.0f);
    args.c = got.data();
    args.workspace = workspace.data();
    for (int w = 0; w < workers; ++w) ASSERT_EQ(variant.run(&args, w, workers), Status::kOk);
    if (workers == 1) {
      expect_close(got, want, reduction_tolerance(k) + 4e-7);
      first = got;
    } else {
      ASSERT_TRUE(same_bits(first, got)) << workers << " workers give other bits than one";
    }
  }
}

template <class Body>
void for_variants(Body body) {
  int ran = 0;
  for (const GemmVariant& variant : gemm_variants()) {
    if (!machine_has(variant.isa)) continue;
    ++ran;
    body(variant);
  }
  ASSERT_GE(ran, 1);
  expect_all_tested(gemm_variants());
}

TEST(Gemm, RandomShapesAgainstPlainLoops) {
  for_variants([](const GemmVariant& variant) {
    for_seeds(60, [&](uint64_t seed) {
      Random random(seed);
      Case c;
      c.p.packed_b = random.coin();
      c.p.batch = random.pick<int64_t>({1, 1, 2, 3});
      c.p.m = random.integer(1, 40);
      c.p.n = random.integer(1, 70);
      c.p.k = random.integer(0, 60);
      c.trans_a = random.coin();
      c.trans_b = random.coin();
      c.a_gap = random.integer(0, 3);
      c.b_gap = random.integer(0, 3);
      c.c_gap = random.integer(0, 3);
      c.bias = random.coin();
      c.residual = random.coin();
      c.relu = random.coin();
      run_case(variant, c, seed);
    });
  });
}

TEST(Gemm, EdgeShapes) {
  for_variants([](const GemmVariant& variant) {
    const int64_t shapes[][3] = {{1, 1, 1},    {1, 1000, 37}, {2, 100, 5},   {3, 33, 400},
                                 {6, 16, 384}, {7, 17, 385},  {145, 16, 10}, {12, 257, 40},
                                 {5, 1030, 9}, {1, 64, 1200}, {4, 4, 0},     {290, 40, 401}};
    for (const auto& s : shapes) {
      for (const bool packed : {false, true}) {
        run_case(variant,
                 {{1, s[0], s[1], s[2], packed}, false, false, 0, 0, 0, true, false, false}, 1);
      }
    }
    run_case(variant, {{0, 4, 4, 4, false}}, 1);
    run_case(variant, {{2, 0, 4, 4, false}}, 1);
  });
}

TEST(Gemm, PacksUnpackToWhatTheyWere) {
  for_seeds(20, [](uint64_t seed) {
    Random random(seed);
    const int64_t m = random.integer(1, 40), k = random.integer(1, 20);
    const auto b = random.reals(m * k);
    std::vector<float> packed(static_cast<size_t>(packed_b_floats(k, m)), NAN), back(b.size());
    pack_b(k, m, b.data(), m, 1, packed.data());
    for (const float v : packed) ASSERT_FALSE(std::isnan(v));
    unpack_b(k, m, packed.data(), back.data(), m, 1);
    EXPECT_TRUE(same_bits(b, back));
    packed.assign(static_cast<size_t>(packed_a_floats(m, k)), NAN);
    pack_a(m, k, b.data(), k, 1, packed.data());
    for (const float v : packed) ASSERT_FALSE(std::isnan(v));
    unpack_a(m, k, packed.data(), back.data(), k, 1);
    EXPECT_TRUE(same_bits(b, back));
  });
}

TEST(Gemm, NamesAreFoundAndUnknownOnesAreNot) {
  for (const GemmVariant& variant : gemm_variants()) EXPECT_EQ(find_gemm(variant.name), &variant);
  EXPECT_EQ(find_gemm("gemm_f32_abacus"), nullptr);
}

}  // namespace
}  // namespace planish::kernels
