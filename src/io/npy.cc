#include "io/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "base/elements.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "io/utf8.h"

namespace planish::io {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are copied as little endian");

using Bytes = std::span<const std::byte>;

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kMaxHeader = 1 << 16;  // NumPy itself refuses more than 10,000 by default
constexpr size_t kMaxRank = 64;         // NumPy's own limit

template <class... Args>
[[noreturn]] void invalid(fmt::format_string<Args...> format, Args&&... args) {
  fail(ErrorCode::kInvalidInput, "not a readable .npy array: {}",
       fmt::format(format, std::forward<Args>(args)...));
}

// The header is a Python dict literal. Only what NumPy writes is understood.
class Literal {
 public:
  explicit Literal(std::string_view text) : text_(text) {}

  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) invalid("header: '{}' expected at character {}", c, at_);
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  std::string_view quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"')
      invalid("header: a quoted text expected at character {}", at_);
    const size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\') invalid("header: an escaped character");
      ++at_;
    }
    if (at_ >= text_.size()) invalid("header: a text without an end");
    return text_.substr(begin, at_++ - begin);
  }
  bool boolean() {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    }
    invalid("header: True or False expected at character {}", at_);
  }
  int64_t integer() {
    skip_space();
    int64_t value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) invalid("header: a number expected at character {}", at_);
    at_ = static_cast<size_t>(end - text_.data());
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote long numbers so
    return value;
  }
  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }
  std::string_view text_;
  size_t at_ = 0;
};

struct Header {
  std::string descr;
  bool fortran = false;
  Dims dims;
  size_t data = 0;  // where the elements begin
};

Dims parse_shape(Literal& literal) {
  Dims dims;
  literal.expect('(');
  while (!literal.accept(')')) {
    if (dims.size() == kMaxRank) invalid("more than {} dims", kMaxRank);
    const int64_t dim = literal.integer();
    if (dim < 0) invalid("shape has the negative dim {}", dim);
    dims.push_back(dim);
    if (!literal.accept(',') && literal.peek() != ')')
      invalid("header: the shape is not a tuple of numbers");
  }
  return dims;
}

Header parse_header(Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic)) invalid("it does not begin with the mark of .npy files");
  if (text.size() < 10) invalid("it ends within its header");
  const int major = static_cast<unsigned char>(text[6]);
  const int minor = static_cast<unsigned char>(text[7]);
  if (major < 1 || major > 3)
    invalid("format version {}.{}; versions 1 to 3 are known", major, minor);
  const size_t width = major == 1 ? 2 : 4;
  size_t length = 0;
  for (size_t i = 0; i < width && 8 + i < text.size(); ++i) {
    length |= static_cast<size_t>(static_cast<unsigned char>(text[8 + i])) << (8 * i);
  }
  Header header;
  header.data = 8 + width + length;
  if (length > kMaxHeader) invalid("a header of {} bytes", length);
  if (header.data > text.size()) invalid("it ends within its header");

  Literal literal(text.substr(8 + width, length));
  bool has_descr = false, has_order = false, has_shape = false;
  literal.expect('{');
  while (!literal.accept('}')) {
    const std::string_view key = literal.quoted();
    literal.expect(':');
    if (key == "descr") {
      if (literal.peek() == '[') {
        fail(ErrorCode::kUnsupported,
             "a structured array (several named fields) is not a tensor; save each field alone");
      }
      header.descr = literal.quoted();
      has_descr = true;
    } else if (key == "fortran_order") {
      header.fortran = literal.boolean();
      has_order = true;
    } else if (key == "shape") {
      header.dims = parse_shape(literal);
      has_shape = true;
    } else {
      invalid("header: unknown key '{}'", key);
    }
    if (!literal.accept(',') && literal.peek() != '}') invalid("header: ',' or '}}' expected");
  }
  if (!literal.at_end()) invalid("header: text after its end");
  if (!has_descr || !has_order || !has_shape)
    invalid("header: descr, fortran_order or shape is missing");
  return header;
}

