// Pointwise operators as the kernels know them, and epilogues.
//
// An epilogue operator goes into the kernel's own epilogue when that can take it (finish() asks
// whether its operand broadcasts in whole groups of dims, and for room), else it becomes a step of
// its own; either way the node stays on this provider.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/cpu/compile/facts.h"
#include "kernels/pointwise/pointwise.h"

namespace planish::backends::cpu {

struct UnarySpec {
  kernels::Unary op = kernels::Unary::kRelu;
  float p0 = 0, p1 = 0;
};

// The kernels' form of a unary float32 operator; `low` and `high` are Clip's bounds where given.
// Nothing for an unknown operator.
std::optional<UnarySpec> unary_of(std::string_view op,
                                  const Attributes& attributes,
                                  std::optional<float> low,
                                  std::optional<float> high);
std::optional<kernels::Binary> binary_of(std::string_view op);

// Whether the cpu provider can apply it to output 0 (float32) of the node.
Support supports_epilogue_op(const Facts& facts, const ir::EpilogueOp& op);

// How the output's dims fall into batch, rows and columns of the kernel's epilogue.
struct Groups {
  size_t rows = 0, columns = 0;
};

// One link of a chain under construction.
struct Link {
  bool binary = false;
  UnarySpec unary;
  kernels::Binary op = kernels::Binary::kAdd;
  uint32_t operand = plan::kNone;  // slot
  bool flow_first = true;
  bool row = false;  // 1-D operand along the rows
};

// Adds `step` (output 0 not yet set for a chain) with `own` links first and then the node's
// epilogue. own: part of the operator itself, such as a bias, always taken by the kernel; 3 at
// most. groups: nothing when the kernel has no epilogue.
void finish(const Facts& facts,
            LowerContext& context,
            plan::Step step,
            std::optional<Groups> groups,
            std::vector<Link> own = {});

}  // namespace planish::backends::cpu
