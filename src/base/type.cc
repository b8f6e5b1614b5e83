#include "base/type.h"

#include "base/error.h"

namespace planish {

bool contradicts(const Type& a, const Type& b) {
  if (!a.has_shape() || !b.has_shape()) return false;
  if (a.shape->size() != b.shape->size()) return true;
  for (size_t i = 0; i < a.shape->size(); ++i) {
    const SizeExpr& x = (*a.shape)[i];
    const SizeExpr& y = (*b.shape)[i];
    if (x.is_constant() && y.is_constant() && x != y) return true;
  }
  return false;
}

std::string to_string(const Type& type) {
  const auto inner = [&] {
    return type.element.empty() ? std::string("unknown") : to_string(type.element[0]);
  };
  switch (type.kind) {
    case Type::Kind::kUnknown:
      return "unknown";
    case Type::Kind::kTensor: {
      std::string text(to_string(type.dtype));
      return text + (type.shape ? to_string(*type.shape) : "[?]");
    }
    case Type::Kind::kSequence:
      return "seq(" + inner() + ")";
    case Type::Kind::kOptional:
      return "optional(" + inner() + ")";
    case Type::Kind::kMap:
      return fmt::format("map({}, {})", to_string(type.dtype), inner());
  }
  return "unknown";
}

namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

DType dtype_of(std::string_view name) {
  if (name == "undefined") return DType::kUndefined;
  const auto dtype = parse_dtype(name);
  if (!dtype) fail(ErrorCode::kInvalidModel, "unknown element type '{}'", name);
  return *dtype;
}

// Splits at commas outside parentheses.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  if (trim(text).empty()) return parts;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      parts.push_back(trim(text.substr(start, i - start)));
      start = i + 1;
    } else if (text[i] == '(' || text[i] == '[') {
      ++depth;
    } else if (text[i] == ')' || text[i] == ']') {
      --depth;
    }
  }
  return parts;
}

Type parse(std::string_view text, int depth) {
  text = trim(text);
  if (depth > 16) fail(ErrorCode::kInvalidModel, "a type is nested over 16 deep");
  const auto inside = [&](std::string_view word) -> std::optional<std::string_view> {
    if (!text.starts_with(word) || !text.ends_with(")") || text.size() <= word.size())
      return std::nullopt;
    if (text[word.size()] != '(') return std::nullopt;
    return text.substr(word.size() + 1, text.size() - word.size() - 2);
  };
  if (text == "unknown") return {};
  if (const auto body = inside("seq")) return Type::sequence(parse(*body, depth + 1));
  if (const auto body = inside("optional")) return Type::optional(parse(*body, depth + 1));
  if (const auto body = inside("map")) {
    const auto parts = split(*body);
    if (parts.size() != 2)
      fail(ErrorCode::kInvalidModel, "map type '{}' needs a key and a value type", text);
    return Type::map(dtype_of(parts[0]), parse(parts[1], depth + 1));
  }
  const size_t open = text.find('[');
  if (open == std::string_view::npos || text.back() != ']') {
    fail(ErrorCode::kInvalidModel, "type '{}' is not of the form float32[N, 3]", text);
  }
  Type type = Type::tensor(dtype_of(trim(text.substr(0, open))));
  const auto dims = trim(text.substr(open + 1, text.size() - open - 2));
  if (dims == "?") return type;
  type.shape.emplace();
  for (const auto dim : split(dims)) type.shape->push_back(SizeExpr::parse(dim));
  return type;
}

}  // namespace

Type parse_type(std::string_view text) { return parse(text, 0); }

}  // namespace planish