// What the description of an element means.
struct Element {
  DType dtype = DType::kUndefined;
  int64_t bytes = 0;  // of one element in the file
  int64_t swap_unit =
      1;          // bytes to reverse when the order is not the machine's; 1: nothing to swap
  char text = 0;  // 'S' or 'U' for strings
  // 'i', 'u' or 'V' of 4- and 2-bit elements that have a byte each (V: the upper bits mean
  // nothing).
  char one_per_byte = 0;
};

Element describe(const std::string& descr, DType meant) {
  if (descr.size() < 2) invalid("element type '{}'", descr);
  const char order = descr[0];
  const bool has_order = order == '<' || order == '>' || order == '|' || order == '=';
  const std::string_view rest = std::string_view(descr).substr(has_order ? 1 : 0);
  const char kind = rest[0];
  int64_t width = 0;
  const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), width);
  if (kind == 'O')
    fail(ErrorCode::kUnsupported,
         "an array of Python objects (pickled) is not read; convert it first");
  if (error != std::errc{} || end != rest.data() + rest.size() || width < 0)
    invalid("element type '{}'", descr);

  Element e;
  e.bytes = width;
  const auto simple = [&](DType dtype) {
    e.dtype = dtype;
    const int64_t unit = is_complex(dtype) ? width / 2 : width;
    e.swap_unit = order == '>' ? unit : 1;
    return e;
  };
  const std::string key = fmt::format("{}{}", kind, width);
  if (is_sub_byte(meant) && (key == "i1" || key == "u1" || key == "V1")) {
    e.one_per_byte = kind;
    e.dtype = meant;
    return e;
  }
  constexpr std::pair<std::string_view, DType> kSimple[] = {
      {"b1", DType::kBool},      {"i1", DType::kInt8},       {"i2", DType::kInt16},
      {"i4", DType::kInt32},     {"i8", DType::kInt64},      {"u1", DType::kUint8},
      {"u2", DType::kUint16},    {"u4", DType::kUint32},     {"u8", DType::kUint64},
      {"f2", DType::kFloat16},   {"f4", DType::kFloat32},    {"f8", DType::kFloat64},
      {"c8", DType::kComplex64}, {"c16", DType::kComplex128}};
  for (const auto& [name, dtype] : kSimple) {
    if (key == name) return simple(dtype);
  }
  if (kind == 'U' || kind == 'S' || kind == 'a') {
    if (width > (1 << 24)) invalid("texts of {} characters", width);
    e.dtype = DType::kString;
    e.text = kind == 'U' ? 'U' : 'S';
    e.bytes = kind == 'U' ? 4 * width : width;
    e.swap_unit = kind == 'U' && order == '>' ? 4 : 1;
    return e;
  }
  // ml_dtypes: bfloat16 is V2, most of 8 bits are V1, float8_e5m2 calls itself f1.
  if ((kind == 'V' || key == "f1") && is_floating(meant) && bit_width(meant) == 8 * width)
    return simple(meant);
  if (key == "f1") return simple(DType::kFloat8E5M2);
  if (kind == 'V') {
    fail(ErrorCode::kUnsupported,
         "elements of {} nameless bytes; bfloat16 and 8-bit floats are read so only when the "
         "expected type is known",
         width);
  }
  fail(ErrorCode::kUnsupported, "NumPy's element type '{}' has no counterpart in ONNX", descr);
}

// Copies `count` elements of `width` bytes from Fortran to C order.
void to_c_order(
    const std::byte* from, std::byte* to, const Dims& dims, size_t width, int64_t count) {
  // Steps of the source for each dim; an odometer walks the target in order.
  std::vector<int64_t> steps(dims.size()), at(dims.size(), 0);
  int64_t step = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    steps[i] = step;
    step *= dims[i];
  }
  int64_t source = 0;
  for (int64_t n = 0; n < count; ++n) {
    std::memcpy(to + static_cast<size_t>(n) * width, from + static_cast<size_t>(source) * width,
                width);
    for (size_t i = dims.size(); i-- > 0;) {
      source += steps[i];
      if (++at[i] < dims[i]) break;
      source -= steps[i] * dims[i];
      at[i] = 0;
    }
  }
}

