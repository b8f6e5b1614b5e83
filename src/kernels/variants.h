// Common handling of a family's tactics. A family's variant struct has `name` and `isa`; its list
// becomes a table (in order of the list; later entries are preferred over earlier ones).
#pragma once

#include <span>
#include <string_view>

#include "kernels/isa.h"

namespace planish::kernels {

// Null when no variant has the name.
template <class Variant>
const Variant* find_variant(std::span<const Variant> all, std::string_view name) {
  for (const Variant& variant : all) {
    if (variant.name == name) return &variant;
  }
  return nullptr;
}

// The last variant that this machine can run and that takes the problem; null when none does.
template <class Variant, class Problem>
const Variant* best_variant(std::span<const Variant> all, const Problem& problem) {
  const Variant* best = nullptr;
  for (const Variant& variant : all) {
    if (machine_has(variant.isa) && variant.supports(problem) == nullptr) best = &variant;
  }
  return best;
}

}  // namespace planish::kernels
