// RNN: H = f(x W + h R + wb + rb).
#include "reference/product.h"
#include "reference/recurrent.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_rnn(const Call& call) {
  const auto cell = [](const Recurrence& r, const Direction& d, const double* xw,
                       std::vector<double>& h, std::vector<double>&) {
    const int64_t n = r.hidden;
    std::vector<double> pre(xw, xw + r.batch * n);
    add_product(r.batch, n, n, Matrix<double>{h.data(), n, 1}, Matrix<double>{d.r.data(), n, 1},
                pre.data(), n);
    for (int64_t i = 0; i < r.batch * n; ++i) {
      const auto j = static_cast<size_t>(i % n), at = static_cast<size_t>(i);
      h[at] = d.activations[0](r.clipped(pre[at] + d.wb[j] + d.rb[j]));
    }
  };
  return run_recurrence(call, {1, false, {"Tanh"}}, cell);
}

}  // namespace

PLANISH_REFERENCE(rnn) { return {"", "RNN", &eval_rnn}; }

}  // namespace planish::reference
