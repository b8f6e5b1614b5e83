#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_gelu(const Call& call) {
  const std::string form = call.attributes.get_string("approximate", "none");
  if (form == "tanh") {
    return unary<kFloat>(call, [](double x) {
      const double inner = std::sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x);
      return 0.5 * x * (1.0 + std::tanh(inner));
    });
  }
  if (form != "none")
    fail(ErrorCode::kInvalidModel, "Gelu: approximate is \"{}\"; \"none\" and \"tanh\" exist",
         form);
  return unary<kFloat>(call, [](double x) { return 0.5 * x * std::erfc(-x * M_SQRT1_2); });
}

}  // namespace

PLANISH_REFERENCE(gelu) { return {"", "Gelu", &eval_gelu}; }

}  // namespace planish::reference
