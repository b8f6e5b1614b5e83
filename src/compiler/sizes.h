// Registers and size programs of one program under construction: SizeExpr in, plan::Dim out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/size_expr.h"
#include "plan/plan.h"

namespace planish::compiler {

class Sizes {
 public:
  explicit Sizes(plan::Program& program) : program_(program) {}

  // When the value of `e` is known: plan::kNone at bind, else the step after which it is; nothing
  // when it rests on a symbol that is not defined (yet).
  std::optional<uint32_t> when(const SizeExpr& e) const;
  // Latest of the dims of a shape.
  std::optional<uint32_t> when(const Shape& shape) const;

  // `e` is from now on what dim `index` of `slot` reads after `after_step` (kNone: at bind).
  // Nothing happens when `e` is known already.
  void define(const SizeExpr& e, uint32_t slot, uint32_t index, uint32_t after_step);

  // The constant or the register of a known expression; emits size code on first use.
  plan::Dim dim(const SizeExpr& e);

 private:
  struct Known {
    uint32_t reg;
    uint32_t after;
  };
  uint32_t emit(uint32_t after, plan::SizeInstr instr);
  uint32_t constant(int64_t value, uint32_t after);
  uint32_t reg(const SizeExpr& e, uint32_t after);
  uint32_t atom(const SizeExpr::Atom& a, uint32_t after);

  plan::Program& program_;
  std::map<SizeExpr, Known> known_;  // symbols, opaque expressions and what code computed
};

// The later of two times (kNone is before every step).
uint32_t later(uint32_t a, uint32_t b);

}  // namespace planish::compiler
