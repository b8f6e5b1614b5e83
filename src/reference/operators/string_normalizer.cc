// Removes stop words, then changes the case. Case is mapped letter by letter for Latin, Greek and
// Cyrillic text, independently of the machine's locales; other scripts have no case or stay as is.
#include <string>
#include <unordered_set>

#include "reference/blocks.h"

namespace planish::reference {

namespace {

// The other case of a two-byte UTF-8 letter, as code points.
uint32_t lower(uint32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
  if (c >= 0xC0 && c <= 0xDE && c != 0xD7) return c + 32;
  if (c >= 0x100 && c <= 0x137 && c != 0x130) return c | 1;
  if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E)) return c + (c & 1);
  if (c >= 0x14A && c <= 0x177) return c | 1;
  if (c == 0x178) return 0xFF;
  if (c == 0x386) return 0x3AC;
  if (c >= 0x388 && c <= 0x38A) return c + 37;
  if (c == 0x38C) return 0x3CC;
  if (c == 0x38E || c == 0x38F) return c + 63;
  if (c >= 0x391 && c <= 0x3AB && c != 0x3A2) return c + 32;
  if (c >= 0x400 && c <= 0x40F) return c + 80;
  if (c >= 0x410 && c <= 0x42F) return c + 32;
  if (c >= 0x460 && c <= 0x481) return c | 1;
  if (c >= 0x48A && c <= 0x4BF) return c | 1;
  return c;
}

uint32_t upper(uint32_t c) {
  if (c == 0xB5) return 0x39C;
  if (c == 0xFF) return 0x178;
  if (c == 0x3C2) return 0x3A3;  // final sigma
  // The inverse of lower(): no letter lies further away than 80.
  if (lower(c) != c) return c;
  for (const uint32_t distance : {32u, 1u, 80u, 37u, 38u, 63u, 64u}) {
    if (c > distance && lower(c - distance) == c) return c - distance;
  }
  return c;
}

// One- and two-byte sequences are mapped, everything else (broken text too) is copied.
std::string mapped(const std::string& text, uint32_t (*map)(uint32_t)) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0u;
    uint32_t c = byte;
    if (byte >= 0xC2 && byte <= 0xDF && (next & 0xC0) == 0x80) {
      c = (byte & 0x1Fu) << 6 | (next & 0x3Fu);
      ++i;
    } else if (byte >= 0x80) {
      out += text[i];
      continue;
    }
    c = map(c);
    if (c < 0x80) {
      out += static_cast<char>(c);
    } else {
      out += static_cast<char>(0xC0 | c >> 6);
      out += static_cast<char>(0x80 | (c & 0x3F));
    }
  }
  return out;
}

std::vector<Value> eval_string_normalizer(const Call& call) {
  const Tensor& x = call.tensor(0);
  if (x.dtype() != DType::kString) unsupported_type(call, x.dtype());
  const bool row = x.rank() == 2 && x.dim(0) == 1;
  if (x.rank() != 1 && !row)
    fail(ErrorCode::kInvalidInput, "StringNormalizer takes [C] or [1, C], not {}",
         dims_to_string(x.dims()));
  const std::string action = call.attributes.get_string("case_change_action", "NONE");
  if (action != "NONE" && action != "LOWER" && action != "UPPER")
    fail(ErrorCode::kInvalidModel, "StringNormalizer: case_change_action \"{}\"", action);
  const bool exact = call.attributes.get_int("is_case_sensitive", 0) != 0;
  std::unordered_set<std::string> stop;
  for (const std::string& word : call.attributes.get_strings("stopwords"))
    stop.insert(exact ? word : mapped(word, &lower));
  std::vector<std::string> kept;
  for (const std::string& word : x.strings()) {
    if (stop.contains(exact ? word : mapped(word, &lower))) continue;
    kept.push_back(action == "NONE" ? word : mapped(word, action == "LOWER" ? &lower : &upper));
  }
  if (kept.empty()) kept.emplace_back();
  const auto count = static_cast<int64_t>(kept.size());
  return single(Tensor::from_strings(row ? Dims{1, count} : Dims{count}, std::move(kept)));
}

}  // namespace

PLANISH_REFERENCE(string_normalizer) { return {"", "StringNormalizer", &eval_string_normalizer}; }

}  // namespace planish::reference
