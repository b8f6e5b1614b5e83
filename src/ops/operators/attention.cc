// Attention: one node for softmax(scale * Q K^T + bias) V, its heads, key cache and masks.
#include <algorithm>

#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

enum AttentionInput : size_t {
  kAttentionQ,
  kAttentionK,
  kAttentionV,
  kAttentionMask,
  kAttentionPastKey,
  kAttentionPastValue,
  kAttentionKeyLengths
};

// Up to opset 23 a mask is broadcast along the keys like along any axis. Since then its last dim
// may be shorter than the keys, 1 included: the keys beyond it are masked.
void upgrade_attention(UpgradeContext& context) {
  ir::Node& node = context.node();
  if (context.from() >= 24 || node.inputs.size() <= kAttentionMask ||
      node.inputs[kAttentionMask] == ir::kNoValue)
    return;
  const Type mask = context.input_type(kAttentionMask);
  if (mask.is_tensor() && mask.shape && !mask.shape->empty() &&
      equal(mask.shape->back(), 1) == Tri::kNo) {
    return;
  }
  // The sequence is the last axis but one in every form of K.
  Attributes sequence;
  sequence.set("start", int64_t{-2});
  sequence.set("end", int64_t{-1});
  ir::ValueId keys = context.emit("Shape", {context.input(kAttentionK)}, sequence);
  if (node.inputs.size() > kAttentionPastKey && node.inputs[kAttentionPastKey] != ir::kNoValue) {
    const ir::ValueId past = context.emit("Shape", {node.inputs[kAttentionPastKey]}, sequence);
    keys = context.emit("Add", {keys, past});
  }
  node.inputs[kAttentionMask] = context.emit("Expand", {node.inputs[kAttentionMask], keys});
}

struct AttentionHeads {
  SizeExpr batch, heads, length, size;
};

AttentionHeads heads_of(const InferContext& context,
                        size_t input,
                        std::string_view name,
                        std::string_view attribute) {
  const Shape& shape = *context.input_shape(input);
  const int64_t count = context.attributes().get_int(attribute, 0);
  if (shape.size() == 4) {
    if (count != 0 && equal(shape[1], count) == Tri::kNo) {
      context.fail(
          fmt::format("{} {} has not the {} {} heads", name, to_string(shape), attribute, count));
    }
    return {shape[0], shape[1], shape[2], shape[3]};
  }
  if (count < 1) context.fail(fmt::format("inputs of rank 3 need a positive {}", attribute));
  const SizeExpr& hidden = shape[2];
  if (hidden.constant().value_or(0) % count != 0)
    context.fail(fmt::format("{} {} does not split into {} heads", name, to_string(shape), count));
  return {shape[0], count, shape[1], SizeExpr::floor_div(hidden, count)};
}

void expect_attention_shape(const InferContext& context,
                            size_t input,
                            std::string_view name,
                            const Shape& expected) {
  const Shape* given = context.input_shape(input);
  if (!given) return;
  bool fits = given->size() == expected.size();
  for (size_t i = 0; fits && i < expected.size(); ++i)
    fits = equal((*given)[i], expected[i]) != Tri::kNo;
  if (!fits) {
    context.fail(
        fmt::format("{} is {}; expected {}", name, to_string(*given), to_string(expected)));
  }
}

void check_attention_mask(const InferContext& context, const Shape& scores) {
  const Shape* mask = context.input_shape(kAttentionMask);
  if (!mask) return;
  bool fits = mask->size() <= scores.size();
  for (size_t i = 1; fits && i <= mask->size(); ++i) {
    const std::optional<int64_t> dim = (*mask)[mask->size() - i].constant(),
                                 wanted = scores[scores.size() - i].constant();
    if (!dim || !wanted) continue;
    fits = *dim == *wanted || *dim == 1 || (i == 1 && *dim < *wanted);
  }
  if (!fits) {
    context.fail(fmt::format("attn_mask {} does not broadcast to the scores {}", to_string(*mask),
                             to_string(scores)));
  }
}

