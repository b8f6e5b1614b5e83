#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_neg(const Call& call) {
  return unary < kFloat | kSigned > (call, [](auto x) {
                            if constexpr (std::is_same_v<decltype(x), double>)
                              return -x;
                            else
                              return wrap_sub(decltype(x){0}, x);
                          });
}

}  // namespace

PLANISH_REFERENCE(neg) { return {"", "Neg", &eval_neg}; }

}  // namespace planish::reference
