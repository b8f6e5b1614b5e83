#include "ops/claims.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace planish::ops {
namespace {

constexpr size_t kShownClaims = 3;

}  // namespace

void Disproved::add(const ir::ValueDef& value, const Type& found) {
  const std::string& name = value.onnx_name.empty() ? value.name : value.onnx_name;
  if (!names_.insert(name).second || shown_.size() >= kShownClaims) return;
  shown_.push_back(fmt::format("'{}' is declared {}, {} {}", name, to_string(value.declared), how_,
                               to_string(found)));
}

std::string Disproved::note() const {
  const size_t more = names_.size() - shown_.size();
  return fmt::format("declared shapes that do not hold are not used: {}{}", fmt::join(shown_, "; "),
                     more > 0 ? fmt::format("; and {} more", more) : "");
}

}  // namespace planish::ops
