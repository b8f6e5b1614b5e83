// Gemm and MatMul. A constant right operand is packed; else both are read as they are.
#include "kernels/gemm/gemm.h"

#include "backends/cpu/compile/fuse.h"

namespace planish::backends::cpu {
namespace {

// The best tactic does not depend on sizes yet.
const kernels::GemmVariant& variant() {
  return *kernels::best_variant(kernels::gemm_variants(), kernels::GemmProblem{});
}

// Input 1 as a constant matrix; null when it is none.
const Tensor* matrix(const Facts& facts) {
  const Tensor* b = facts.constant(1);
  return b != nullptr && b->rank() == 2 ? b : nullptr;
}

// Step with a, b (packed when constant) and the arguments of cpu.gemm_f32.
plan::Step gemm_step(const Facts& facts, LowerContext& context, bool trans_a, bool trans_b) {
  const Tensor* constant = matrix(facts);
  plan::Step step = make_step(facts, context, "cpu.gemm_f32", constant != nullptr ? 1 : 2);
  const kernels::GemmVariant& v = variant();
  int64_t k = 0;
  if (constant != nullptr) {
    const Tensor b = constant->aligned();
    k = b.dim(trans_b ? 1 : 0);
    const int64_t n = b.dim(trans_b ? 0 : 1);
    Tensor packed(DType::kFloat32, {kernels::packed_b_floats(k, n)});
    kernels::pack_b(k, n, b.data<float>().data(), trans_b ? 1 : n, trans_b ? k : 1,
                    packed.mutable_data<float>().data());
    step.inputs.push_back(
        context.constant(facts.input(1).name + "_packed", std::move(packed),
                         fmt::format("pack {} of {}", v.name, facts.input(1).name)));
    step.args.set("k", k);
    step.args.set("n", n);
  } else {
    const SizeExpr inner = facts.shape(0).back();
    k = facts.op() == "MatMul" ? inner.constant().value_or(1 << 20) : 1 << 20;
  }
  step.args.set("tactic", std::string(v.name));
  step.args.set("packed", int64_t{constant != nullptr});
  step.args.set("trans_a", int64_t{trans_a});
  step.args.set("trans_b", int64_t{trans_b});
  // Enough for any number of rows and columns.
  kernels::GemmProblem most{1, 1 << 20, 1 << 20, k, constant != nullptr};
  step.workspaces.push_back(context.workspace(v.workspace_floats(most) * 4 * context.threads()));
  return step;
}

Support supports_matmul(const Facts& facts) {
  if (Support s = all_float32(facts); !s.supported) return s;
  if (facts.rank(0) < 1 || facts.rank(1) < 1) return Support::no("a scalar operand");
  if (facts.rank(0) > 16 || facts.rank(1) > 16) return Support::no("more than 16 dims");
  return Support::yes();
}

std::string lower_matmul(const Facts& facts, LowerContext& context) {
  plan::Step step = gemm_step(facts, context, false, false);
  const size_t rank = facts.output_shape().size();
  // A vector operand takes its dim out of the output: no epilogue by rows and columns then.
  const bool matrices = facts.rank(0) >= 2 && facts.rank(1) >= 2;
  finish(facts, context, std::move(step),
         matrices ? std::optional(Groups{rank - 2, rank - 1}) : std::nullopt);
  return variant().name;
}

Support supports_gemm(const Facts& facts) {
  if (Support s = all_float32(facts); !s.supported) return s;
  if (facts.rank(0) != 2 || facts.rank(1) != 2) return Support::no("operands are not matrices");
  if (!facts.has_input(2)) return Support::yes();
  const Shape& c = facts.shape(2);
  const Shape& y = facts.output_shape();
  if (c.size() > 2 || y.size() != 2) return Support::no("C has more than two dims");
  for (size_t i = 0; i < c.size(); ++i) {
    if (c[i] != SizeExpr(1) && equal(c[i], y[2 - c.size() + i]) != Tri::kYes) {
      return Support::no("C may not broadcast to the output");
    }
  }
  return Support::yes();
}

std::string lower_gemm(const Facts& facts, LowerContext& context) {
  const Attributes& attributes = facts.attributes();
  const float alpha = attributes.get_float("alpha", 1.0f),
              beta = attributes.get_float("beta", 1.0f);
  plan::Step step = gemm_step(facts, context, attributes.get_int("transA", 0) != 0,
                              attributes.get_int("transB", 0) != 0);
  std::vector<Link> own;
  if (alpha != 1.0f) {
    Link scale;
    scale.unary = {kernels::Unary::kAffine, alpha, 0};
    own.push_back(scale);
  }
  if (facts.has_input(2) && beta != 0.0f) {
    Link add;
    add.binary = true;
    add.operand = context.slot(facts.node().inputs[2]);
    if (beta != 1.0f) {
      plan::Step scaled;
      scaled.kernel = "cpu.unary_f32";
      scaled.inputs = {add.operand};
      add.operand = context.temporary(facts.node().name + "_c", DType::kFloat32, facts.shape(2));
      scaled.outputs = {add.operand};
      scaled.args.set("op", std::string("affine"));
      scaled.args.set("p0", beta);
      scaled.args.set("p1", 0.0f);
      context.add_step(std::move(scaled));
    }
    own.push_back(add);
  }
  finish(facts, context, std::move(step), Groups{0, 1}, std::move(own));
  return variant().name;
}

}  // namespace

PLANISH_LOWERINGS(gemm) {
  static constexpr Lowering kAll[] = {{"MatMul", &supports_matmul, &lower_matmul},
                                      {"Gemm", &supports_gemm, &lower_gemm}};
  return kAll;
}

}  // namespace planish::backends::cpu
