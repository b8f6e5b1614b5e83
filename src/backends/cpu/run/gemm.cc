// cpu.gemm_f32: inputs a, b, epilogue operands...; arguments
//
//   tactic              name of the kernel
//   trans_a, trans_b    0 or 1: the last two dims are swapped (Gemm)
//   packed              1: b is a packed constant for k x n; 0: b is read as it is
//   k, n                of the packed constant
//   epilogue...
//
// a [..., m, k] (or [k] as a row), b [..., k, n] (or [k] as a column), numpy broadcasting over the
// rest; a packed b has no batch. The output is [..., m, n] without the dims that a vector operand
// lacks.
#include "kernels/gemm/gemm.h"

#include <algorithm>
#include <optional>

#include "backends/cpu/run/epilogue.h"

namespace planish::backends::cpu {
namespace {

// Batch dims of `dims`, and a vector turned into a matrix.
struct Operand {
  std::span<const int64_t> batch;
  int64_t rows = 1, columns = 1;
  int64_t size() const { return rows * columns; }
};

Operand read_operand(std::span<const int64_t> dims, bool is_a) {
  if (dims.size() == 1) return is_a ? Operand{{}, 1, dims[0]} : Operand{{}, dims[0], 1};
  return {dims.first(dims.size() - 2), dims[dims.size() - 2], dims[dims.size() - 1]};
}

class GemmStep : public runtime::Step {
 public:
  explicit GemmStep(const plan::Step& step)
      : variant_(tactic(step, &kernels::find_gemm, &kernels::machine_has)) {}

  static void check(const Checker& c) {
    c.arity(2, 2 + kernels::kMaxEpilogue);
    if (kernels::find_gemm(c.step().args.get_string("tactic")) == nullptr)
      c.refuse("unknown tactic");
    c.rank(c.input(0, DType::kFloat32), 1, 16);
    c.rank(c.output(0, DType::kFloat32), 0, 16);
    c.integer("trans_a", 0, 1);
    c.integer("trans_b", 0, 1);
    if (c.integer("packed", 0, 1) == 1) {
      constexpr int64_t kMost = int64_t{1} << 40;
      const int64_t k = c.integer("k", 0, kMost), n = c.integer("n", 0, kMost);
      const Dims whole = {(n + kernels::kPanelColumns - 1) / kernels::kPanelColumns,
                          kernels::kPanelColumns, k};
      c.constant_bytes(c.input(1), byte_count(DType::kFloat32, element_count(whole)));
    } else {
      c.rank(c.input(1, DType::kFloat32), 1, 16);
    }
    check_epilogue(c, 2);
  }

  void prepare(runtime::StepContext& context) override {
    const Attributes& args = context.step().args;
    const runtime::SlotView a = context.input(0), b = context.input(1), y = context.output(0);
    const bool packed = args.get_int("packed") == 1;
    const bool trans_a = args.get_int("trans_a") == 1, trans_b = args.get_int("trans_b") == 1;
    const Operand left = read_operand(a.dims, true);
    Operand right =
        packed ? Operand{{}, args.get_int("k"), args.get_int("n")} : read_operand(b.dims, false);
    kernels::GemmProblem& p = args_.problem;
    p.packed_b = packed;
    p.m = trans_a ? left.columns : left.rows;
    p.k = trans_a ? left.rows : left.columns;
    p.n = !packed && trans_b ? right.rows : right.columns;
    require_dims(context, p.k == (!packed && trans_b ? right.columns : right.rows),
                 "the inner dims differ");
    const bool a_vector = a.dims.size() == 1, b_vector = !packed && b.dims.size() == 1;

    // The output seen with both matrix dims.
    Dims full(y.dims.begin(), y.dims.end());
    if (a_vector) full.insert(full.end() - (b_vector || full.empty() ? 0 : 1), 1);
    if (b_vector) full.push_back(1);
    require_dims(context, full.size() >= 2 && full[full.size() - 2] == p.m && full.back() == p.n,
                 "the output is not m x n");
    const std::span<const int64_t> batch(full.data(), full.size() - 2);
    p.batch = count(batch);
    set_offsets(context, batch, left, a_offsets_);
    set_offsets(context, batch, right, b_offsets_);
    args_.a_row = trans_a ? 1 : left.columns;
    args_.a_column = trans_a ? left.columns : 1;
    args_.b_row = trans_b ? 1 : right.columns;
    args_.b_column = trans_b ? right.columns : 1;
    args_.a = a.as<const float>();
    args_.b = b.as<const float>();
    args_.c = y.as<float>();
    args_.a_offsets = a_offsets_.data();
    args_.b_offsets = b_offsets_.data();
    args_.c_row = p.n;
    args_.c_batch = p.m * p.n;
    // A constant B serves the whole batch: one tall product, when the epilogue can be seen that
    // way.
    std::optional<kernels::Epilogue> tall;
    if (packed && args_.a_column == 1 && std::ranges::equal(left.batch, batch)) {
      tall = try_epilogue(context, full, 0, full.size() - 1);
    }
    if (tall) {
      p.m *= p.batch;
      p.batch = 1;
      args_.epilogue = *tall;
    } else {
      args_.epilogue = make_epilogue(context, full, full.size() - 2, full.size() - 1);
    }
    if (const char* why = variant_.supports(p)) refuse_dims(context, why);
    args_.workspace = scratch_.floats(context, variant_.workspace_floats(p) * context.workers());
  }

  Status run(runtime::StepContext&, int worker, int workers) noexcept override {
    return variant_.run(&args_, worker, workers);
  }

 private:
  static void set_offsets(const runtime::StepContext& context,
                          std::span<const int64_t> batch,
                          const Operand& operand,
                          std::vector<int64_t>& offsets) {
    require_dims(context, operand.batch.size() <= batch.size(),
                 "an operand has more dims than the output");
    const size_t missing = batch.size() - operand.batch.size();
    Dims strides(batch.size(), 0);
    int64_t stride = operand.size();
    for (size_t i = batch.size(); i-- > missing;) {
      const int64_t own = operand.batch[i - missing];
      require_dims(context, own == batch[i] || own == 1, "batch dims do not broadcast");
      strides[i] = own == 1 ? 0 : stride;
      stride *= own;
    }
    offsets.assign(static_cast<size_t>(count(batch)), 0);
    for (size_t flat = 0; flat < offsets.size(); ++flat) {
      auto rest = static_cast<int64_t>(flat);
      for (size_t i = batch.size(); i-- > 0;) {
        offsets[flat] += rest % batch[i] * strides[i];
        rest /= batch[i];
      }
    }
  }

  const kernels::GemmVariant& variant_;
  kernels::GemmArgs args_;
  std::vector<int64_t> a_offsets_, b_offsets_;
  Scratch scratch_;
};

}  // namespace

void register_gemm(runtime::Registry& registry) {
  registry.add(step_kernel<GemmStep>("cpu.gemm_f32"));
}

}  // namespace planish::backends::cpu
