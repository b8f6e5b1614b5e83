#include "ops/merge_types.h"

#include <algorithm>

namespace planish::ops {

bool TypeMerger::all_ours(const SizeExpr& dim) const {
  return std::ranges::all_of(dim.symbols(), is_ours);
}

// A declared type where inference found nothing: numbers are taken, the model's symbols are not.
// Nor is the shape of a sequence's elements: they may differ, and writers put [] for "any".
Type TypeMerger::distrusted(Type declared) const {
  if (declared.shape) {
    for (SizeExpr& dim : *declared.shape) {
      if (!dim.is_constant() && !all_ours(dim)) dim = make_fresh();
    }
  }
  for (Type& element : declared.element) {
    element = distrusted(std::move(element));
    if (declared.kind == Type::Kind::kSequence) element.shape.reset();
  }
  return declared;
}

std::optional<SizeExpr> TypeMerger::merge_dim(const SizeExpr& declared,
                                              const SizeExpr& inferred) const {
  if (declared == inferred || inferred.is_constant()) {
    if (declared.is_constant() && declared != inferred) return std::nullopt;
    return inferred;
  }
  if (!inferred.is_symbol()) return inferred;
  const std::string symbol = inferred.to_string();
  if (declared.is_constant()) return is_ours(symbol) ? declared : inferred;
  // Inferring again must not rename what an earlier inference named.
  return is_new(symbol) && all_ours(declared) ? declared : inferred;
}

std::optional<Type> TypeMerger::merge(const Type& declared, const Type& inferred) const {
  if (declared.kind == Type::Kind::kUnknown) return inferred;
  if (inferred.kind == Type::Kind::kUnknown) return distrusted(declared);
  if (declared.kind != inferred.kind) return std::nullopt;
  Type out = inferred;
  if (out.dtype == DType::kUndefined) out.dtype = declared.dtype;
  if (declared.dtype != DType::kUndefined && declared.dtype != out.dtype) return std::nullopt;
  if (declared.shape && !inferred.shape) {
    out.shape = distrusted(declared).shape;
  } else if (declared.shape) {
    if (declared.shape->size() != inferred.shape->size()) return std::nullopt;
    for (size_t i = 0; i < out.shape->size(); ++i) {
      const auto dim = merge_dim((*declared.shape)[i], (*inferred.shape)[i]);
      if (!dim) return std::nullopt;
      (*out.shape)[i] = *dim;
    }
  }
  if (inferred.element.empty()) {
    out.element = declared.element;
  } else if (!declared.element.empty()) {
    auto element = merge(declared.element[0], inferred.element[0]);
    if (!element) return std::nullopt;
    if (out.kind == Type::Kind::kSequence) element->shape = inferred.element[0].shape;
    out.element[0] = std::move(*element);
  }
  return out;
}

}  // namespace planish::ops
