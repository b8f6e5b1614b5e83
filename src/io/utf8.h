// UTF-8 and code points, strict in both directions: no overlong forms, no surrogates, nothing past
// U+10FFFF.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace planish::io {

// False, and nothing appended, when `point` is not a character.
inline bool append_utf8(std::string& out, char32_t point) {
  const auto byte = [&](uint32_t value) { out += static_cast<char>(value); };
  const auto p = static_cast<uint32_t>(point);
  if (p < 0x80) {
    byte(p);
  } else if (p < 0x800) {
    byte(0xC0 | p >> 6);
    byte(0x80 | (p & 0x3F));
  } else if (p < 0x10000) {
    if (p >= 0xD800 && p < 0xE000) return false;
    byte(0xE0 | p >> 12);
    byte(0x80 | (p >> 6 & 0x3F));
    byte(0x80 | (p & 0x3F));
  } else if (p < 0x110000) {
    byte(0xF0 | p >> 18);
    byte(0x80 | (p >> 12 & 0x3F));
    byte(0x80 | (p >> 6 & 0x3F));
    byte(0x80 | (p & 0x3F));
  } else {
    return false;
  }
  return true;
}

// Nothing when `text` is not UTF-8.
inline std::optional<std::u32string> decode_utf8(std::string_view text) {
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  std::u32string out;
  for (size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const size_t length = first < 0x80       ? 1
                          : first >> 5 == 6  ? 2
                          : first >> 4 == 14 ? 3
                          : first >> 3 == 30 ? 4
                                             : 0;
    if (length == 0 || i + length > text.size()) return std::nullopt;
    uint32_t point = length == 1 ? first : first & (0x7Fu >> length);
    for (size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if (next >> 6 != 2) return std::nullopt;
      point = point << 6 | (next & 0x3F);
    }
    if (point < kLeast[length] || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
      return std::nullopt;
    out += static_cast<char32_t>(point);
    i += length;
  }
  return out;
}

}  // namespace planish::io
