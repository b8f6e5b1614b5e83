#include "reference/einsum_equation.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/error.h"

namespace planish::reference {
namespace {

constexpr int kEllipsis = 256;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Labels of one term; `width` axes stand for an ellipsis (negative: rank less the named ones).
std::vector<int> parse_term(std::string_view term, int64_t rank, int64_t width) {
  std::vector<int> labels;
  bool dots = false;
  const int64_t letters = std::count_if(term.begin(), term.end(), is_letter);
  if (width < 0) width = rank - letters;
  for (size_t i = 0; i < term.size(); ++i) {
    if (is_letter(term[i])) {
      labels.push_back(static_cast<unsigned char>(term[i]));
    } else if (term.substr(i, 3) == "..." && !dots) {
      dots = true;
      i += 2;
      for (int64_t k = width; k-- > 0;) labels.push_back(kEllipsis + static_cast<int>(k));
    } else {
      fail(ErrorCode::kInvalidModel, "equation term '{}' is not letters with at most one '...'",
           term);
    }
  }
  return labels;
}

}  // namespace

EinsumEquation parse_einsum(std::string_view equation, const std::vector<int64_t>& ranks) {
  std::string text(equation);
  std::erase(text, ' ');
  const size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  std::vector<std::string> terms(1);
  for (const char c : left) {
    if (c == ',')
      terms.emplace_back();
    else
      terms.back() += c;
  }
  if (terms.size() != ranks.size()) {
    fail(ErrorCode::kInvalidModel, "equation '{}' has {} terms for {} inputs", equation,
         terms.size(), ranks.size());
  }
  EinsumEquation parsed;
  int widest = 0;  // ellipsis
  std::map<int, int> count;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (ranks[i] > 64) fail(ErrorCode::kInvalidModel, "input {} has rank {}", i, ranks[i]);
    std::vector<int> labels = parse_term(terms[i], ranks[i], -1);
    if (static_cast<int64_t>(labels.size()) != ranks[i]) {
      fail(ErrorCode::kInvalidModel, "equation term '{}' has {} axes, input {} has {}", terms[i],
           labels.size(), i, ranks[i]);
    }
    for (const int label : labels) {
      ++count[label];
      if (label >= kEllipsis) widest = std::max(widest, label - kEllipsis + 1);
    }
    parsed.terms.push_back(std::move(labels));
  }
  if (arrow != std::string::npos) {
    parsed.result = parse_term(std::string_view(text).substr(arrow + 2), 0, widest);
    for (size_t i = 0; i < parsed.result.size(); ++i) {
      const int label = parsed.result[i];
      if (!count.contains(label) ||
          std::count(parsed.result.begin(), parsed.result.end(), label) > 1) {
        fail(ErrorCode::kInvalidModel,
             "equation '{}': a result label is repeated or stands in no term", equation);
      }
    }
    return parsed;
  }
  // Implicit: the ellipsis, then the labels that occur once, in alphabetic order.
  for (int k = widest; k-- > 0;) parsed.result.push_back(kEllipsis + k);
  for (const auto& [label, n] : count) {
    if (label < kEllipsis && n == 1) parsed.result.push_back(label);
  }
  return parsed;
}

}  // namespace planish::reference
