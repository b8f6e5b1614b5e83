// LSTM, gates in the order i, o, f, c:
//   i = f(x Wi + h Ri + Pi . c + b), f likewise, c~ = g(x Wc + h Rc + b),
//   C = f . c + i . c~, o = f(x Wo + h Ro + Po . C + b), H = o . h(C).
// With input_forget, f = 1 - i. `clip` bounds what the gates and g take, not the cell state that h
// takes: ONNX speaks of "the input of activations" only, and its runtimes agree on this reading.
#include "reference/product.h"
#include "reference/recurrent.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_lstm(const Call& call) {
  const bool coupled = call.attributes.get_int("input_forget", 0) != 0;
  const auto cell = [&](const Recurrence& r, const Direction& d, const double* xw,
                        std::vector<double>& h, std::vector<double>& c) {
    const int64_t n = r.hidden, width = 4 * n;
    std::vector<double> pre(xw, xw + r.batch * width);
    add_product(r.batch, width, n, Matrix<double>{h.data(), n, 1},
                Matrix<double>{d.r.data(), width, 1}, pre.data(), width);
    const auto at = [](int64_t i) { return static_cast<size_t>(i); };
    const auto peep = [&](int64_t gate, int64_t j) {
      return d.peephole.empty() ? 0.0 : d.peephole[at(gate * n + j)];
    };
    const Activation &f = d.activations[0], &g = d.activations[1], &out = d.activations[2];
    for (int64_t b = 0; b < r.batch; ++b) {
      for (int64_t j = 0; j < n; ++j) {
        double &state = c[at(b * n + j)], old = state;
        const auto gate = [&](int64_t k, double extra) {
          const int64_t i = k * n + j;
          return r.clipped(pre[at(b * width + i)] + d.wb[at(i)] + d.rb[at(i)] + extra);
        };
        const double input = f(gate(0, peep(0, j) * old));
        const double forget = coupled ? 1 - input : f(gate(2, peep(2, j) * old));
        state = forget * old + input * g(gate(3, 0));
        const double output = f(gate(1, peep(1, j) * state));
        h[at(b * n + j)] = output * out(state);
      }
    }
  };
  return run_recurrence(call, {4, true, {"Sigmoid", "Tanh", "Tanh"}}, cell);
}

}  // namespace

PLANISH_REFERENCE(lstm) { return {"", "LSTM", &eval_lstm}; }

}  // namespace planish::reference
