#include <cmath>

#include "base/elements.h"
#include "ops/movement.h"

namespace planish::ops {

namespace {

// Of constants: the number of elements; nothing where the run should complain.
std::optional<int64_t> constant_count(const Tensor& start,
                                      const Tensor& limit,
                                      const Tensor& delta) {
  if (start.size() != 1 || limit.size() != 1 || delta.size() != 1 || !is_floating(start.dtype()))
    return std::nullopt;
  const double step = load_double(delta, 0);
  if (step == 0) return std::nullopt;
  const double count = std::ceil((load_double(limit, 0) - load_double(start, 0)) / step);
  if (!(count < 0x1p62)) return std::nullopt;
  return count > 0 ? static_cast<int64_t>(count) : 0;
}

void infer_range(InferContext& context) {
  const DType dtype = context.input_dtype(0);
  const auto start = context.input_symbolic(0), limit = context.input_symbolic(1),
             delta = context.input_symbolic(2);
  std::optional<SizeExpr> count;
  if (start && limit && delta && start->elements.size() == 1 && limit->elements.size() == 1 &&
      delta->elements.size() == 1) {
    const SizeExpr& step = delta->elements[0];
    const std::optional<int64_t> number = step.constant();
    if (number == 0) context.fail("delta is 0");
    if (number && *number > -kMaxSymbolicElements) {
      try {
        const SizeExpr span = limit->elements[0] - start->elements[0];
        const SizeExpr raw =
            *number > 0 ? SizeExpr::ceil_div(span, step) : SizeExpr::ceil_div(-span, -step);
        count = never_negative(raw) ? raw : SizeExpr::max(raw, 0);
      } catch (const Error&) {  // further apart than 64 bits count: the run says what becomes of it
      }
    }
  } else if (context.input_constant(0) != nullptr && context.input_constant(1) != nullptr &&
             context.input_constant(2) != nullptr) {
    const auto number = constant_count(*context.input_constant(0), *context.input_constant(1),
                                       *context.input_constant(2));
    if (number) count = *number;
  }
  context.set_output(0, Type::tensor(dtype, {count ? *count : context.fresh_dim()}));
  const auto length = count ? count->constant() : std::nullopt;
  if (!start || !delta || !length || *length > kMaxSymbolicElements) return;
  ir::SymbolicTensor content{{*length}, {}};
  for (int64_t i = 0; i < *length; ++i)
    content.elements.push_back(start->elements[0] + delta->elements[0] * i);
  context.set_symbolic(0, std::move(content));
}

}  // namespace

PLANISH_OPERATOR(range) {
  OpDef d;
  d.name = "Range";
  d.since = 11;
  d.inputs = {{"start", Arity::kRequired, kAnyNumeric, "T"},
              {"limit", Arity::kRequired, kAnyNumeric, "T"},
              {"delta", Arity::kRequired, kAnyNumeric, "T"}};
  d.outputs = {{"output", Arity::kRequired, kAnyNumeric, "T"}};
  // Opset 27 lets the sum be kept in a wider type; the reference always does.
  d.attributes = {{"stash_type", AttrKind::kInt}};
  d.infer = &infer_range;
  return d;
}

}  // namespace planish::ops
