#include "kernels/pointwise/broadcast.h"

#include <algorithm>
#include <type_traits>

namespace planish::kernels {

bool make_index(std::span<const int64_t> out,
                std::span<const std::span<const int64_t>> shapes,
                BroadcastIndex& index) {
  index = {};
  index.operands = static_cast<int>(shapes.size());
  for (int64_t d : out) index.count *= d;
  if (index.count == 0) return true;
  // From the innermost dim outwards: a dim joins its inner neighbour when every operand steps over
  // both in one stride.
  int64_t dims[kMaxRank];
  int64_t strides[kMaxOperands][kMaxRank];
  int64_t running[kMaxOperands];
  std::fill(running, running + kMaxOperands, int64_t{1});
  int rank = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t dim = out[out.size() - 1 - i];
    int64_t step[kMaxOperands] = {};
    for (size_t k = 0; k < shapes.size(); ++k) {
      const int64_t own = i < shapes[k].size() ? shapes[k][shapes[k].size() - 1 - i] : 1;
      if (own != dim && own != 1) return false;
      step[k] = own == 1 ? 0 : running[k];
      running[k] *= own;
    }
    if (dim == 1) continue;
    bool joins = rank > 0;
    for (size_t k = 0; joins && k < shapes.size(); ++k) {
      joins = step[k] == strides[k][rank - 1] * dims[rank - 1];
    }
    if (joins) {
      dims[rank - 1] *= dim;
      continue;
    }
    if (rank == kMaxRank) return false;
    dims[rank] = dim;
    for (size_t k = 0; k < shapes.size(); ++k) strides[k][rank] = step[k];
    ++rank;
  }
  for (const auto& shape : shapes) {
    // A longer operand is legal only when its extra dims are 1.
    for (size_t i = out.size(); i < shape.size(); ++i) {
      if (shape[shape.size() - 1 - i] != 1) return false;
    }
  }
  index.rank = std::max(rank, 1);
  for (int i = 0; i < rank; ++i) {
    index.dims[i] = dims[rank - 1 - i];
    for (size_t k = 0; k < shapes.size(); ++k) index.strides[k][i] = strides[k][rank - 1 - i];
  }
  return true;
}

namespace {

// Calls row(offsets, out_offset, n) for the innermost runs that make up this worker's share.
template <class Row>
void for_rows(const BroadcastIndex& index, int worker, int workers, Row row) {
  // Shares in whole cache lines of every element type.
  const auto [begin, end] = share(index.count, 64, worker, workers);
  const int last = index.rank - 1;
  const int64_t inner = index.dims[last];
  for (int64_t at = begin; at < end;) {
    int64_t rest = at / inner;
    const int64_t column = at % inner;
    int64_t offsets[kMaxOperands];
    for (int k = 0; k < index.operands; ++k) offsets[k] = column * index.strides[k][last];
    for (int d = last - 1; d >= 0; --d) {
      const int64_t i = rest % index.dims[d];
      rest /= index.dims[d];
      for (int k = 0; k < index.operands; ++k) offsets[k] += i * index.strides[k][d];
    }
    const int64_t n = std::min(inner - column, end - at);
    row(offsets, at, n);
    at += n;
  }
}

template <class T, class R, class F>
void run_scalar(const ScalarArgs& args, int worker, int workers, F f) {
  const auto* a = static_cast<const T*>(args.a);
  const auto* b = static_cast<const T*>(args.b);
  auto* y = static_cast<R*>(args.y);
  const int last = args.index.rank - 1;
  const int64_t as = args.index.strides[0][last], bs = args.index.strides[1][last];
  for_rows(args.index, worker, workers, [&](const int64_t* offsets, int64_t out, int64_t n) {
    const T* pa = a + offsets[0];
    const T* pb = b + offsets[1];
    for (int64_t i = 0; i < n; ++i) y[out + i] = static_cast<R>(f(pa[i * as], pb[i * bs]));
  });
}

template <class T>
void run_typed(const ScalarArgs& args, int worker, int workers) {
  // Signed overflow wraps, as ONNX Runtime and numpy do.
  using U = typename std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>,
                                        std::make_unsigned<T>, std::type_identity<T>>::type;
  switch (args.op) {
    case ScalarOp::kAdd:
      return run_scalar<T, T>(args, worker, workers,
                              [](T x, T z) { return static_cast<T>(U(x) + U(z)); });
    case ScalarOp::kSub:
      return run_scalar<T, T>(args, worker, workers,
                              [](T x, T z) { return static_cast<T>(U(x) - U(z)); });
    case ScalarOp::kMul:
      return run_scalar<T, T>(args, worker, workers,
                              [](T x, T z) { return static_cast<T>(U(x) * U(z)); });
    case ScalarOp::kMin:
      return run_scalar<T, T>(args, worker, workers, [](T x, T z) { return x < z ? x : z; });
    case ScalarOp::kMax:
      return run_scalar<T, T>(args, worker, workers, [](T x, T z) { return x > z ? x : z; });
    case ScalarOp::kEqual:
      return run_scalar<T, bool>(args, worker, workers, [](T x, T z) { return x == z; });
    case ScalarOp::kLess:
      return run_scalar<T, bool>(args, worker, workers, [](T x, T z) { return x < z; });
    case ScalarOp::kLessOrEqual:
      return run_scalar<T, bool>(args, worker, workers, [](T x, T z) { return x <= z; });
    case ScalarOp::kGreater:
      return run_scalar<T, bool>(args, worker, workers, [](T x, T z) { return x > z; });
    case ScalarOp::kGreaterOrEqual:
      return run_scalar<T, bool>(args, worker, workers, [](T x, T z) { return x >= z; });
    case ScalarOp::kAnd:
      return run_scalar<T, bool>(args, worker, workers, [](T x, T z) { return x && z; });
    case ScalarOp::kOr:
      return run_scalar<T, bool>(args, worker, workers, [](T x, T z) { return x || z; });
    case ScalarOp::kXor:
      return run_scalar<T, bool>(args, worker, workers, [](T x, T z) { return !x != !z; });
  }
}

template <class T>
void run_where(const WhereArgs& args, int worker, int workers) {
  const auto* a = static_cast<const T*>(args.a);
  const auto* b = static_cast<const T*>(args.b);
  auto* y = static_cast<T*>(args.y);
  const int last = args.index.rank - 1;
  const int64_t cs = args.index.strides[0][last], as = args.index.strides[1][last],
                bs = args.index.strides[2][last];
  for_rows(args.index, worker, workers, [&](const int64_t* offsets, int64_t out, int64_t n) {
    const uint8_t* c = args.condition + offsets[0];
    const T* pa = a + offsets[1];
    const T* pb = b + offsets[2];
    for (int64_t i = 0; i < n; ++i) y[out + i] = c[i * cs] != 0 ? pa[i * as] : pb[i * bs];
  });
}

}  // namespace

