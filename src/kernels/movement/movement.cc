#include "kernels/movement/movement.h"

#include <algorithm>
#include <cstring>

namespace planish::kernels {
namespace {

struct Bytes16 {
  uint64_t low, high;
};

// Calls f with a value of the unsigned type that has `bytes` bytes.
template <class F>
void with_type(int bytes, F f) {
  switch (bytes) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    case 8:
      return f(uint64_t{});
    default:
      return f(Bytes16{});
  }
}

// A 2-D block [rows x columns] in which `from` is contiguous along rows and `to` along columns: in
// tiles of 16 x 16, so that each cache line is touched once per tile.
template <class T>
void transpose_block(
    const T* from, int64_t from_column, T* to, int64_t to_row, int64_t rows, int64_t columns) {
  constexpr int64_t kTile = 16;
  for (int64_t i0 = 0; i0 < rows; i0 += kTile) {
    const int64_t i1 = std::min(rows, i0 + kTile);
    for (int64_t j0 = 0; j0 < columns; j0 += kTile) {
      const int64_t j1 = std::min(columns, j0 + kTile);
      for (int64_t i = i0; i < i1; ++i) {
        for (int64_t j = j0; j < j1; ++j) to[i * to_row + j] = from[i + j * from_column];
      }
    }
  }
}

template <class T>
void copy_typed(const CopyArgs& a, int worker, int workers) {
  const auto* from = static_cast<const T*>(a.from);
  auto* to = static_cast<T*>(a.to);
  const int last = a.rank - 1;
  const int64_t inner = a.dims[last], fs = a.from_strides[last], ts = a.to_strides[last];
  int64_t total = 1;
  for (int d = 0; d < a.rank; ++d) total *= a.dims[d];
  if (total == 0) return;
  // Position of flat index `at` in the first `rank` dims.
  auto place = [&](int64_t at, int rank, int64_t& f, int64_t& t) {
    f = t = 0;
    for (int d = rank - 1; d >= 0; --d) {
      const int64_t i = at % a.dims[d];
      at /= a.dims[d];
      f += i * a.from_strides[d];
      t += i * a.to_strides[d];
    }
  };
  if (a.rank >= 2 && ts == 1 && a.from_strides[last - 1] == 1 && fs != 1) {
    const int64_t rows = a.dims[last - 1];
    // Units of 16 rows of one block.
    const int64_t units = (rows + 15) / 16, blocks = total / (inner * rows);
    const auto [begin, end] = share(blocks * units, 1, worker, workers);
    for (int64_t u = begin; u < end; ++u) {
      int64_t f, t;
      place(u / units, last - 1, f, t);
      const int64_t i0 = u % units * 16, count = std::min<int64_t>(16, rows - i0);
      transpose_block(from + f + i0, fs, to + t + i0 * a.to_strides[last - 1],
                      a.to_strides[last - 1], count, inner);
    }
    return;
  }
  const auto [begin, end] = share(total, 64, worker, workers);
  for (int64_t at = begin; at < end;) {
    int64_t f, t;
    place(at / inner, last, f, t);
    const int64_t column = at % inner, n = std::min(inner - column, end - at);
    const T* pf = from + f + column * fs;
    T* pt = to + t + column * ts;
    if (fs == 1 && ts == 1) {
      std::memcpy(pt, pf, static_cast<size_t>(n) * sizeof(T));
    } else if (fs == 0 && ts == 1) {
      std::fill_n(pt, n, *pf);
    } else {
      for (int64_t i = 0; i < n; ++i) pt[i * ts] = pf[i * fs];
    }
    at += n;
  }
}

// Row by row of the output (a row: the last dim).
template <class T>
void pad_typed(const PadArgs& a, int worker, int workers) {
  const auto* x = static_cast<const T*>(a.x);
  auto* y = static_cast<T*>(a.y);
  T value;
  std::memcpy(&value, a.value, sizeof(T));
  const int last = a.rank - 1;
  int64_t rows = 1;
  for (int d = 0; d < last; ++d) rows *= a.out[d];
  const int64_t width = a.out[last], in_width = a.in[last];
  // Columns [first, end) come from x.
  const int64_t first = std::clamp<int64_t>(a.begin[last], 0, width);
  const int64_t end = std::clamp<int64_t>(a.begin[last] + in_width, first, width);
  const auto [row_begin, row_end] = share(rows, 1, worker, workers);
  for (int64_t r = row_begin; r < row_end; ++r) {
    int64_t rest = r, at = 0, stride = in_width;
    bool inside = true;
    for (int d = last - 1; d >= 0; --d) {
      const int64_t i = rest % a.out[d] - a.begin[d];
      rest /= a.out[d];
      inside = inside && i >= 0 && i < a.in[d];
      at += i * stride;
      stride *= a.in[d];
    }
    T* row = y + r * width;
    if (!inside || first == end) {
      std::fill_n(row, width, value);
      continue;
    }
    std::fill(row, row + first, value);
    std::memcpy(row + first, x + at + (first - a.begin[last]),
                static_cast<size_t>(end - first) * sizeof(T));
    std::fill(row + end, row + width, value);
  }
}

template <class Index>
Status gather_typed(const GatherArgs& a, int worker, int workers) {
  const auto* indices = static_cast<const Index*>(a.indices);
  const int64_t row = a.inner * a.element_bytes;
  const auto* x = static_cast<const char*>(a.x);
  auto* y = static_cast<char*>(a.y);
  const auto [begin, end] = share(a.outer * a.count, 1, worker, workers);
  for (int64_t u = begin; u < end; ++u) {
    int64_t index = indices[u % a.count];
    if (index < 0) index += a.axis;
    if (index < 0 || index >= a.axis) return Status::kIndexOutOfRange;
    const char* from = x + (u / a.count * a.axis + index) * row;
    if (row == 8) {
      std::memcpy(y + u * 8, from, 8);
    } else if (row == 4) {
      std::memcpy(y + u * 4, from, 4);
    } else {
      std::memcpy(y + u * row, from, static_cast<size_t>(row));
    }
  }
  return Status::kOk;
}

}  // namespace

