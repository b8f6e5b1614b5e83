// Joins a declared type with an inferred one; the rules and their reasons stand in infer.cc.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/type.h"

namespace planish::ops {

struct TypeMerger {
  // Made for the node at hand: such a symbol says nothing.
  std::function<bool(const std::string& symbol)> is_new;
  // Given out by inference at any time, so not the model's word.
  std::function<bool(const std::string& symbol)> is_ours;
  std::function<SizeExpr()> make_fresh;

  // Nothing on a contradiction: kind, dtype, rank or two different constants.
  std::optional<Type> merge(const Type& declared, const Type& inferred) const;

 private:
  std::optional<SizeExpr> merge_dim(const SizeExpr& declared, const SizeExpr& inferred) const;
  bool all_ours(const SizeExpr& dim) const;
  Type distrusted(Type declared) const;
};

}  // namespace planish::ops
