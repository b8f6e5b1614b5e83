#include "reference/recurrent.h"

#include <cctype>
#include <cmath>
#include <optional>

#include "reference/product.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

struct ActivationEntry {
  std::string_view name;
  double (*function)(double x, double alpha, double beta);
  std::optional<double> alpha, beta;  // default, when the function has that parameter
};

constexpr double kNone = 0;

const ActivationEntry kActivations[] = {
    {"relu", [](double x, double, double) { return std::max(x, kNone); }, {}, {}},
    {"tanh", [](double x, double, double) { return std::tanh(x); }, {}, {}},
    {"sigmoid", [](double x, double, double) { return 1 / (1 + std::exp(-x)); }, {}, {}},
    {"affine", [](double x, double a, double b) { return a * x + b; }, 1.0, 0.0},
    {"leakyrelu", [](double x, double a, double) { return x >= 0 ? x : a * x; }, 0.01, {}},
    {"thresholdedrelu", [](double x, double a, double) { return x > a ? x : 0; }, 1.0, {}},
    {"scaledtanh", [](double x, double a, double b) { return a * std::tanh(b * x); }, 1.0, 1.0},
    {"hardsigmoid",
     [](double x, double a, double b) { return std::min(std::max(a * x + b, 0.0), 1.0); }, 0.2,
     0.5},
    {"elu", [](double x, double a, double) { return x >= 0 ? x : a * std::expm1(x); }, 1.0, {}},
    {"softsign", [](double x, double, double) { return x / (1 + std::abs(x)); }, {}, {}},
    {"softplus",
     [](double x, double, double) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); },
     {},
     {}},
};

// An operand of the layer: omitted, or a tensor that must have these dims.
std::vector<double> operand(const Call& call,
                            size_t input,
                            const Dims& dims,
                            std::string_view what) {
  if (!call.has(input)) return {};
  const Tensor& t = call.tensor(input);
  if (t.dims() != dims) {
    fail(ErrorCode::kInvalidInput, "{}: {} is [{}]; expected [{}]", call.op, what,
         dims_to_string(t.dims()), dims_to_string(dims));
  }
  return to_doubles(t);
}

std::vector<int64_t> read_lengths(const Call& call, const Recurrence& r) {
  if (!call.has(4)) return std::vector<int64_t>(static_cast<size_t>(r.batch), r.steps);
  const Tensor& t = call.tensor(4);
  if (t.dims() != Dims{r.batch}) {
    fail(ErrorCode::kInvalidInput, "{}: sequence_lens is [{}]; expected [{}]", call.op,
         dims_to_string(t.dims()), r.batch);
  }
  std::vector<int64_t> lengths = to_ints(t);
  for (const int64_t n : lengths) {
    if (n < 0 || n > r.steps) {
      fail(ErrorCode::kData, "{}: a sequence length is {}, outside [0, {}]", call.op, n, r.steps);
    }
  }
  return lengths;
}

// Swaps the two leading axes of t [a, b, rest...].
std::vector<double> swap_leading(const std::vector<double>& t, int64_t a, int64_t b, int64_t rest) {
  std::vector<double> out(t.size());
  for (int64_t i = 0; i < a; ++i) {
    for (int64_t j = 0; j < b; ++j) {
      std::copy_n(t.begin() + (i * b + j) * rest, rest, out.begin() + (j * a + i) * rest);
    }
  }
  return out;
}

}  // namespace

Activation::Activation(const Call& call,
                       const std::string& name,
                       const Floats& alphas,
                       size_t& next_alpha,
                       const Floats& betas,
                       size_t& next_beta) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto* entry = std::find_if(std::begin(kActivations), std::end(kActivations),
                                   [&](const ActivationEntry& e) { return e.name == lower; });
  if (entry == std::end(kActivations)) {
    fail(ErrorCode::kInvalidModel, "{}: '{}' is not an activation function", call.op, name);
  }
  function_ = entry->function;
  // Parameters are listed for those functions alone that have them.
  if (entry->alpha)
    alpha_ = next_alpha < alphas.size() ? static_cast<double>(alphas[next_alpha++]) : *entry->alpha;
  if (entry->beta)
    beta_ = next_beta < betas.size() ? static_cast<double>(betas[next_beta++]) : *entry->beta;
}

