#include <string_view>

#include "reference/movement.h"

namespace planish::reference {

namespace {

constexpr std::string_view kSpace = " \t\n\r\f\v";

// At white space: runs of it separate, and none is left at the ends.
std::vector<std::string> split_at_space(std::string_view text, int64_t limit) {
  std::vector<std::string> parts;
  size_t at = text.find_first_not_of(kSpace);
  while (at != std::string_view::npos) {
    size_t end = text.find_first_of(kSpace, at);
    if (static_cast<int64_t>(parts.size()) == limit) end = text.find_last_not_of(kSpace) + 1;
    if (end == std::string_view::npos) end = text.size();
    parts.emplace_back(text.substr(at, end - at));
    at = text.find_first_not_of(kSpace, end);
  }
  return parts;
}

// At every delimiter, so that neighbours enclose an empty part.
std::vector<std::string> split_at(std::string_view text,
                                  std::string_view delimiter,
                                  int64_t limit) {
  std::vector<std::string> parts;
  while (static_cast<int64_t>(parts.size()) != limit) {
    const size_t end = text.find(delimiter);
    if (end == std::string_view::npos) break;
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + delimiter.size());
  }
  parts.emplace_back(text);
  return parts;
}

std::vector<Value> eval_string_split(const Call& call) {
  const Tensor& x = call.tensor(0);
  if (x.dtype() != DType::kString) unsupported_type(call, x.dtype());
  const std::string delimiter = call.attributes.get_string("delimiter", "");
  const int64_t limit = call.attributes.get_int("maxsplit", -1);
  std::vector<std::vector<std::string>> rows;
  size_t width = 0;
  Tensor counts = call.make(DType::kInt64, x.dims());
  for (const std::string& text : x.strings()) {
    rows.push_back(delimiter.empty() ? split_at_space(text, limit)
                                     : split_at(text, delimiter, limit));
    width = std::max(width, rows.back().size());
    counts.mutable_data<int64_t>()[rows.size() - 1] = static_cast<int64_t>(rows.back().size());
  }
  // Short rows end in empty strings.
  Dims dims = x.dims();
  dims.push_back(static_cast<int64_t>(width));
  Tensor parts = call.make(DType::kString, std::move(dims));
  for (size_t r = 0; r < rows.size(); ++r)
    std::ranges::move(rows[r], parts.mutable_strings().begin() + static_cast<int64_t>(r * width));
  std::vector<Value> out;
  out.emplace_back(std::move(parts));
  if (call.outputs > 1) out.emplace_back(std::move(counts));
  return out;
}

}  // namespace

PLANISH_REFERENCE(string_split) { return {"", "StringSplit", &eval_string_split}; }

}  // namespace planish::reference
