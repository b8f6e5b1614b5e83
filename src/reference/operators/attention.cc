// Attention: Y = softmax(softcap(scale * Q K^T) + bias) V, head by head.
//
// The bias of a (query, key) pair is the sum of its masks: attn_mask (a bool counts 0 or -inf), the
// causal frontier, the window, the padding of a cache. A key whose bias is -inf is not attended: it
// has no weight whatever its score and value are, and a query without any key gives zeros.
//
// Query i stands at the absolute position i + offset. The offset is the number of keys before the
// block of queries: the length of the past; or nonpad_kv_seqlen - (number of queries) when the
// whole cache comes in as K and V; or 0, though there be more keys than queries.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/work.h"

namespace planish::reference {
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
enum class AttentionScores : uint8_t { kProduct, kCapped, kBiased, kWeights };

constexpr double kUnattended = -std::numeric_limits<double>::infinity();

// Values of [batch, heads, length, size], in that order.
struct AttentionHeads {
  int64_t batch = 0, heads = 0, length = 0, size = 0;
  std::vector<double> values;

  Dims dims() const { return {batch, heads, length, size}; }
  const double* row(int64_t b, int64_t h, int64_t s) const {
    return values.data() + ((b * heads + h) * length + s) * size;
  }
  double* row(int64_t b, int64_t h, int64_t s) {
    return values.data() + ((b * heads + h) * length + s) * size;
  }
};

// The heads of a tensor of rank 4, or of rank 3: [batch, length, heads * size].
AttentionHeads read_heads(const Call& call, size_t input, const char* attribute) {
  const Tensor& t = call.tensor(input);
  const int64_t count = call.attributes.get_int(attribute, 0);
  AttentionHeads out;
  if (t.rank() == 4) {
    if (count != 0 && count != t.dim(1)) {
      fail(ErrorCode::kInvalidModel, "Attention: input {} [{}] has not the {} {} heads", input,
           dims_to_string(t.dims()), attribute, count);
    }
    out = {t.dim(0), t.dim(1), t.dim(2), t.dim(3), to_doubles(t)};
    return out;
  }
  if (t.rank() != 3) {
    fail(ErrorCode::kInvalidInput, "Attention: input {} [{}] has neither rank 3 nor 4", input,
         dims_to_string(t.dims()));
  }
  if (count < 1 || t.dim(2) % count != 0) {
    fail(ErrorCode::kInvalidModel, "Attention: input {} [{}] does not split into {} {} heads",
         input, dims_to_string(t.dims()), attribute, count);
  }
  out = {t.dim(0), count, t.dim(1), t.dim(2) / count, {}};
  const std::vector<double> values = to_doubles(t);
  out.values.resize(values.size());
  const double* from = values.data();
  for (int64_t b = 0; b < out.batch; ++b) {
    for (int64_t s = 0; s < out.length; ++s) {
      for (int64_t h = 0; h < count; ++h, from += out.size)
        std::copy_n(from, out.size, out.row(b, h, s));
    }
  }
  return out;
}

// The past, where there is one, and then the new keys or values.
AttentionHeads after_past(const Call& call, size_t past, AttentionHeads fresh) {
  if (!call.has(past)) return fresh;
  const Tensor& t = call.tensor(past);
  if (t.rank() != 4 || t.dim(0) != fresh.batch || t.dim(1) != fresh.heads ||
      t.dim(3) != fresh.size) {
    fail(ErrorCode::kInvalidInput, "Attention: past [{}] does not go before [{}]",
         dims_to_string(t.dims()), dims_to_string(fresh.dims()));
  }
  const std::vector<double> old = to_doubles(t);
  AttentionHeads out = {fresh.batch, fresh.heads, t.dim(2) + fresh.length, fresh.size, {}};
  out.values = work_buffer(call, t.dtype(), out.dims());
  const double* from = old.data();
  for (int64_t b = 0; b < out.batch; ++b) {
    for (int64_t h = 0; h < out.heads; ++h, from += t.dim(2) * out.size) {
      std::copy_n(from, t.dim(2) * out.size, out.row(b, h, 0));
      std::copy_n(fresh.row(b, h, 0), fresh.length * out.size, out.row(b, h, t.dim(2)));
    }
  }
  return out;
}

// attn_mask, broadcast to [batch, heads, queries, keys]. Keys past its last dim are masked, 1
// included: upgrading gives the older masks, which are broadcast there too, all keys.
class AttentionMask {
 public:
  AttentionMask(const Call& call, const Dims& scores) {
    if (!call.has(kAttentionMask)) return;
    const Tensor& mask = call.tensor(kAttentionMask);
    const size_t rank = mask.dims().size();
    bool fits = rank <= scores.size();
    int64_t stride = 1;
    for (size_t i = 1; fits && i <= rank; ++i) {
      const int64_t dim = mask.dims()[rank - i], wanted = scores[scores.size() - i];
      const bool keys = i == 1;
      fits = dim == wanted || dim == 1 || (keys && dim < wanted);
      if (keys) length_ = dim;
      strides_[scores.size() - i] = !keys && dim == 1 ? 0 : stride;
      stride *= dim;
    }
    if (!fits) {
      fail(ErrorCode::kInvalidInput, "Attention: attn_mask [{}] does not broadcast to [{}]",
           dims_to_string(mask.dims()), dims_to_string(scores));
    }
    values_ = to_doubles(mask);
    if (mask.dtype() == DType::kBool) {
      for (double& v : values_) v = v != 0 ? 0 : kUnattended;
    }
    given_ = true;
    if (rank == 0) length_ = scores.back();
  }

