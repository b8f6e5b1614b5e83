// Negative pads crop first; then the positive ones fill what the mode says, reading the cropped
// tensor only.
#include "reference/movement.h"

namespace planish::reference {

namespace {

enum class Mode : uint8_t { kConstant, kReflect, kEdge, kWrap };

Mode mode_of(const Call& call) {
  const std::string name = call.attributes.get_string("mode", "constant");
  if (name == "constant") return Mode::kConstant;
  if (name == "reflect") return Mode::kReflect;
  if (name == "edge") return Mode::kEdge;
  if (name == "wrap") return Mode::kWrap;
  fail(ErrorCode::kInvalidModel, "Pad: mode \"{}\" is none of constant, reflect, edge, wrap", name);
}

struct PaddedAxis {
  int64_t begin = 0, end = 0;  // as given
  int64_t first = 0;           // first element kept
  int64_t kept = 0;            // elements left by the cropping
  int64_t extent() const { return std::max<int64_t>(begin, 0) + kept + std::max<int64_t>(end, 0); }
};

std::vector<PaddedAxis> axes_of(const Call& call, const Tensor& x) {
  const std::vector<int64_t> pads = integers(call.tensor(1));
  std::vector<int64_t> chosen;
  if (call.has(3))
    chosen = integers(call.tensor(3));
  else
    for (int64_t i = 0; i < x.rank(); ++i) chosen.push_back(i);
  const size_t n = chosen.size();
  if (pads.size() != 2 * n)
    fail(ErrorCode::kInvalidInput, "Pad: {} pads for {} axes, twice as many are needed",
         pads.size(), n);
  std::vector<PaddedAxis> axes(x.dims().size());
  for (size_t i = 0; i < axes.size(); ++i) axes[i].kept = x.dims()[i];
  std::vector<bool> seen(axes.size(), false);
  constexpr int64_t kLimit = int64_t{1} << 60;  // keeps every sum below 2^63
  for (size_t i = 0; i < n; ++i) {
    const auto at = static_cast<size_t>(normal_axis(call, chosen[i], x.rank()));
    if (seen[at]) fail(ErrorCode::kInvalidInput, "Pad: axis {} is listed twice", chosen[i]);
    seen[at] = true;
    PaddedAxis& axis = axes[at];
    axis.begin = pads[i];
    axis.end = pads[n + i];
    if (axis.begin > kLimit || axis.end > kLimit || axis.begin < -kLimit || axis.end < -kLimit ||
        axis.kept > kLimit)
      fail(ErrorCode::kInvalidInput, "Pad: pads {} and {} of axis {} are too large", axis.begin,
           axis.end, at);
    axis.first = std::max<int64_t>(0, -axis.begin);
    axis.kept -= axis.first + std::max<int64_t>(0, -axis.end);
    if (axis.kept < 0)
      fail(ErrorCode::kInvalidInput, "Pad: pads {} and {} crop more than axis {} has ({})",
           axis.begin, axis.end, at, x.dims()[at]);
  }
  return axes;
}

// The kept element that position `p` (0 is the first kept one) shows.
int64_t source_of(Mode mode, int64_t p, int64_t kept) {
  if (mode == Mode::kEdge || kept == 1) return std::clamp<int64_t>(p, 0, kept - 1);
  const int64_t period = mode == Mode::kWrap ? kept : 2 * (kept - 1);
  const int64_t at = (p % period + period) % period;
  return at < kept ? at : period - at;
}

std::vector<Value> eval_pad(const Call& call) {
  const Tensor& x = call.tensor(0);
  const Mode mode = mode_of(call);
  const std::vector<PaddedAxis> axes = axes_of(call, x);
  const std::vector<int64_t> strides = row_major(x.dims());
  Dims dims, kept;
  for (const PaddedAxis& axis : axes) {
    dims.push_back(axis.extent());
    kept.push_back(axis.kept);
  }
  Tensor out = call.make(x.dtype(), dims);
  const std::vector<int64_t> out_strides = row_major(dims);
  if (mode == Mode::kConstant) {
    if (call.has(2)) {
      const Tensor& value = call.tensor(2);
      if (value.dtype() != x.dtype() || value.size() != 1)
        fail(ErrorCode::kInvalidInput, "Pad: the constant is {} of {}, one {} is needed",
             to_string(value.dtype()), dims_to_string(value.dims()), to_string(x.dtype()));
      fill(out, value);
    }
    Walk from{0, strides}, to{0, out_strides};
    for (size_t i = 0; i < axes.size(); ++i) {
      from.first += axes[i].first * strides[i];
      to.first += std::max<int64_t>(0, axes[i].begin) * out_strides[i];
    }
    copy_walk(call, kept, out, to, x, from);
    return single(std::move(out));
  }
  if (out.size() == 0) return single(std::move(out));
  // Per axis, the source offset of each position.
  std::vector<std::vector<int64_t>> offsets(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    const PaddedAxis& axis = axes[i];
    if (axis.kept == 0) fail(ErrorCode::kInvalidInput, "Pad: axis {} has no elements to repeat", i);
    for (int64_t p = 0; p < dims[i]; ++p) {
      const int64_t from = source_of(mode, p - std::max<int64_t>(0, axis.begin), axis.kept);
      offsets[i].push_back((axis.first + from) * strides[i]);
    }
  }
  with_mover(out, x, [&](auto move) {
    for (int64_t e = 0; e < out.size(); ++e) {
      int64_t from = 0, rest = e;
      for (size_t i = axes.size(); i-- > 0;) {
        from += offsets[i][static_cast<size_t>(rest % dims[i])];
        rest /= dims[i];
      }
      move(e, from);
    }
  });
  return single(std::move(out));
}

}  // namespace

PLANISH_REFERENCE(pad) { return {"", "Pad", &eval_pad}; }

}  // namespace planish::reference
