#include "ops/block_types.h"

#include <set>

#include "ops/shape_helpers.h"

namespace planish::ops {

Type cover(InferContext& context, const Type& a, const Type& b, std::string_view what) {
  if (a == b || b.kind == Type::Kind::kUnknown) return a;
  if (a.kind == Type::Kind::kUnknown) return b;
  if (a.kind != b.kind ||
      (a.dtype != b.dtype && a.dtype != DType::kUndefined && b.dtype != DType::kUndefined)) {
    context.fail(fmt::format("{} is {} or {}", what, to_string(a), to_string(b)));
  }
  Type joined = a;
  if (joined.dtype == DType::kUndefined) joined.dtype = b.dtype;
  for (size_t i = 0; i < a.element.size() && i < b.element.size(); ++i) {
    joined.element[i] = cover(context, a.element[i], b.element[i], what);
  }
  if (!a.shape || !b.shape || a.shape->size() != b.shape->size()) {
    joined.shape.reset();
    return joined;
  }
  for (size_t i = 0; i < a.shape->size(); ++i) {
    if ((*a.shape)[i] != (*b.shape)[i]) (*joined.shape)[i] = context.fresh_dim();
  }
  return joined;
}

namespace {

// The dims of a carried type that iterations change, so that they are widened once and for all.
struct Widening {
  bool shape = false;
  std::set<size_t> dims;
  bool elements = false;  // of a sequence, optional or map
  bool kind = false;      // an optional goes in, what it may hold comes out
};

// Widens `now` so that it covers `next` as well; true when that changed it.
bool widen(InferContext& context, Type& now, const Type& next, Widening& w, std::string_view what) {
  if (next.kind == Type::Kind::kUnknown) return false;
  if (now.kind == Type::Kind::kUnknown) {
    now = next;
    return true;
  }
  if (now.kind == Type::Kind::kOptional && next.kind != Type::Kind::kOptional &&
      !now.element.empty() && now.element[0].kind == next.kind) {
    w.kind = true;
    return false;
  }
  if (now.kind != next.kind || (now.dtype != next.dtype && now.dtype != DType::kUndefined &&
                                next.dtype != DType::kUndefined)) {
    context.fail(
        fmt::format("{} goes in as {} and comes out as {}", what, to_string(now), to_string(next)));
  }
  bool changed = false;
  if (now.dtype == DType::kUndefined && next.dtype != DType::kUndefined)
    now.dtype = next.dtype, changed = true;
  if (!now.is_tensor()) {
    if (now.element != next.element && !w.elements) {
      w.elements = changed = true;
      for (size_t i = 0; i < now.element.size() && i < next.element.size(); ++i) {
        now.element[i] = cover(context, now.element[i], next.element[i], what);
        now.element[i].shape.reset();
      }
    }
    return changed;
  }
  if (!now.shape) return changed;
  if (!next.shape || next.shape->size() != now.shape->size()) {
    now.shape.reset();
    return true;
  }
  for (size_t d = 0; d < now.shape->size(); ++d) {
    if ((*now.shape)[d] == (*next.shape)[d] || w.dims.contains(d)) continue;
    w.dims.insert(d);
    (*now.shape)[d] = context.fresh_dim();
    changed = true;
  }
  return changed;
}

}  // namespace

Carried infer_carried(InferContext& context,
                      const std::vector<Type>& before,
                      const std::vector<Type>& carried,
                      const std::vector<Type>& after,
                      size_t first) {
  Carried c{carried, {}, {}};
  std::vector<Widening> widened(carried.size());
  for (bool changed = true; changed;) {  // each round widens for good, so the rounds are few
    std::vector<Type> arguments = before;
    arguments.insert(arguments.end(), c.inside.begin(), c.inside.end());
    arguments.insert(arguments.end(), after.begin(), after.end());
    c.results = context.infer_block(0, arguments);
    if (c.results.size() < first + carried.size()) {
      context.fail(fmt::format("the body gives {} values; {} carried ones come back",
                               c.results.size(), carried.size()));
    }
    changed = false;
    for (size_t i = 0; i < carried.size(); ++i) {
      changed |= widen(context, c.inside[i], c.results[first + i], widened[i],
                       fmt::format("carried value {}", i));
    }
  }
  for (size_t i = 0; i < carried.size(); ++i) {
    Type type = c.inside[i];
    if (widened[i].kind) type = Type();  // one or the other: only the run can tell
    // A symbol for "any iteration" says nothing about the last: another one outside.
    for (const size_t d : widened[i].dims) {
      if (type.shape) (*type.shape)[d] = context.fresh_dim();
    }
    c.outside.push_back(std::move(type));
  }
  return c;
}

}  // namespace planish::ops