  double operator()(int64_t b, int64_t h, int64_t i, int64_t j) const {
    if (!given_) return 0;
    if (j >= length_) return kUnattended;
    return values_[static_cast<size_t>(b * strides_[0] + h * strides_[1] + i * strides_[2] +
                                       j * strides_[3])];
  }

 private:
  bool given_ = false;
  int64_t length_ = 0;
  int64_t strides_[4] = {};
  std::vector<double> values_;
};

// nonpad_kv_seqlen; empty when omitted.
std::vector<int64_t> key_lengths(const Call& call, int64_t batch, int64_t keys) {
  if (!call.has(kAttentionKeyLengths)) return {};
  const Tensor& t = call.tensor(kAttentionKeyLengths);
  if (t.dims() != Dims{batch}) {
    fail(ErrorCode::kInvalidInput, "Attention: nonpad_kv_seqlen is [{}] for a batch of {}",
         dims_to_string(t.dims()), batch);
  }
  std::vector<int64_t> out = to_ints(t);
  for (const int64_t n : out) {
    if (n < 0 || n > keys)
      fail(ErrorCode::kData, "Attention: nonpad_kv_seqlen {} is outside [0, {}]", n, keys);
  }
  return out;
}

void round_attention(DType precision, std::vector<double>& row) {
  row = to_doubles(from_doubles(precision, {static_cast<int64_t>(row.size())}, row));
}

// row = softmax of it over the keys that are not masked; those get 0.
void attention_weights(std::span<const double> bias, std::vector<double>& row) {
  double top = kUnattended, sum = 0;
  for (size_t j = 0; j < row.size(); ++j)
    if (bias[j] != kUnattended) top = std::max(top, row[j]);
  for (size_t j = 0; j < row.size(); ++j)
    sum += row[j] = bias[j] == kUnattended ? 0 : std::exp(row[j] - top);
  for (size_t j = 0; j < row.size(); ++j)
    if (bias[j] != kUnattended) row[j] /= sum;
}

// The product of query i and key j; neighbouring heads of Q share one of K.
double attention_score(
    const AttentionHeads& q, const AttentionHeads& k, int64_t b, int64_t h, int64_t i, int64_t j) {
  const double *query = q.row(b, h, i), *key = k.row(b, h / (q.heads / k.heads), j);
  double sum = 0;
  for (int64_t d = 0; d < q.size; ++d) sum += query[d] * key[d];
  return sum;
}

std::vector<Value> eval_attention(const Call& call) {
  const Attributes& attributes = call.attributes;
  const DType t1 = call.tensor(kAttentionQ).dtype(), t2 = call.tensor(kAttentionV).dtype();
  const int rank = call.tensor(kAttentionQ).rank();
  if (call.tensor(kAttentionK).rank() != rank || call.tensor(kAttentionV).rank() != rank)
    fail(ErrorCode::kInvalidInput, "Attention: Q, K and V differ in rank");
  if (call.has(kAttentionPastKey) != call.has(kAttentionPastValue))
    fail(ErrorCode::kInvalidModel, "Attention: past_key and past_value go together");
  if (call.has(kAttentionPastKey) && call.has(kAttentionKeyLengths))
    fail(ErrorCode::kInvalidModel, "Attention: nonpad_kv_seqlen excludes past_key and past_value");

  AttentionHeads q = read_heads(call, kAttentionQ, "q_num_heads");
  const AttentionHeads k =
      after_past(call, kAttentionPastKey, read_heads(call, kAttentionK, "kv_num_heads"));
  const AttentionHeads v =
      after_past(call, kAttentionPastValue, read_heads(call, kAttentionV, "kv_num_heads"));
  if (k.batch != q.batch || v.batch != q.batch || k.size != q.size || v.heads != k.heads ||
      v.length != k.length || (k.heads == 0 ? q.heads != 0 : q.heads % k.heads != 0)) {
    fail(ErrorCode::kInvalidInput,
         "Attention: queries [{}], keys [{}] and values [{}] do not fit (batch x heads x length x "
         "size)",
         dims_to_string(q.dims()), dims_to_string(k.dims()), dims_to_string(v.dims()));
  }
  const int64_t queries = q.length, keys = k.length, shared = k.heads ? q.heads / k.heads : 1;
  const Dims score_dims = {q.batch, q.heads, queries, keys};
  const AttentionMask mask(call, score_dims);
  const std::vector<int64_t> lengths = key_lengths(call, q.batch, keys);

  const bool causal = attributes.get_int("is_causal", 0) != 0;
  const int64_t left = attributes.get_int("left_window_size", -1),
                right = attributes.get_int("right_window_size", -1);
  if (left < -1 || right < -1)
    fail(ErrorCode::kInvalidModel, "Attention: a window of {} and {}", left, right);
  const double cap = attributes.get_float("softcap", 0);
  const double scale = attributes.has("scale") ? static_cast<double>(attributes.get_float("scale"))
                                               : 1 / std::sqrt(static_cast<double>(q.size));
  const int64_t mode = attributes.get_int("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    fail(ErrorCode::kInvalidModel, "Attention: qk_matmul_output_mode {}", mode);
  const auto wanted = static_cast<AttentionScores>(mode);
  // Without the attribute nothing is rounded on the way.
  const bool round = attributes.has("softmax_precision");
  const DType precision = type_attribute(call, "softmax_precision", t1);
  if (precision != DType::kFloat16 && precision != DType::kBfloat16 &&
      precision != DType::kFloat32 && precision != DType::kFloat64) {
    fail(ErrorCode::kInvalidModel, "Attention: softmax_precision {} is not a float type",
         static_cast<int>(precision));
  }

  const Dims y_dims = rank == 4 ? Dims{q.batch, q.heads, queries, v.size}
                                : Dims{q.batch, queries, q.heads * v.size};
  std::vector<double> y = work_buffer(call, t1, y_dims), scores;
  if (call.outputs > 3) scores = work_buffer(call, t1, score_dims);
  // Not the products: a head of size 0 has scores of 0, its default scale is infinite.
  for (double& value : q.values) value *= scale;

  call.parallel_for(q.batch * q.heads * queries, [&](int64_t begin, int64_t end) {
    std::vector<double> bias(static_cast<size_t>(keys)), row(static_cast<size_t>(keys));
    for (int64_t r = begin; r < end; ++r) {
      const int64_t i = r % queries, h = r / queries % q.heads, b = r / queries / q.heads;
      const auto report = [&](AttentionScores stage) {
        if (call.outputs > 3 && stage == wanted)
          std::ranges::copy(row, scores.begin() + static_cast<std::ptrdiff_t>(r * keys));
      };
      const int64_t valid = lengths.empty() ? keys : lengths[static_cast<size_t>(b)];
      int64_t position = i;
      if (call.has(kAttentionPastKey)) position += call.tensor(kAttentionPastKey).dim(2);
      if (!lengths.empty()) position += valid - queries;
      for (int64_t j = 0; j < keys; ++j) {
        const int64_t back = position - j;
        const bool hidden = j >= valid || (causal && back < 0) || (left >= 0 && back > left) ||
                            (right >= 0 && -back > right);
        bias[static_cast<size_t>(j)] = mask(b, h, i, j) + (hidden ? kUnattended : 0);
        row[static_cast<size_t>(j)] =
            hidden && call.outputs <= 3 ? 0 : attention_score(q, k, b, h, i, j);
      }
      report(AttentionScores::kProduct);
      if (cap != 0)
        for (double& score : row) score = cap * std::tanh(score / cap);
      report(AttentionScores::kCapped);
      for (size_t j = 0; j < row.size(); ++j) row[j] += bias[j];
      report(AttentionScores::kBiased);
      if (round) round_attention(precision, row);
      attention_weights(bias, row);
      if (round) round_attention(precision, row);
      report(AttentionScores::kWeights);
      double* out = y.data() + (rank == 4 ? r : (b * queries + i) * q.heads + h) * v.size;
      for (int64_t j = 0; j < keys; ++j) {
        if (bias[static_cast<size_t>(j)] == kUnattended) continue;
        const double* value = v.row(b, h / shared, j);
        for (int64_t d = 0; d < v.size; ++d) out[d] += row[static_cast<size_t>(j)] * value[d];
      }
    }
  });

  std::vector<Value> out = results(from_doubles(t1, y_dims, y));
  if (call.outputs > 1) out.emplace_back(from_doubles(t1, k.dims(), k.values));
  if (call.outputs > 2) out.emplace_back(from_doubles(t2, v.dims(), v.values));
  if (call.outputs > 3) out.emplace_back(from_doubles(t1, score_dims, scores));
  return out;
}

}  // namespace

PLANISH_REFERENCE(attention) { return {"", "Attention", &eval_attention}; }

}  // namespace planish::reference
