#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_bit_shift(const Call& call) {
  const std::string& direction = call.attributes.get_string("direction");
  if (direction != "LEFT" && direction != "RIGHT")
    fail(ErrorCode::kInvalidModel, "BitShift: direction is \"{}\"; LEFT and RIGHT exist",
         direction);
  const bool left = direction == "LEFT";
  // A shift by the width or more shifts every bit out; a signed right shift keeps the sign.
  return binary<kInteger>(call, [left](auto x, auto by) {
    using T = decltype(x);
    const bool all = by < T{0} || by > T{63};
    if (left) return all ? T{0} : static_cast<T>(static_cast<uint64_t>(x) << by);
    if (all) return x < T{0} ? static_cast<T>(-1) : T{0};
    return static_cast<T>(x >> by);
  });
}

}  // namespace

PLANISH_REFERENCE(bit_shift) { return {"", "BitShift", &eval_bit_shift}; }

}  // namespace planish::reference
