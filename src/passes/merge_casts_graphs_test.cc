// Chains of Cast over all plain types.
#include "passes/random_graphs_test.h"

namespace planish::passes {

PLANISH_GRAPHS(merge_casts, {.kinds = {"took the cast * of Cast out of the way"}, .share = 6}) {
  constexpr std::array kAll = {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBfloat16,
                               DType::kInt8,    DType::kUint8,   DType::kInt16,   DType::kUint16,
                               DType::kInt32,   DType::kUint32,  DType::kInt64,   DType::kUint64,
                               DType::kBool};
  const DType first = draw.pick(kAll);
  V x = draw.value(first, draw.dims(0, 2));
  for (int64_t i = 2 + draw.below(2); i > 0; --i) {
    const DType to = draw.one_in(3) ? first : draw.pick(kAll);
    Attributes attributes = with("to", static_cast<int64_t>(to));
    if (draw.one_in(8)) attributes.set("saturate", draw.below(2));
    x = draw.emit("Cast", {x}, std::move(attributes));
    if (draw.one_in(8)) x = draw.emit("Identity", {x});
  }
}

}  // namespace planish::passes
