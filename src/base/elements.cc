#include "base/elements.h"

#include <cmath>
#include <cstring>
#include <type_traits>

namespace planish {
namespace {

bool is_byte_float(DType type) { return is_floating(type) && bit_width(type) == 8; }

// A raw 2- or 4-bit code as a number.
int64_t packed_int(DType type, uint8_t code) {
  const int bits = bit_width(type);
  const int sign = is_signed_integer(type) ? 1 << (bits - 1) : 0;
  return (code ^ sign) - sign;
}

template <class T>
T load_as(const std::byte* data, int64_t index) {
  if constexpr (std::is_same_v<T, bool>) {  // any non-zero byte is true, also in a hostile file
    return data[index] != std::byte{0};
  } else {
    T value;
    std::memcpy(&value, data + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
    return value;
  }
}

// Calls sink(index, value) for each element as a number of type Out.
template <class Out, class Sink>
void each(const Tensor& tensor, int64_t begin, int64_t end, Sink sink) {
  const std::byte* data = tensor.raw();
  const DType type = tensor.dtype();
  if (is_sub_byte(type)) {
    for (int64_t i = begin; i < end; ++i) {
      const uint8_t code = load_packed(data, bit_width(type), i);
      sink(i, static_cast<Out>(is_floating(type) ? decode_narrow(type, code)
                                                 : static_cast<float>(packed_int(type, code))));
    }
  } else if (is_byte_float(type)) {
    for (int64_t i = begin; i < end; ++i) {
      sink(i, static_cast<Out>(decode_narrow(type, static_cast<uint8_t>(data[i]))));
    }
  } else {
    visit_dtype(type, [&]<class T>() {
      for (int64_t i = begin; i < end; ++i) sink(i, static_cast<Out>(load_as<T>(data, i)));
    });
  }
}

void check_index(const Tensor& tensor, int64_t index) {
  if (index < 0 || index >= tensor.size()) {
    fail(ErrorCode::kInternal, "element {} of a tensor with {} elements", index, tensor.size());
  }
}

void check_integer(const Tensor& tensor) {
  if (!is_integer(tensor.dtype()) && tensor.dtype() != DType::kBool) {
    fail(ErrorCode::kInvalidModel, "expected an integer tensor, got {} [{}]",
         to_string(tensor.dtype()), dims_to_string(tensor.dims()));
  }
}

void check_count(const Tensor& tensor, size_t count) {
  if (static_cast<size_t>(tensor.size()) != count) {
    fail(ErrorCode::kInternal, "{} values given for a tensor of {} elements", count, tensor.size());
  }
}

// value modulo 2^64, as the bits of an int64_t.
int64_t wrap_to_int(double value) {
  if (!(std::trunc(value) == value) || std::isinf(value)) {
    fail(ErrorCode::kInternal, "{} is not an integer, so it cannot be stored as one", value);
  }
  constexpr double kTwo63 = 9223372036854775808.0;
  constexpr double kTwo64 = 18446744073709551616.0;
  if (value >= -kTwo63 && value < kTwo63) return static_cast<int64_t>(value);
  double rest = std::fmod(value, kTwo64);  // exact
  if (rest < 0) rest += kTwo64;            // exact: rest is a multiple of 2^11 here
  return static_cast<int64_t>(static_cast<uint64_t>(rest));
}

template <class In>
void store(Tensor& tensor, std::span<const In> values, bool saturate) {
  const DType type = tensor.dtype();
  std::byte* data = tensor.mutable_raw();
  const auto count = static_cast<int64_t>(values.size());
  const auto as_int = [](In value) {
    if constexpr (std::is_same_v<In, double>) {
      return wrap_to_int(value);
    } else {
      return value;
    }
  };
  if (is_sub_byte(type)) {
    const int bits = bit_width(type);
    for (int64_t i = 0; i < count; ++i) {
      const In value = values[static_cast<size_t>(i)];
      const auto code = is_floating(type)
                            ? encode_narrow(type, detail::exact_or_sticky(value), true)
                            : static_cast<uint8_t>(as_int(value));
      store_packed(data, bits, i, code);
    }
  } else if (is_byte_float(type)) {
    for (int64_t i = 0; i < count; ++i) {
      const In value = values[static_cast<size_t>(i)];
      data[i] =
          static_cast<std::byte>(encode_narrow(type, detail::exact_or_sticky(value), saturate));
    }
  } else {
    visit_dtype(type, [&]<class T>() {
      const std::span<T> out = tensor.mutable_data<T>();
      for (size_t i = 0; i < values.size(); ++i) {
        if constexpr (std::is_same_v<T, bool>) {
          out[i] = values[i] != 0;
        } else if constexpr (std::is_integral_v<T>) {
          out[i] = static_cast<T>(as_int(values[i]));
        } else {
          out[i] = static_cast<T>(values[i]);
        }
      }
    });
  }
}

}  // namespace

uint8_t load_packed(const std::byte* data, int bits, int64_t index) {
  const int64_t per_byte = 8 / bits;
  const auto byte = static_cast<unsigned>(data[index / per_byte]);
  return static_cast<uint8_t>((byte >> (index % per_byte * bits)) & ((1u << bits) - 1));
}

void store_packed(std::byte* data, int bits, int64_t index, uint8_t code) {
  const int64_t per_byte = 8 / bits;
  const auto shift = static_cast<unsigned>(index % per_byte * bits);
  const unsigned mask = (1u << bits) - 1;
  std::byte& byte = data[index / per_byte];
  byte = static_cast<std::byte>((static_cast<unsigned>(byte) & ~(mask << shift)) |
                                ((code & mask) << shift));
}

double load_double(const Tensor& tensor, int64_t index) {
  check_index(tensor, index);
  double result = 0;
  each<double>(tensor, index, index + 1, [&](int64_t, double v) { result = v; });
  return result;
}

int64_t load_int(const Tensor& tensor, int64_t index) {
  check_index(tensor, index);
  check_integer(tensor);
  int64_t result = 0;
  each<int64_t>(tensor, index, index + 1, [&](int64_t, int64_t v) { result = v; });
  return result;
}

std::vector<double> to_doubles(const Tensor& tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.size()));
  each<double>(tensor, 0, tensor.size(),
               [&](int64_t i, double v) { values[static_cast<size_t>(i)] = v; });
  return values;
}

std::vector<int64_t> to_ints(const Tensor& tensor) {
  check_integer(tensor);
  std::vector<int64_t> values(static_cast<size_t>(tensor.size()));
  each<int64_t>(tensor, 0, tensor.size(),
                [&](int64_t i, int64_t v) { values[static_cast<size_t>(i)] = v; });
  return values;
}

Tensor from_doubles(DType dtype, Dims dims, std::span<const double> values, bool saturate) {
  Tensor tensor(dtype, std::move(dims));
  check_count(tensor, values.size());
  store(tensor, values, saturate);
  return tensor;
}

Tensor from_ints(DType dtype, Dims dims, std::span<const int64_t> values) {
  Tensor tensor(dtype, std::move(dims));
  check_count(tensor, values.size());
  store(tensor, values, false);
  return tensor;
}

}  // namespace planish
