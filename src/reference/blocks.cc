#include "reference/blocks.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/elements.h"
#include "base/narrow.h"

namespace planish::reference {

namespace {

// Truncation; what int64_t cannot hold (NaN too) becomes its least value, as x86 does.
int64_t truncate(double v) {
  return v >= -0x1p63 && v < 0x1p63 ? static_cast<int64_t>(v) : std::numeric_limits<int64_t>::min();
}

template <class To, class From>
To convert(From v) {
  if constexpr (std::is_same_v<To, double>) {
    return static_cast<double>(v);
  } else if constexpr (std::is_integral_v<From>) {
    return static_cast<To>(v);
  } else {
    return static_cast<To>(truncate(static_cast<double>(v)));
  }
}

template <class From, class To>
void load_as(const std::byte* base, int64_t first, int64_t step, int64_t count, To* out) {
  // A stored bool may be any byte in hostile data; reading it as uint8_t keeps that defined.
  using Stored = std::conditional_t<std::is_same_v<From, bool>, uint8_t, From>;
  const auto read = [base](int64_t index) {
    Stored v;
    std::memcpy(&v, base + index * static_cast<int64_t>(sizeof(Stored)), sizeof(Stored));
    if constexpr (std::is_same_v<From, bool>)
      return v != 0;
    else
      return v;
  };
  if (step == 0) {
    std::fill(out, out + count, convert<To>(read(first)));
  } else if (step == 1) {
    for (int64_t i = 0; i < count; ++i) out[i] = convert<To>(read(first + i));
  } else {
    for (int64_t i = 0; i < count; ++i) out[i] = convert<To>(read(first + i * step));
  }
}

bool is_plain(DType type) {
  return type != DType::kString && !is_complex(type) && type != DType::kUndefined &&
         bit_width(type) >= 8 && !(is_floating(type) && bit_width(type) == 8);
}

template <class To>
void load_any(const Tensor& t, int64_t first, int64_t step, int64_t count, To* out) {
  if (count <= 0) return;
  if (is_plain(t.dtype())) {
    visit_dtype(t.dtype(), [&]<class T>() { load_as<T>(t.raw(), first, step, count, out); });
    return;
  }
  for (int64_t i = 0; i < count; ++i) out[i] = convert<To>(load_double(t, first + i * step));
}

template <class To, class From>
To narrow(From v) {
  if constexpr (std::is_same_v<To, bool>) {
    return v != From{};
  } else if constexpr (std::is_same_v<From, double> && std::is_integral_v<To>) {
    return static_cast<To>(truncate(v));
  } else {
    return static_cast<To>(v);
  }
}

template <class From>
void store_any(Tensor& t, int64_t first, int64_t count, const From* in) {
  if (count <= 0) return;
  std::byte* base = t.mutable_raw();
  if (is_plain(t.dtype())) {
    visit_dtype(t.dtype(), [&]<class T>() {
      for (int64_t i = 0; i < count; ++i) {
        const T v = narrow<T>(in[i]);
        std::memcpy(base + (first + i) * static_cast<int64_t>(sizeof(T)), &v, sizeof(T));
      }
    });
    return;
  }
  const DType type = t.dtype();
  const int bits = bit_width(type);
  if (type == DType::kString || is_complex(type) || bits == 0 || bits > 8)
    fail(ErrorCode::kUnsupported, "no numbers can be stored in a {} tensor", to_string(type));
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t code = is_floating(type)
                             ? encode_narrow(type, static_cast<double>(in[i]), false)
                             : static_cast<uint8_t>(narrow<int64_t>(in[i]) & ((1 << bits) - 1));
    if (bits == 8)
      base[first + i] = static_cast<std::byte>(code);
    else
      store_packed(base, bits, first + i, code);
  }
}

}  // namespace

Number number_of(DType type) {
  if (is_floating(type)) return Number::kFloat;
  if (is_signed_integer(type)) return Number::kSigned;
  if (is_integer(type) || type == DType::kBool) return Number::kUnsigned;
  return Number::kNone;
}

void load(const Tensor& t, int64_t first, int64_t step, int64_t count, double* out) {
  load_any(t, first, step, count, out);
}
void load(const Tensor& t, int64_t first, int64_t step, int64_t count, int64_t* out) {
  load_any(t, first, step, count, out);
}
void load(const Tensor& t, int64_t first, int64_t step, int64_t count, uint64_t* out) {
  load_any(t, first, step, count, out);
}
void store(Tensor& t, int64_t first, int64_t count, const double* in) {
  store_any(t, first, count, in);
}
void store(Tensor& t, int64_t first, int64_t count, const int64_t* in) {
  store_any(t, first, count, in);
}
void store(Tensor& t, int64_t first, int64_t count, const uint64_t* in) {
  store_any(t, first, count, in);
}

std::vector<double> doubles(const Tensor& t) {
  std::vector<double> out(static_cast<size_t>(t.size()));
  load(t, 0, 1, t.size(), out.data());
  return out;
}

std::vector<int64_t> integers(const Tensor& t) {
  std::vector<int64_t> out(static_cast<size_t>(t.size()));
  load(t, 0, 1, t.size(), out.data());
  return out;
}

int64_t one_integer(const Call& call, size_t i) {
  const Tensor& t = call.tensor(i);
  if (t.size() != 1 || number_of(t.dtype()) == Number::kNone)
    fail(ErrorCode::kInvalidInput, "{}: input {} must be one number, not {} of {}", call.op, i,
         to_string(t.dtype()), dims_to_string(t.dims()));
  int64_t v = 0;
  load(t, 0, 1, 1, &v);
  return v;
}

double one_double(const Call& call, size_t i) {
  const Tensor& t = call.tensor(i);
  if (t.size() != 1 || number_of(t.dtype()) == Number::kNone)
    fail(ErrorCode::kInvalidInput, "{}: input {} must be one number, not {} of {}", call.op, i,
         to_string(t.dtype()), dims_to_string(t.dims()));
  double v = 0;
  load(t, 0, 1, 1, &v);
  return v;
}

void unsupported_type(const Call& call, DType type) {
  fail(ErrorCode::kInvalidInput, "{} is not defined for {}", call.op, to_string(type));
}

int64_t normal_axis(const Call& call, int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    fail(ErrorCode::kInvalidModel, "{}: axis {} is outside [{}, {})", call.op, axis, -rank, rank);
  return axis < 0 ? axis + rank : axis;
}

}  // namespace planish::reference
