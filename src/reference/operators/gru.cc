// GRU, gates in the order z, r, h:
//   z = f(x Wz + h Rz + b), r = f(x Wr + h Rr + b),
//   h~ = g(x Wh + (r . h) Rh + rb + wb), or with linear_before_reset g(x Wh + r . (h Rh + rb) +
//   wb), H = (1 - z) . h~ + z . h.
#include "reference/product.h"
#include "reference/recurrent.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_gru(const Call& call) {
  const bool linear = call.attributes.get_int("linear_before_reset", 0) != 0;
  const auto cell = [&](const Recurrence& r, const Direction& d, const double* xw,
                        std::vector<double>& h, std::vector<double>&) {
    const int64_t n = r.hidden, width = 3 * n;
    const auto at = [](int64_t i) { return static_cast<size_t>(i); };
    const Activation &f = d.activations[0], &g = d.activations[1];
    const Matrix<double> weights{d.r.data(), width, 1};
    // Gates z and r, and h R_h where it comes before the reset.
    std::vector<double> hr(at(r.batch * width), 0.0);
    add_product(r.batch, linear ? width : 2 * n, n, Matrix<double>{h.data(), n, 1}, weights,
                hr.data(), width);
    std::vector<double> update(h.size()), reset(h.size());
    for (int64_t b = 0; b < r.batch; ++b) {
      for (int64_t j = 0; j < n; ++j) {
        const auto gate = [&](int64_t k) {
          const int64_t i = k * n + j;
          return f(
              r.clipped(xw[b * width + i] + hr[at(b * width + i)] + d.wb[at(i)] + d.rb[at(i)]));
        };
        update[at(b * n + j)] = gate(0);
        reset[at(b * n + j)] = gate(1);
      }
    }
    if (!linear) {
      std::vector<double> kept(h.size());
      for (size_t i = 0; i < h.size(); ++i) kept[i] = reset[i] * h[i];
      add_product(r.batch, n, n, Matrix<double>{kept.data(), n, 1}, weights.at(0, 2 * n),
                  hr.data() + 2 * n, width);
    }
    for (int64_t b = 0; b < r.batch; ++b) {
      for (int64_t j = 0; j < n; ++j) {
        const int64_t i = 2 * n + j;
        const size_t s = at(b * n + j);
        const double recurrent = hr[at(b * width + i)] + d.rb[at(i)];
        const double fresh = g(r.clipped(xw[b * width + i] + d.wb[at(i)] +
                                         (linear ? reset[s] * recurrent : recurrent)));
        h[s] = (1 - update[s]) * fresh + update[s] * h[s];
      }
    }
  };
  return run_recurrence(call, {3, false, {"Sigmoid", "Tanh"}}, cell);
}

}  // namespace

PLANISH_REFERENCE(gru) { return {"", "GRU", &eval_gru}; }

}  // namespace planish::reference