Status binary_f32(const BinaryArgs* args, int worker, int workers) {
  const int last = args->index.rank - 1;
  const int64_t as = args->index.strides[0][last], bs = args->index.strides[1][last];
  // In pieces that are still in cache when the epilogue reads them again.
  constexpr int64_t kPiece = 2048;
  for_rows(args->index, worker, workers, [&](const int64_t* offsets, int64_t out, int64_t n) {
    for (int64_t i = 0; i < n; i += kPiece) {
      const int64_t size = std::min(kPiece, n - i);
      float* y = args->y + out + i;
      args->functions->binary(args->op, args->a + offsets[0] + i * as, as,
                              args->b + offsets[1] + i * bs, bs, y, size);
      if (args->epilogue.count > 0)
        args->functions->epilogue(args->epilogue, 0, 0, out + i, y, size);
    }
  });
  return Status::kOk;
}

Status unary_f32(const UnaryArgs* args, int worker, int workers) {
  const auto [begin, end] = share(args->count, 64, worker, workers);
  args->functions->unary(args->op, args->p0, args->p1, args->x + begin, args->y + begin,
                         end - begin);
  return Status::kOk;
}

bool scalar_supported(ScalarOp op, ScalarType type) {
  switch (op) {
    case ScalarOp::kAnd:
    case ScalarOp::kOr:
    case ScalarOp::kXor:
      return type == ScalarType::kBool;
    case ScalarOp::kEqual:
      return true;
    case ScalarOp::kLess:
    case ScalarOp::kLessOrEqual:
    case ScalarOp::kGreater:
    case ScalarOp::kGreaterOrEqual:
      return type != ScalarType::kBool;
    default:
      return type == ScalarType::kI32 || type == ScalarType::kI64;
  }
}

Status scalar_binary(const ScalarArgs* args, int worker, int workers) {
  switch (args->type) {
    case ScalarType::kF32:
      run_typed<float>(*args, worker, workers);
      break;
    case ScalarType::kI32:
      run_typed<int32_t>(*args, worker, workers);
      break;
    case ScalarType::kI64:
      run_typed<int64_t>(*args, worker, workers);
      break;
    case ScalarType::kBool:
      run_typed<bool>(*args, worker, workers);
      break;
  }
  return Status::kOk;
}

Status where(const WhereArgs* args, int worker, int workers) {
  switch (args->element_bytes) {
    case 1:
      run_where<uint8_t>(*args, worker, workers);
      break;
    case 2:
      run_where<uint16_t>(*args, worker, workers);
      break;
    case 4:
      run_where<uint32_t>(*args, worker, workers);
      break;
    default:
      run_where<uint64_t>(*args, worker, workers);
      break;
  }
  return Status::kOk;
}

}  // namespace planish::kernels
