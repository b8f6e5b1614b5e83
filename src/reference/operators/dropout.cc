// In inference (the default) the identity and a mask of ones. In training mode elements are zeroed
// with probability `ratio` and the others scaled by 1 / (1 - ratio); which ones depends on the seed
// alone, so a run can be repeated. ONNX leaves the generator open; this is the one that NumPy's
// legacy seeding gives (a Mersenne Twister, 53 bits from two draws), which ONNX's cases record.
#include <random>

#include "reference/elementwise.h"
#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_dropout(const Call& call) {
  const Tensor& x = call.tensor(0);
  const double ratio = call.has(1) ? one_double(call, 1) : 0.5;
  const bool training = call.has(2) && one_integer(call, 2) != 0;
  std::vector<Value> out;
  if (!training || ratio == 0) {
    out.emplace_back(copied(call, x));
    if (call.outputs > 1) {
      Tensor mask = call.make(DType::kBool, x.dims());
      std::ranges::fill(mask.mutable_data<bool>(), true);
      out.emplace_back(std::move(mask));
    }
    return out;
  }
  if (!(ratio > 0 && ratio < 1))
    fail(ErrorCode::kInvalidInput, "Dropout: ratio {} is outside [0, 1)", ratio);
  const auto seed = static_cast<uint64_t>(
      call.attributes.get_int("seed", static_cast<int64_t>(call.callbacks.seed)));
  std::mt19937 random(static_cast<uint32_t>(seed));
  Tensor mask = call.make(DType::kBool, x.dims());
  for (bool& keep : mask.mutable_data<bool>()) {
    const auto high = static_cast<double>(random() >> 5);
    const auto low = static_cast<double>(random() >> 6);
    keep = (high * 0x1p26 + low) * 0x1p-53 >= ratio;
  }
  Tensor y = call.make(x.dtype(), x.dims());
  for_blocks(call, x.size(), [&](int64_t first, int64_t count) {
    double v[kBlock];
    load(x, first, 1, count, v);
    for (int64_t i = 0; i < count; ++i)
      v[i] = mask.data<bool>()[static_cast<size_t>(first + i)] ? v[i] / (1.0 - ratio) : 0.0;
    store(y, first, count, v);
  });
  out.emplace_back(std::move(y));
  if (call.outputs > 1) out.emplace_back(std::move(mask));
  return out;
}

}  // namespace

PLANISH_REFERENCE(dropout) { return {"", "Dropout", &eval_dropout}; }

}  // namespace planish::reference