void check_attention_attributes(const InferContext& context) {
  const Attributes& attributes = context.attributes();
  const int64_t mode = attributes.get_int("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    context.fail(fmt::format("qk_matmul_output_mode {} is none of 0 to 3", mode));
  const int64_t precision = attributes.get_int("softmax_precision", 1);
  if (precision < 0 || precision >= kDTypeCount ||
      (kAnyFloat & type_bit(static_cast<DType>(precision))) == 0) {
    context.fail(fmt::format("softmax_precision {} is not a float type", precision));
  }
  for (const char* side : {"left_window_size", "right_window_size"}) {
    if (attributes.get_int(side, -1) < -1)
      context.fail(fmt::format("{} {} is below -1", side, attributes.get_int(side)));
  }
  if (context.has_input(kAttentionPastKey) != context.has_input(kAttentionPastValue))
    context.fail("past_key and past_value go together; only one is given");
  if (context.has_input(kAttentionPastKey) && context.has_input(kAttentionKeyLengths))
    context.fail("nonpad_kv_seqlen is for a cache kept outside; past_key and past_value are given");
}

void infer_attention(InferContext& context) {
  check_attention_attributes(context);
  const auto set_outputs = [&](std::optional<Shape> y, std::optional<Shape> key,
                               std::optional<Shape> value, std::optional<Shape> scores) {
    const DType t1 = context.input_dtype(kAttentionQ), t2 = context.input_dtype(kAttentionV);
    context.set_output(0, tensor_type(t1, std::move(y)));
    context.set_output(1, tensor_type(t1, std::move(key)));
    context.set_output(2, tensor_type(t2, std::move(value)));
    context.set_output(3, tensor_type(t1, std::move(scores)));
  };
  size_t rank = 0;
  for (const size_t i : {kAttentionQ, kAttentionK, kAttentionV}) {
    const Shape* shape = context.input_shape(i);
    if (!shape) continue;
    if ((shape->size() != 3 && shape->size() != 4) || (rank != 0 && shape->size() != rank)) {
      context.fail(fmt::format("Q, K and V must all have rank 3 or all rank 4; one is {}",
                               to_string(*shape)));
    }
    rank = shape->size();
  }
  if (!context.input_shape(kAttentionQ) || !context.input_shape(kAttentionK) ||
      !context.input_shape(kAttentionV))
    return set_outputs(std::nullopt, std::nullopt, std::nullopt, std::nullopt);

  const AttentionHeads q = heads_of(context, kAttentionQ, "Q", "q_num_heads");
  const AttentionHeads k = heads_of(context, kAttentionK, "K", "kv_num_heads");
  const AttentionHeads v = heads_of(context, kAttentionV, "V", "kv_num_heads");
  const SizeExpr batch =
      same_dim(context, same_dim(context, q.batch, k.batch, "batches of Q and K"), v.batch,
               "batches of Q and V");
  const SizeExpr kv_heads = same_dim(context, k.heads, v.heads, "heads of K and V");
  const SizeExpr kv_length = same_dim(context, k.length, v.length, "lengths of K and V");
  const SizeExpr size = same_dim(context, q.size, k.size, "head sizes of Q and K");
  const auto many = q.heads.constant(), few = kv_heads.constant();
  if (many && few && (*few == 0 ? *many != 0 : *many % *few != 0))
    context.fail(fmt::format("{} heads of Q cannot share {} of K and V", *many, *few));

  SizeExpr total = kv_length;
  if (context.has_input(kAttentionPastKey)) {
    const Shape *key = context.input_shape(kAttentionPastKey),
                *value = context.input_shape(kAttentionPastValue);
    const Shape* known = key ? key : value;
    const SizeExpr past = known && known->size() == 4 ? (*known)[2] : context.fresh_dim();
    expect_attention_shape(context, kAttentionPastKey, "past_key", {batch, kv_heads, past, size});
    expect_attention_shape(context, kAttentionPastValue, "past_value",
                           {batch, kv_heads, past, v.size});
    total = past + kv_length;
  }
  expect_attention_shape(context, kAttentionKeyLengths, "nonpad_kv_seqlen", {batch});
  const Shape scores = {batch, q.heads, q.length, total};
  check_attention_mask(context, scores);
  set_outputs(rank == 4 ? Shape{batch, q.heads, q.length, v.size}
                        : Shape{batch, q.length, q.heads * v.size},
              Shape{batch, kv_heads, total, size}, Shape{batch, kv_heads, total, v.size}, scores);
}

// The two products; the softmax is small beside them.
Cost cost_attention(const ir::Node& node,
                    std::span<const Dims> inputs,
                    std::span<const Dims> outputs) {
  const Dims &q = inputs[kAttentionQ], &k = inputs[kAttentionK];
  if (q.size() < 3 || k.size() < 3 || outputs[0].size() < 3) return {};  // shapes not known
  const bool split = q.size() == 4;
  const int64_t heads =
      split ? q[1] : std::max<int64_t>(node.attributes.get_int("q_num_heads", 1), 1);
  int64_t keys = k[k.size() - 2];
  if (inputs.size() > kAttentionPastKey && inputs[kAttentionPastKey].size() == 4)
    keys += inputs[kAttentionPastKey][2];
  const int64_t sizes = (q.back() + outputs[0].back()) / (split ? 1 : heads);
  return {2.0 * static_cast<double>(q[0]) * static_cast<double>(heads) *
          static_cast<double>(q[q.size() - 2]) * static_cast<double>(keys) *
          static_cast<double>(sizes)};
}

}  // namespace

PLANISH_OPERATOR(attention) {
  OpDef d;
  d.name = "Attention";
  d.since = 23;
  d.inputs = {{"Q", Arity::kRequired, kAnyFloat, "T1"},
              {"K", Arity::kRequired, kAnyFloat, "T1"},
              {"V", Arity::kRequired, kAnyFloat, "T2"},
              {"attn_mask", Arity::kOptional, kAnyNumeric | type_bit(DType::kBool)},
              {"past_key", Arity::kOptional, kAnyFloat, "T1"},
              {"past_value", Arity::kOptional, kAnyFloat, "T2"},
              {"nonpad_kv_seqlen", Arity::kOptional, type_bit(DType::kInt64)}};
  d.outputs = {{"Y", Arity::kRequired, kAnyFloat, "T1"},
               {"present_key", Arity::kOptional, kAnyFloat, "T1"},
               {"present_value", Arity::kOptional, kAnyFloat, "T2"},
               {"qk_matmul_output", Arity::kOptional, kAnyFloat, "T1"}};
  d.attributes = {{"is_causal", AttrKind::kInt},
                  {"kv_num_heads", AttrKind::kInt},
                  {"left_window_size", AttrKind::kInt},
                  {"q_num_heads", AttrKind::kInt},
                  {"qk_matmul_output_mode", AttrKind::kInt},
                  {"right_window_size", AttrKind::kInt},
                  {"scale", AttrKind::kFloat},
                  {"softcap", AttrKind::kFloat},
                  {"softmax_precision", AttrKind::kInt}};
  d.infer = &infer_attention;
  d.upgrade = &upgrade_attention;
  d.cost = &cost_attention;
  return d;
}

}  // namespace planish::ops