void simplify(CopyArgs& a) {
  int rank = 0;
  for (int d = 0; d < a.rank; ++d) {
    if (a.dims[d] == 1) continue;
    if (rank > 0 && a.from_strides[rank - 1] == a.from_strides[d] * a.dims[d] &&
        a.to_strides[rank - 1] == a.to_strides[d] * a.dims[d]) {
      a.dims[rank - 1] *= a.dims[d];
      a.from_strides[rank - 1] = a.from_strides[d];
      a.to_strides[rank - 1] = a.to_strides[d];
      continue;
    }
    a.dims[rank] = a.dims[d];
    a.from_strides[rank] = a.from_strides[d];
    a.to_strides[rank] = a.to_strides[d];
    ++rank;
  }
  if (rank == 0) {
    a.dims[0] = 1;
    a.from_strides[0] = a.to_strides[0] = 1;
    rank = 1;
  }
  a.rank = rank;
}

Status copy(const CopyArgs* args, int worker, int workers) {
  with_type(args->element_bytes, [&](auto t) { copy_typed<decltype(t)>(*args, worker, workers); });
  return Status::kOk;
}

Status pad(const PadArgs* args, int worker, int workers) {
  with_type(args->element_bytes, [&](auto t) { pad_typed<decltype(t)>(*args, worker, workers); });
  return Status::kOk;
}

Status gather(const GatherArgs* args, int worker, int workers) {
  if (args->outer == 0 || args->count == 0 || args->inner == 0) return Status::kOk;
  return args->wide ? gather_typed<int64_t>(*args, worker, workers)
                    : gather_typed<int32_t>(*args, worker, workers);
}

}  // namespace planish::kernels