void swap_bytes(std::byte* data, int64_t bytes, int64_t unit) {
  for (int64_t i = 0; i < bytes; i += unit) std::reverse(data + i, data + i + unit);
}

std::string text_element(const std::byte* data, const Element& e) {
  std::string text;
  if (e.text == 'S') {
    text.assign(reinterpret_cast<const char*>(data), static_cast<size_t>(e.bytes));
    text.resize(text.find_last_not_of('\0') + 1);  // npos + 1 is 0
    return text;
  }
  std::u32string points(static_cast<size_t>(e.bytes / 4), U'\0');
  std::memcpy(points.data(), data, static_cast<size_t>(e.bytes));
  while (!points.empty() && points.back() == U'\0') points.pop_back();
  for (const char32_t c : points) {
    if (!append_utf8(text, c)) invalid("U+{:X} is not a character", static_cast<uint32_t>(c));
  }
  return text;
}

Tensor pack_bytes(const std::byte* data, const Element& e, const Dims& dims, int64_t count) {
  Tensor tensor(e.dtype, dims);
  const int bits = bit_width(e.dtype);
  for (int64_t i = 0; i < count; ++i) {
    const auto code = static_cast<uint8_t>(data[i]);
    store_packed(tensor.mutable_raw(), bits, i, code);
    if (e.one_per_byte == 'V') continue;
    const int64_t value = e.one_per_byte == 'i' ? static_cast<int8_t>(code) : code;
    const int64_t stored =
        is_floating(e.dtype) ? load_packed(tensor.raw(), bits, i) : load_int(tensor, i);
    if (stored != value) {
      invalid("element {} is {}, which {} cannot hold", i, value, to_string(e.dtype));
    }
  }
  return tensor;
}

}  // namespace

Tensor read_npy(Bytes bytes, DType meant) {
  const Header header = parse_header(bytes);
  const Element e = describe(header.descr, meant);
  const Bytes body = bytes.subspan(header.data);
  int64_t count = 0, wanted = 0;
  try {
    count = element_count(header.dims);
  } catch (const Error& error) {
    invalid("{}", error.message());
  }
  if (__builtin_mul_overflow(count, e.bytes, &wanted) ||
      wanted != static_cast<int64_t>(body.size())) {
    invalid("shape ({}) of type '{}' needs {} x {} bytes, the file holds {}",
            dims_to_string(header.dims), header.descr, count, e.bytes, body.size());
  }
  // Texts of no characters take no bytes, so only this bounds their number.
  if (e.text != 0 && count > (int64_t{1} << 20) && wanted == 0) invalid("{} empty texts", count);

  const std::byte* data = body.data();
  std::vector<std::byte> changed;
  if (wanted > 0 && (header.fortran || e.swap_unit > 1)) {
    changed.resize(body.size());
    if (header.fortran && header.dims.size() > 1) {
      to_c_order(data, changed.data(), header.dims, static_cast<size_t>(e.bytes), count);
    } else {
      std::memcpy(changed.data(), data, body.size());
    }
    if (e.swap_unit > 1) swap_bytes(changed.data(), wanted, e.swap_unit);
    data = changed.data();
  }
  if (e.text != 0) {
    std::vector<std::string> strings(static_cast<size_t>(count));
    for (int64_t i = 0; i < count && wanted > 0; ++i)
      strings[static_cast<size_t>(i)] = text_element(data + i * e.bytes, e);
    return Tensor::from_strings(header.dims, std::move(strings));
  }
  if (e.one_per_byte != 0) return pack_bytes(data, e, header.dims, count);
  Tensor tensor(e.dtype, header.dims);
  if (wanted > 0) std::memcpy(tensor.mutable_raw(), data, static_cast<size_t>(wanted));
  if (e.dtype == DType::kBool) {
    for (int64_t i = 0; i < count; ++i) {
      if (static_cast<uint8_t>(data[i]) > 1)
        invalid("element {} of a bool array is {}", i, static_cast<int>(data[i]));
    }
  }
  return tensor;
}

