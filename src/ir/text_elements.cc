// Names, strings and numbers of the text form, both directions.
#include <bit>
#include <charconv>
#include <cmath>

#include "base/elements.h"
#include "base/error.h"
#include "ir/text.h"

namespace planish::ir::text {

bool is_bare(std::string_view name) {
  if (name.empty() || name.front() == '-' || name.back() == '-') return false;
  if (name == "_") return false;
  for (const char c : name) {
    const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '.' || c == '/' || c == '-';
    if (!fine) return false;
  }
  return name.find("//") == std::string_view::npos;
}

std::string quoted(std::string_view bytes) {
  std::string out = "\"";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string name(std::string_view name) { return is_bare(name) ? std::string(name) : quoted(name); }

namespace {

template <class T>
bool number(std::string_view token, T& value, int base) {
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value, base);
  return error == std::errc() && end == token.data() + token.size();
}

template <class T>
bool real(std::string_view token, T& value) {
  // from_chars takes "nan(...)" and "infinity" too, which printing never makes.
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  return error == std::errc() && end == token.data() + token.size();
}

bool raw_bits(std::string_view token, uint64_t& bits) {
  return token.starts_with("0x") && number(token.substr(2), bits, 16);
}

template <class T>
std::string decimal(T value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

// Bits of one stored float of any width up to 64, and the way back.
uint64_t encode_float(DType dtype, double value) {
  switch (dtype) {
    case DType::kFloat16:
      return Float16(value).bits();
    case DType::kBfloat16:
      return Bfloat16(value).bits();
    default:
      return encode_narrow(dtype, value, false);
  }
}

// The text of a float that narrows to 16 bits or less.
std::string narrow_text(DType dtype, uint64_t bits) {
  float value = 0;
  switch (dtype) {
    case DType::kFloat16:
      value = Float16::from_bits(static_cast<uint16_t>(bits));
      break;
    case DType::kBfloat16:
      value = Bfloat16::from_bits(static_cast<uint16_t>(bits));
      break;
    default:
      value = decode_narrow(dtype, static_cast<uint8_t>(bits));
  }
  const std::string text = decimal(value);
  double back = 0;
  if (real(text, back) && encode_float(dtype, back) == bits) return text;
  return fmt::format("0x{:x}", bits);
}

std::string float_text(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value) && bits != 0x7fc00000u) return fmt::format("0x{:x}", bits);
  return decimal(value);
}
std::string double_text(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  if (std::isnan(value) && bits != 0x7ff8000000000000u) return fmt::format("0x{:x}", bits);
  return decimal(value);
}

bool float_token(std::string_view token, float& value) {
  uint64_t bits = 0;
  if (raw_bits(token, bits) && bits <= 0xffffffffu) {
    value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    return true;
  }
  if (token == "nan") {
    value = std::bit_cast<float>(0x7fc00000u);
    return true;
  }
  return real(token, value);
}
bool double_token(std::string_view token, double& value) {
  uint64_t bits = 0;
  if (raw_bits(token, bits)) {
    value = std::bit_cast<double>(bits);
    return true;
  }
  if (token == "nan") {
    value = std::bit_cast<double>(uint64_t{0x7ff8000000000000});
    return true;
  }
  return real(token, value);
}

template <class T>
T load(const std::byte* data, int64_t index) {
  T value;
  std::memcpy(&value, data + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}
template <class T>
void store(std::byte* data, int64_t index, T value) {
  std::memcpy(data + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

// Stored code of an element of at most 16 bits.
uint64_t load_code(const Tensor& tensor, int64_t index) {
  const int bits = bit_width(tensor.dtype());
  if (bits < 8) return load_packed(tensor.raw(), bits, index);
  if (bits == 8) return load<uint8_t>(tensor.raw(), index);
  return load<uint16_t>(tensor.raw(), index);
}
void store_code(Tensor& tensor, int64_t index, uint64_t code) {
  const int bits = bit_width(tensor.dtype());
  if (bits < 8) {
    store_packed(tensor.mutable_raw(), bits, index, static_cast<uint8_t>(code));
  } else if (bits == 8) {
    store(tensor.mutable_raw(), index, static_cast<uint8_t>(code));
  } else {
    store(tensor.mutable_raw(), index, static_cast<uint16_t>(code));
  }
}

std::string element_text(const Tensor& tensor, int64_t index) {
  const std::byte* data = tensor.raw();
  switch (tensor.dtype()) {
    case DType::kFloat32:
      return float_text(load<float>(data, index));
    case DType::kFloat64:
      return double_text(load<double>(data, index));
    case DType::kComplex64:
      return fmt::format("({}, {})", float_text(load<float>(data, 2 * index)),
                         float_text(load<float>(data, 2 * index + 1)));
    case DType::kComplex128:
      return fmt::format("({}, {})", double_text(load<double>(data, 2 * index)),
                         double_text(load<double>(data, 2 * index + 1)));
    case DType::kBool: {
      const auto code = load<uint8_t>(data, index);
      return code == 0 ? "false" : code == 1 ? "true" : fmt::format("0x{:x}", code);
    }
    case DType::kUint64:
      return fmt::format("{}", load<uint64_t>(data, index));
    default:
      break;
  }
  if (is_integer(tensor.dtype())) return fmt::format("{}", load_int(tensor, index));
  return narrow_text(tensor.dtype(), load_code(tensor, index));
}

// Whether the integer fits the type, as signed or unsigned.
bool in_range(DType dtype, int64_t value) {
  const int bits = bit_width(dtype);
  if (bits == 64) return true;
  const bool is_signed = is_signed_integer(dtype);
  const int64_t low = is_signed ? -(int64_t{1} << (bits - 1)) : 0;
  const int64_t high = (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  return value >= low && value <= high;
}

bool store_integer(Tensor& tensor, int64_t index, std::string_view token) {
  const DType dtype = tensor.dtype();
  uint64_t code = 0;
  if (dtype == DType::kUint64) {
    if (!number(token, code, 10)) return false;
  } else {
    int64_t value = 0;
    if (!number(token, value, 10) || !in_range(dtype, value)) return false;
    code = static_cast<uint64_t>(value);
  }
  std::byte* data = tensor.mutable_raw();
  switch (bit_width(dtype)) {
    case 64:
      store(data, index, code);
      break;
    case 32:
      store(data, index, static_cast<uint32_t>(code));
      break;
    case 16:
    case 8:
      store_code(tensor, index, code);
      break;
    default:
      store_code(tensor, index, code & ((1u << bit_width(dtype)) - 1));
  }
  return true;
}

bool store_element(Tensor& tensor, int64_t index, std::string_view token) {
  const DType dtype = tensor.dtype();
  uint64_t bits = 0;
  switch (dtype) {
    case DType::kFloat32:
    case DType::kComplex64: {
      float value = 0;
      if (!float_token(token, value)) return false;
      store(tensor.mutable_raw(), index, value);
      return true;
    }
    case DType::kFloat64:
    case DType::kComplex128: {
      double value = 0;
      if (!double_token(token, value)) return false;
      store(tensor.mutable_raw(), index, value);
      return true;
    }
    case DType::kBool:
      if (token == "true" || token == "false") {
        store_code(tensor, index, token == "true" ? 1 : 0);
        return true;
      }
      if (!raw_bits(token, bits) || bits > 0xff) return false;
      store_code(tensor, index, bits);
      return true;
    default:
      break;
  }
  if (is_integer(dtype)) return store_integer(tensor, index, token);
  if (!raw_bits(token, bits)) {
    double value = 0;
    if (!double_token(token, value)) return false;
    bits = encode_float(dtype, value);
  }
  if (bits >> bit_width(dtype) != 0) return false;
  store_code(tensor, index, bits);
  return true;
}

}  // namespace

void print_elements(std::string& out, const Tensor& tensor) {
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (i > 0) out += ", ";
    out += element_text(tensor, i);
  }
}

Tensor parse_elements(DType dtype, Dims dims, const std::vector<std::string_view>& tokens) {
  const int64_t parts = is_complex(dtype) ? 2 : 1;
  const int64_t count = element_count(dims);
  if (static_cast<int64_t>(tokens.size()) != count * parts) {
    fail(ErrorCode::kInvalidModel, "{} {} needs {} element(s), not {}", to_string(dtype),
         dims_to_string(dims), count, static_cast<int64_t>(tokens.size()) / parts);
  }
  Tensor tensor(dtype, std::move(dims));
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (!store_element(tensor, static_cast<int64_t>(i), tokens[i])) {
      fail(ErrorCode::kInvalidModel, "'{}' is no element of type {}", tokens[i], to_string(dtype));
    }
  }
  return tensor;
}

std::string float_attribute(float value) {
  std::string text = float_text(value);
  if (text.starts_with("0x")) return "float:" + text;
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

bool parse_float(std::string_view token, float& value) {
  if (token.starts_with("float:")) return float_token(token.substr(6), value);
  return token.find_first_of(".en") != std::string_view::npos && float_token(token, value);
}

}  // namespace planish::ir::text
