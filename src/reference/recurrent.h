// What LSTM, GRU and RNN share: operands, directions, layouts, sequence lengths and the loop over
// time. The cell is the operator's own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reference/reference.h"

namespace planish::reference {

// One activation function with its parameters bound.
class Activation {
 public:
  Activation(const Call& call,
             const std::string& name,
             const Floats& alphas,
             size_t& next_alpha,
             const Floats& betas,
             size_t& next_beta);
  double operator()(double x) const { return function_(x, alpha_, beta_); }

 private:
  double (*function_)(double x, double alpha, double beta) = nullptr;
  double alpha_ = 0, beta_ = 0;
};

// One direction of the layer. Gate-major vectors have gates * hidden entries.
struct Direction {
  std::vector<double> r;         // recurrent weights, transposed: [hidden, gates * hidden]
  std::vector<double> wb, rb;    // input and recurrent bias, zeros when the operator has none
  std::vector<double> peephole;  // LSTM: [3 * hidden], empty when omitted
  std::vector<Activation> activations;
};

struct Recurrence {
  int64_t steps = 0, batch = 0, inputs = 0, hidden = 0, gates = 0;
  double clip = 0;  // what the gates take is cut to [-clip, clip]; 0: not

  double clipped(double x) const { return clip > 0 ? std::min(std::max(x, -clip), clip) : x; }
};

// One step of all batch rows: `xw` [batch, gates * hidden] is x_t * W^T, `h` and `c` [batch,
// hidden] are updated in place (c is empty unless the operator has a cell state).
using Cell = std::function<void(const Recurrence&,
                                const Direction&,
                                const double* xw,
                                std::vector<double>& h,
                                std::vector<double>& c)>;

// Which inputs an operator has beyond X, W, R, B, sequence_lens, initial_h.
struct RecurrentOperator {
  int64_t gates = 1;
  bool cell_state = false;  // LSTM: inputs 6 (initial_c) and 7 (peepholes), output 2 (Y_c)
  std::vector<std::string> activations;  // defaults of one direction
};

std::vector<Value> run_recurrence(const Call& call, const RecurrentOperator& op, const Cell& cell);

}  // namespace planish::reference
