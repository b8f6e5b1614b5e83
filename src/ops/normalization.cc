#include "ops/normalization.h"

#include "ops/shape_helpers.h"

namespace planish::ops {

void infer_channel_normalization(InferContext& context, int64_t lowest_rank) {
  std::optional<SizeExpr> channels;
  if (const Shape* x = context.input_shape(0)) {
    if (static_cast<int64_t>(x->size()) < lowest_rank) {
      context.fail(
          fmt::format("the input {} must have rank {} or more", to_string(*x), lowest_rank));
    }
    channels = (*x)[1];
  }
  for (size_t i = 1; i < context.input_count(); ++i) {
    const Shape* s = context.input_shape(i);
    if (!s) continue;
    if (s->size() != 1)
      context.fail(
          fmt::format("input {} is {}; one number per channel is needed", i, to_string(*s)));
    channels = channels ? same_dim(context, *channels, (*s)[0],
                                   fmt::format("the channels of X and input {}", i))
                        : (*s)[0];
  }
  same_as_input(context);
}

void check_one_way(const InferContext& context, size_t i) {
  const Shape *x = context.input_shape(0), *s = context.input_shape(i);
  if (!x || !s) return;
  bool fits = s->size() <= x->size();
  for (size_t k = 0; fits && k < s->size(); ++k) {
    const std::optional<int64_t> from = (*s)[s->size() - 1 - k].constant(),
                                 to = (*x)[x->size() - 1 - k].constant();
    fits = !from || *from == 1 || !to || *from == *to;
  }
  if (!fits)
    context.fail(
        fmt::format("input {} {} does not broadcast to {}", i, to_string(*s), to_string(*x)));
}

Cost normalization_cost(const ir::Node&, std::span<const Dims> inputs, std::span<const Dims>) {
  double flops = 8;
  for (const int64_t d : inputs[0]) flops *= static_cast<double>(d);
  return {flops};
}

}  // namespace planish::ops