Tensor read_npy_file(const std::string& path, DType meant) {
  const MappedFile file = MappedFile::open(path);
  try {
    return read_npy(file.bytes(), meant);
  } catch (Error& e) {
    e.in_file(path);
    throw;
  }
}

// --- writing
// --------------------------------------------------------------------------------------

namespace {

std::string descr_of(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return "|b1";
    case DType::kInt8:
    case DType::kInt4:
    case DType::kInt2:
      return "|i1";
    case DType::kUint8:
    case DType::kUint4:
    case DType::kUint2:
      return "|u1";
    case DType::kBfloat16:
      return "|V2";
    case DType::kFloat16:
    case DType::kFloat32:
    case DType::kFloat64:
      return fmt::format("<f{}", bit_width(dtype) / 8);
    case DType::kComplex64:
    case DType::kComplex128:
      return fmt::format("<c{}", bit_width(dtype) / 8);
    default:
      break;
  }
  if (is_integer(dtype))
    return fmt::format("<{}{}", is_signed_integer(dtype) ? 'i' : 'u', bit_width(dtype) / 8);
  if (is_floating(dtype)) return "|V1";
  fail(ErrorCode::kUnsupported, "a tensor of type {} cannot be written as .npy", to_string(dtype));
}

std::string header_of(const std::string& descr, const Dims& dims) {
  std::string shape;
  for (const int64_t d : dims) shape += fmt::format("{}, ", d);
  if (dims.size() > 1) shape.resize(shape.size() - 2);
  if (dims.size() == 1) shape.resize(shape.size() - 1);  // "(3,)"
  std::string dict =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  // The elements begin at a multiple of 64, as NumPy has it.
  constexpr size_t kPrefix = 10;
  dict.append(64 - (kPrefix + dict.size() + 1) % 64, ' ');
  dict += '\n';
  std::string out(kMagic);
  out += '\x01';
  out += '\x00';
  out += static_cast<char>(dict.size() & 0xFF);
  out += static_cast<char>(dict.size() >> 8);
  return out + dict;
}

std::string serialize_strings(const Tensor& tensor) {
  std::vector<std::u32string> texts;
  size_t longest = 1;
  for (const std::string& s : tensor.strings()) {
    auto points = decode_utf8(s);
    if (!points || (!points->empty() && points->back() == U'\0')) {
      fail(ErrorCode::kUnsupported,
           "a string that is not UTF-8 or ends with NUL cannot be written as .npy; write .pb");
    }
    longest = std::max(longest, points->size());
    texts.push_back(std::move(*points));
  }
  std::string out = header_of(fmt::format("<U{}", longest), tensor.dims());
  for (std::u32string& text : texts) {
    text.resize(longest, U'\0');
    out.append(reinterpret_cast<const char*>(text.data()), 4 * longest);
  }
  return out;
}

}  // namespace

std::string serialize_npy(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (dtype == DType::kString) return serialize_strings(tensor);
  std::string out = header_of(descr_of(dtype), tensor.dims());
  if (!is_sub_byte(dtype)) {
    out.append(reinterpret_cast<const char*>(tensor.raw()), static_cast<size_t>(tensor.bytes()));
    return out;
  }
  for (int64_t i = 0; i < tensor.size(); ++i) {
    out += static_cast<char>(is_floating(dtype) ? load_packed(tensor.raw(), bit_width(dtype), i)
                                                : static_cast<uint8_t>(load_int(tensor, i)));
  }
  return out;
}

void write_npy_file(const std::string& path, const Tensor& tensor) {
  AtomicFile file(path);
  file.append(serialize_npy(tensor));
  file.commit();
}

}  // namespace planish::io