std::vector<Value> run_recurrence(const Call& call, const RecurrentOperator& op, const Cell& cell) {
  const Tensor &x = call.tensor(0), &w = call.tensor(1), &rw = call.tensor(2);
  if (x.rank() != 3 || w.rank() != 3 || rw.rank() != 3) {
    fail(ErrorCode::kInvalidInput, "{}: X [{}], W [{}] and R [{}] must have rank 3", call.op,
         dims_to_string(x.dims()), dims_to_string(w.dims()), dims_to_string(rw.dims()));
  }
  const std::string direction = call.attributes.get_string("direction", "forward");
  const bool both = direction == "bidirectional", backwards = direction == "reverse";
  if (!both && !backwards && direction != "forward") {
    fail(ErrorCode::kInvalidModel, "{}: direction '{}' is none of forward, reverse, bidirectional",
         call.op, direction);
  }
  const int64_t directions = both ? 2 : 1;
  const bool batch_major = call.attributes.get_int("layout", 0) != 0;
  Recurrence r;
  r.gates = op.gates;
  r.steps = x.dim(batch_major ? 1 : 0), r.batch = x.dim(batch_major ? 0 : 1), r.inputs = x.dim(2);
  r.hidden = rw.dim(2);
  r.clip = call.attributes.get_float("clip", 0.0f);
  const int64_t width = r.gates * r.hidden;
  if (const int64_t stated = call.attributes.get_int("hidden_size", r.hidden); stated != r.hidden) {
    fail(ErrorCode::kInvalidModel, "{}: hidden_size is {}, but R has {}", call.op, stated,
         r.hidden);
  }
  const std::vector<double> ws = operand(call, 1, {directions, width, r.inputs}, "W");
  const std::vector<double> rs = operand(call, 2, {directions, width, r.hidden}, "R");
  const std::vector<double> biases = operand(call, 3, {directions, 2 * width}, "B");
  const std::vector<double> peepholes =
      op.cell_state ? operand(call, 7, {directions, 3 * r.hidden}, "P") : std::vector<double>{};
  const std::vector<int64_t> lengths = read_lengths(call, r);
  const Dims state_dims =
      batch_major ? Dims{r.batch, directions, r.hidden} : Dims{directions, r.batch, r.hidden};
  std::vector<double> state_h = operand(call, 5, state_dims, "initial_h");
  std::vector<double> state_c =
      op.cell_state ? operand(call, 6, state_dims, "initial_c") : std::vector<double>{};
  const auto state_size = static_cast<size_t>(directions * r.batch * r.hidden);
  for (std::vector<double>* state : {&state_h, &state_c}) {
    if (state->empty())
      state->assign(state_size, 0.0);
    else if (batch_major)
      *state = swap_leading(*state, r.batch, directions, r.hidden);
  }
  std::vector<double> xs = to_doubles(x);
  if (batch_major) xs = swap_leading(xs, r.batch, r.steps, r.inputs);

  const Strings& names = call.attributes.get_strings("activations");
  if (!names.empty() && names.size() != op.activations.size() * static_cast<size_t>(directions)) {
    fail(ErrorCode::kInvalidModel, "{}: {} activations given, {} needed", call.op, names.size(),
         op.activations.size() * static_cast<size_t>(directions));
  }
  size_t next_name = 0, next_alpha = 0, next_beta = 0;

  const Dims y_dims = batch_major ? Dims{r.batch, r.steps, directions, r.hidden}
                                  : Dims{r.steps, directions, r.batch, r.hidden};
  std::vector<double> y = work_buffer(call, x.dtype(), y_dims);
  // Checks the limit before it is allocated as well.
  std::vector<double> xw = work_buffer(call, DType::kFloat64, {r.steps, r.batch, width});
  for (int64_t d = 0; d < directions; ++d) {
    Direction one;
    one.r = swap_leading(std::vector<double>(rs.begin() + d * width * r.hidden,
                                             rs.begin() + (d + 1) * width * r.hidden),
                         width, r.hidden, 1);
    one.wb.assign(static_cast<size_t>(width), 0.0);
    one.rb.assign(static_cast<size_t>(width), 0.0);
    if (!biases.empty()) {
      one.wb.assign(biases.begin() + d * 2 * width, biases.begin() + (d * 2 + 1) * width);
      one.rb.assign(biases.begin() + (d * 2 + 1) * width, biases.begin() + (d * 2 + 2) * width);
    }
    if (!peepholes.empty()) {
      one.peephole.assign(peepholes.begin() + d * 3 * r.hidden,
                          peepholes.begin() + (d + 1) * 3 * r.hidden);
    }
    for (const std::string& fallback : op.activations) {
      one.activations.emplace_back(call, names.empty() ? fallback : names[next_name++],
                                   call.attributes.get_floats("activation_alpha"), next_alpha,
                                   call.attributes.get_floats("activation_beta"), next_beta);
    }
    // All inputs at once: [steps * batch, inputs] times W^T.
    std::fill(xw.begin(), xw.end(), 0.0);
    add_product(call, r.steps * r.batch, width, r.inputs, Matrix<double>{xs.data(), r.inputs, 1},
                Matrix<double>{ws.data() + d * width * r.inputs, 1, r.inputs}, xw.data(), width);

    const bool reverse = backwards || d == 1;
    const int64_t rows = r.batch * r.hidden;
    std::vector<double> h(state_h.begin() + d * rows, state_h.begin() + (d + 1) * rows);
    std::vector<double> c(op.cell_state ? std::vector<double>(state_c.begin() + d * rows,
                                                              state_c.begin() + (d + 1) * rows)
                                        : std::vector<double>{});
    std::vector<double> step(static_cast<size_t>(r.batch * width));
    for (int64_t s = 0; s < r.steps; ++s) {
      if (call.callbacks.poll) call.callbacks.poll();
      // Row b is at time s from its own start: a reversed sequence starts at its last element.
      const auto time = [&](int64_t b) {
        return reverse ? lengths[static_cast<size_t>(b)] - 1 - s : s;
      };
      const auto live = [&](int64_t b) { return s < lengths[static_cast<size_t>(b)]; };
      for (int64_t b = 0; b < r.batch; ++b) {
        const double* from = xw.data() + ((live(b) ? time(b) : 0) * r.batch + b) * width;
        std::copy_n(from, width, step.begin() + b * width);
      }
      const std::vector<double> old_h = h, old_c = c;
      cell(r, one, step.data(), h, c);
      for (int64_t b = 0; b < r.batch; ++b) {
        if (!live(b)) {  // past its end: the state stands still and Y stays 0
          std::copy_n(old_h.begin() + b * r.hidden, r.hidden, h.begin() + b * r.hidden);
          if (op.cell_state)
            std::copy_n(old_c.begin() + b * r.hidden, r.hidden, c.begin() + b * r.hidden);
          continue;
        }
        const int64_t row = batch_major ? (b * r.steps + time(b)) * directions + d
                                        : (time(b) * directions + d) * r.batch + b;
        std::copy_n(h.begin() + b * r.hidden, r.hidden, y.begin() + row * r.hidden);
      }
    }
    std::copy(h.begin(), h.end(), state_h.begin() + d * rows);
    if (op.cell_state) std::copy(c.begin(), c.end(), state_c.begin() + d * rows);
  }
  std::vector<Value> out = results(from_doubles(x.dtype(), y_dims, y));
  if (batch_major) {
    state_h = swap_leading(state_h, directions, r.batch, r.hidden);
    state_c = swap_leading(state_c, directions, r.batch, r.hidden);
  }
  if (call.outputs > 1) out.emplace_back(from_doubles(x.dtype(), state_dims, state_h));
  if (call.outputs > 2) out.emplace_back(from_doubles(x.dtype(), state_dims, state_c));
  return out;
}

}  // namespace planish::reference
