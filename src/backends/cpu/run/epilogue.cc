#include "backends/cpu/run/epilogue.h"

namespace planish::backends::cpu {
namespace {

constexpr int64_t kMany = 1 << 20;

// Strides of an operand that broadcasts to the output in whole groups of dims.
bool set_strides(std::span<const int64_t> output,
                 std::span<const int64_t> operand,
                 size_t rows,
                 size_t columns,
                 kernels::EpilogueOp& op) {
  if (operand.size() > output.size()) return false;
  const size_t missing = output.size() - operand.size();
  const size_t bounds[] = {0, rows, columns, output.size()};
  int64_t stride = 1;
  int64_t* const targets[] = {&op.batch_stride, &op.row_stride, &op.column_stride};
  for (int group = 2; group >= 0; --group) {
    bool full = true, ones = true;
    int64_t own = 1;
    for (size_t i = bounds[group]; i < bounds[group + 1]; ++i) {
      const int64_t dim = i < missing ? 1 : operand[i - missing];
      full = full && dim == output[i];
      ones = ones && dim == 1;
      own *= dim;
    }
    if (!full && !ones) return false;
    *targets[group] = ones ? 0 : stride;
    stride *= own;
  }
  return true;
}

}  // namespace

void check_epilogue(const Checker& c, size_t fixed) {
  const Attributes& args = c.step().args;
  const Strings& ops = args.get_strings("epilogue");
  const size_t n = ops.size();
  if (n > static_cast<size_t>(kernels::kMaxEpilogue))
    c.refuse(fmt::format("an epilogue of {} operators", n));
  if (n == 0) return;
  if (args.get_floats("epilogue_p0").size() != n || args.get_floats("epilogue_p1").size() != n) {
    c.refuse("epilogue parameters do not match its operators");
  }
  const Ints& operands = c.integers("epilogue_operand", n, -1, kMany);
  c.integers("epilogue_first", n, 0, 1);
  const Ints& row = c.integers("epilogue_row", n, 0, 1);
  for (size_t i = 0; i < n; ++i) {
    if (operands[i] < 0) {
      if (!kernels::parse_unary(ops[i]))
        c.refuse(fmt::format("unknown epilogue operator '{}'", ops[i]));
      continue;
    }
    if (!kernels::parse_binary(ops[i]))
      c.refuse(fmt::format("unknown binary epilogue operator '{}'", ops[i]));
    if (static_cast<size_t>(operands[i]) < fixed)
      c.refuse("an epilogue reads an input of the kernel itself");
    const plan::Slot& slot = c.input(static_cast<size_t>(operands[i]), DType::kFloat32);
    if (row[i] == 1) c.rank(slot, 1, 1);
  }
}

std::optional<kernels::Epilogue> try_epilogue(const runtime::StepContext& context,
                                              std::span<const int64_t> output,
                                              size_t rows,
                                              size_t columns) {
  kernels::Epilogue chain;
  const Attributes& args = context.step().args;
  const Strings& ops = args.get_strings("epilogue");
  if (ops.empty()) return chain;
  const Floats& p0 = args.get_floats("epilogue_p0");
  const Floats& p1 = args.get_floats("epilogue_p1");
  const Ints& operands = args.get_ints("epilogue_operand");
  const Ints& first = args.get_ints("epilogue_first");
  const Ints& row = args.get_ints("epilogue_row");
  for (size_t i = 0; i < ops.size(); ++i) {
    kernels::EpilogueOp& op = chain.ops[chain.count++];
    if (operands[i] < 0) {
      op.unary = *kernels::parse_unary(ops[i]);
      op.p0 = p0[i];
      op.p1 = p1[i];
      continue;
    }
    op.is_binary = true;
    op.binary = *kernels::parse_binary(ops[i]);
    op.flow_first = first[i] == 1;
    const runtime::SlotView view = context.input(static_cast<size_t>(operands[i]));
    op.operand = view.as<const float>();
    if (row[i] == 1) {
      if (view.dims.size() != 1 || view.dims[0] != count(output.subspan(rows, columns - rows)))
        return std::nullopt;
      op.row_stride = 1;
    } else if (!set_strides(output, view.dims, rows, columns, op)) {
      return std::nullopt;
    }
  }
  chain.functions = &kernels::best_pointwise();
  return chain;
}

kernels::Epilogue make_epilogue(const runtime::StepContext& context,
                                std::span<const int64_t> output,
                                size_t rows,
                                size_t columns) {
  const std::optional<kernels::Epilogue> chain = try_epilogue(context, output, rows, columns);
  require_dims(context, chain.has_value(),
               "an epilogue's operand does not broadcast to the output");
  return *chain;
}

}  // namespace planish::backends::cpu
