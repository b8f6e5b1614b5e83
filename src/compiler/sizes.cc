#include "compiler/sizes.h"

#include <algorithm>

#include "base/error.h"

namespace planish::compiler {

using plan::kNone;

uint32_t later(uint32_t a, uint32_t b) {
  if (a == kNone) return b;
  if (b == kNone) return a;
  return std::max(a, b);
}

std::optional<uint32_t> Sizes::when(const SizeExpr& e) const {
  if (e.is_constant()) return kNone;
  if (const auto it = known_.find(e); it != known_.end()) return it->second.after;
  uint32_t latest = kNone;
  for (const auto& term : e.terms()) {
    for (const auto& a : term.factors) {
      if (a.fn == SizeExpr::Fn::kSymbol) {
        const auto it = known_.find(SizeExpr::symbol(a.symbol));
        if (it == known_.end()) return std::nullopt;
        latest = later(latest, it->second.after);
        continue;
      }
      for (const auto& arg : a.args) {
        const auto t = when(arg);
        if (!t) return std::nullopt;
        latest = later(latest, *t);
      }
    }
  }
  return latest;
}

std::optional<uint32_t> Sizes::when(const Shape& shape) const {
  uint32_t latest = kNone;
  for (const auto& d : shape) {
    const auto t = when(d);
    if (!t) return std::nullopt;
    latest = later(latest, *t);
  }
  return latest;
}

void Sizes::define(const SizeExpr& e, uint32_t slot, uint32_t index, uint32_t after_step) {
  if (when(e)) return;
  plan::Symbol symbol;
  symbol.name = e.to_string();
  symbol.reg = program_.registers++;
  symbol.slot = slot;
  symbol.index = index;
  symbol.after_step = after_step;
  known_.emplace(e, Known{symbol.reg, after_step});
  program_.symbols.push_back(std::move(symbol));
}

plan::Dim Sizes::dim(const SizeExpr& e) {
  if (const auto c = e.constant()) return {*c, kNone};
  const auto t = when(e);
  if (!t) fail(ErrorCode::kInternal, "the size {} is not known", e.to_string());
  return {0, reg(e, *t)};
}

uint32_t Sizes::emit(uint32_t after, plan::SizeInstr instr) {
  instr.dst = program_.registers++;
  // Size programs stand in order of time, bind first.
  auto it =
      std::ranges::find_if(program_.sizes, [&](const auto& s) { return s.after_step == after; });
  if (it == program_.sizes.end()) {
    it = std::ranges::find_if(program_.sizes, [&](const auto& s) {
      return s.after_step != kNone && (after == kNone || s.after_step > after);
    });
    it = program_.sizes.insert(it, {after, {}});
  }
  it->code.push_back(instr);
  return instr.dst;
}

uint32_t Sizes::constant(int64_t value, uint32_t after) {
  return emit(after, {plan::SizeOp::kConst, 0, 0, 0, value});
}

uint32_t Sizes::atom(const SizeExpr::Atom& a, uint32_t after) {
  if (a.fn == SizeExpr::Fn::kSymbol) return known_.at(SizeExpr::symbol(a.symbol)).reg;
  const auto op = [&] {
    switch (a.fn) {
      case SizeExpr::Fn::kFloorDiv:
        return plan::SizeOp::kFloorDiv;
      case SizeExpr::Fn::kCeilDiv:
        return plan::SizeOp::kCeilDiv;
      case SizeExpr::Fn::kMod:
        return plan::SizeOp::kMod;
      case SizeExpr::Fn::kMin:
        return plan::SizeOp::kMin;
      case SizeExpr::Fn::kMax:
        return plan::SizeOp::kMax;
      case SizeExpr::Fn::kSymbol:
        break;
    }
    fail(ErrorCode::kInternal, "a symbol is not a function");
  }();
  const uint32_t x = reg(a.args[0], after);
  const uint32_t y = reg(a.args[1], after);
  return emit(after, {op, 0, x, y, 0});
}

uint32_t Sizes::reg(const SizeExpr& e, uint32_t after) {
  if (const auto c = e.constant()) return constant(*c, after);
  if (const auto it = known_.find(e); it != known_.end()) return it->second.reg;
  // As early as possible, so that later users find it computed.
  const uint32_t own = *when(e);
  uint32_t sum = kNone;
  const auto accumulate = [&](uint32_t r) {
    sum = sum == kNone ? r : emit(own, {plan::SizeOp::kAdd, 0, sum, r, 0});
  };
  for (const auto& term : e.terms()) {
    uint32_t product = kNone;
    for (const auto& a : term.factors) {
      const uint32_t r = atom(a, own);
      product = product == kNone ? r : emit(own, {plan::SizeOp::kMul, 0, product, r, 0});
    }
    if (term.coefficient != 1)
      product = emit(own, {plan::SizeOp::kMul, 0, product, constant(term.coefficient, own), 0});
    accumulate(product);
  }
  if (e.constant_term() != 0) accumulate(constant(e.constant_term(), own));
  known_.emplace(e, Known{sum, own});
  return sum;
}

}  // namespace planish::compiler
