#include "onnx/foreign.h"

#include <fmt/core.h>

#include <algorithm>

namespace planish::onnx {
namespace {

struct Signature {
  size_t offset;
  std::string_view bytes;
  std::string_view meaning;
};

using namespace std::string_view_literals;

constexpr Signature kSignatures[] = {
    {0, "version https://git-lfs"sv,
     "a Git LFS pointer: fetch the file itself with `git lfs pull`"},
    {0, "\x89PNG"sv, "a PNG image"},
    {0, "\xff\xd8\xff"sv, "a JPEG image"},
    {0, "GIF8"sv, "a GIF image"},
    {0, "RIFF"sv, "a RIFF file (sound or image)"},
    {0, "\x1f\x8b"sv, "gzip data: unpack it first"},
    {0, "\x28\xb5\x2f\xfd"sv, "Zstandard data: unpack it first"},
    {0,
     "\xfd"
     "7zXZ"sv,
     "xz data: unpack it first"},
    {0, "BZh"sv, "bzip2 data: unpack it first"},
    {257, "ustar"sv, "a tar archive: unpack it first"},
    {0, "PK\x03\x04"sv,
     "a zip archive (PyTorch saves its own models so): export it to ONNX or unpack it"},
    {0, "\x89HDF"sv, "an HDF5 file (Keras weights?): convert it to ONNX first"},
    {4, "TFL3"sv, "a TensorFlow Lite model: convert it to ONNX first"},
    {4, "ORTM"sv, "a model in ONNX Runtime's own format: use the .onnx it was made from"},
    {0, "GGUF"sv, "a GGUF model: only .onnx is read"},
    {0, "\x93NUMPY"sv, "a NumPy array: an input, not a model"},
    {0,
     "\x7f"
     "ELF"sv,
     "an executable or library"},
    {0, "%PDF"sv, "a PDF document"},
    {0, "<?xml"sv, "an XML file (OpenVINO models have one): only .onnx is read"},
};

bool is_text(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return u >= 0x20 ? u != 0x7f : (u == '\n' || u == '\r' || u == '\t');
  });
}

std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Length of the well-formed UTF-8 sequence at the start, 0 when there is none.
size_t utf8_length(std::string_view s) {
  const auto byte = [&](size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0U; };
  const auto tail = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return tail(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool overlong = first == 0xe0 && byte(1) < 0xa0,
               surrogate = first == 0xed && byte(1) > 0x9f;
    return tail(1) && tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool overlong = first == 0xf0 && byte(1) < 0x90, beyond = first == 0xf4 && byte(1) > 0x8f;
    return tail(1) && tail(2) && tail(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string printable(std::string_view text, size_t limit) {
  if (text.size() > limit) {
    return printable(text.substr(0, limit / 2), limit) + " ... " +
           printable(text.substr(text.size() - limit / 2), limit);
  }
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8_length(text.substr(i));
    const auto c = static_cast<unsigned char>(text[i]);
    if (length == 0 || c < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", c);
      ++i;
    } else {
      out += text.substr(i, length);
      i += length;
    }
  }
  return out;
}

std::string describe_foreign(std::string_view bytes) {
  if (bytes.empty()) return "an empty file";
  for (const Signature& s : kSignatures) {
    if (bytes.size() >= s.offset && bytes.substr(s.offset).starts_with(s.bytes)) {
      return std::string(s.meaning);
    }
  }
  const std::string_view head = bytes.substr(0, 512);
  if (std::ranges::all_of(bytes.substr(0, 4096), [](char c) { return c == 0; })) {
    return "a file of zeros: the copy or download seems to have failed";
  }
  if (is_text(head)) {
    const std::string small = lower(head);
    if (small.find("<html") != std::string::npos || small.starts_with("<!doctype")) {
      return "an HTML page: the download seems to have fetched a web page";
    }
    if (small.find("ir_version") != std::string::npos) {
      return "ONNX in its text form: save it in binary form";
    }
    if (small.starts_with("{") || small.starts_with("[")) return "JSON text";
    return "text";
  }
  if (bytes.size() > 9 && bytes.substr(8).starts_with("{\"")) {
    return "a safetensors file: weights without a graph";
  }
  // Field 1 as a number and field 2 as a number: dims and data type of a tensor; a model's field 2
  // is text.
  if (bytes.size() >= 4 && bytes[0] == '\x08') {
    const size_t second = bytes.find_first_of("\x10\x12");
    if (second != std::string_view::npos && second < 64 && bytes[second] == '\x10') {
      return "a tensor (.pb): an input, not a model";
    }
  }
  if (bytes[0] == '\x0a') {
    return "another protobuf message (a TensorFlow graph, or an ONNX graph without its model)";
  }
  return {};
}

}  // namespace planish::onnx
