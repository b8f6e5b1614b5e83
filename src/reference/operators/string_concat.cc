#include "reference/broadcast.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_string_concat(const Call& call) {
  const Tensor& a = call.tensor(0);
  const Tensor& b = call.tensor(1);
  for (const Tensor* t : {&a, &b}) {
    if (t->dtype() != DType::kString) unsupported_type(call, t->dtype());
  }
  const Broadcast both(call, {&a, &b});
  Tensor out = call.make(DType::kString, both.dims());
  for (const size_t operand : {size_t{0}, size_t{1}}) {
    const std::vector<std::string>& source = operand == 0 ? a.strings() : b.strings();
    both.runs(operand, 0, both.size(), [&](int64_t at, int64_t n, int64_t first, int64_t step) {
      for (int64_t i = 0; i < n; ++i)
        out.mutable_strings()[static_cast<size_t>(at + i)] +=
            source[static_cast<size_t>(first + i * step)];
    });
  }
  return single(std::move(out));
}

}  // namespace

PLANISH_REFERENCE(string_concat) { return {"", "StringConcat", &eval_string_concat}; }

}  // namespace planish::reference
