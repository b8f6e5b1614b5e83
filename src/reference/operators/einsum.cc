// Einsum: operands are contracted two at a time, from the left. For a pair, labels are batch (in
// both and still needed), contracted (in both and done), or free; transposed to [batch, free,
// contracted] they are matrix products. Labels that only one operand has and nothing needs are
// summed first.
#include <algorithm>
#include <map>
#include <set>

#include "reference/einsum_equation.h"
#include "reference/product.h"
#include "reference/window.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

using Labels = std::vector<int>;

// A tensor whose axes carry distinct labels. Strides of 0 repeat (a dim of 1 against a longer one).
template <class T>
struct Operand {
  Labels labels;
  Dims dims, strides;
  std::vector<T> values;
};

bool has(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

template <class T>
Operand<T> make_operand(const Labels& labels,
                        const Dims& dims,
                        std::vector<T> values,
                        const std::map<int, int64_t>& sizes) {
  Operand<T> o;
  o.values = std::move(values);
  int64_t stride = 1;
  std::map<int, int64_t> steps;  // a repeated label walks a diagonal
  for (size_t i = labels.size(); i-- > 0;) {
    if (dims[i] != 1)
      steps[labels[i]] += stride;
    else
      steps[labels[i]] += 0;
    stride *= dims[i];
  }
  for (const auto& [label, step] : steps) {
    o.labels.push_back(label);
    o.dims.push_back(sizes.at(label));
    o.strides.push_back(step);
  }
  return o;
}

// Dense values with axes in the order of `wanted`, summed over all other labels.
template <class T>
std::vector<T> arrange(const Call& call, const Operand<T>& o, const Labels& wanted) {
  Dims dims, strides;
  for (const int label : wanted) {
    const auto i =
        static_cast<size_t>(std::find(o.labels.begin(), o.labels.end(), label) - o.labels.begin());
    dims.push_back(o.dims[i]), strides.push_back(o.strides[i]);
  }
  std::vector<T> out = work_buffer<T>(call, DType::kFloat64, dims);
  Dims summed, summed_strides;
  for (size_t i = 0; i < o.labels.size(); ++i) {
    if (!has(wanted, o.labels[i]))
      summed.push_back(o.dims[i]), summed_strides.push_back(o.strides[i]);
  }
  const int64_t repeat = element_count(summed);
  Dims at(dims.size(), 0);
  for (T& value : out) {
    int64_t base = 0;
    for (size_t i = 0; i < at.size(); ++i) base += at[i] * strides[i];
    Dims inner(summed.size(), 0);
    for (int64_t r = 0; r < repeat; ++r) {
      int64_t offset = base;
      for (size_t i = 0; i < inner.size(); ++i) offset += inner[i] * summed_strides[i];
      value += o.values[static_cast<size_t>(offset)];
      next_index(inner, summed);
    }
    next_index(at, dims);
  }
  return out;
}

template <class T>
Operand<T> contract(const Call& call,
                    const Operand<T>& a,
                    const Operand<T>& b,
                    const std::set<int>& needed,
                    const std::map<int, int64_t>& sizes) {
  Labels batch, inner, left, right;
  for (const int label : a.labels) {
    if (has(b.labels, label))
      (needed.contains(label) ? batch : inner).push_back(label);
    else if (needed.contains(label))
      left.push_back(label);
  }
  for (const int label : b.labels) {
    if (!has(a.labels, label) && needed.contains(label)) right.push_back(label);
  }
  const auto size = [&](const Labels& labels) {
    Dims dims;
    for (const int label : labels) dims.push_back(sizes.at(label));
    return element_count(dims);
  };
  const auto joined = [](std::initializer_list<Labels> parts) {
    Labels all;
    for (const Labels& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  };
  const std::vector<T> x = arrange(call, a, joined({batch, left, inner})),
                       y = arrange(call, b, joined({batch, inner, right}));
  const int64_t batches = size(batch), m = size(left), n = size(right), k = size(inner);
  const Labels labels = joined({batch, left, right});
  Dims dims;
  for (const int label : labels) dims.push_back(sizes.at(label));
  std::vector<T> z = work_buffer<T>(call, DType::kFloat64, dims);
  for (int64_t i = 0; i < batches; ++i) {
    if (call.callbacks.poll) call.callbacks.poll();
    add_product(call, m, n, k, Matrix<T>{x.data() + i * m * k, k, 1},
                Matrix<T>{y.data() + i * k * n, n, 1}, z.data() + i * m * n, n);
  }
  return make_operand(labels, dims, std::move(z), sizes);
}

template <class T>
std::vector<T> evaluate(const Call& call,
                        const EinsumEquation& equation,
                        std::vector<std::vector<T>> values,
                        const std::map<int, int64_t>& sizes) {
  Operand<T> result =
      make_operand(equation.terms[0], call.tensor(0).dims(), std::move(values[0]), sizes);
  for (size_t i = 1; i < values.size(); ++i) {
    std::set<int> needed(equation.result.begin(), equation.result.end());
    for (size_t later = i + 1; later < values.size(); ++later) {
      needed.insert(equation.terms[later].begin(), equation.terms[later].end());
    }
    result = contract(
        call, result,
        make_operand(equation.terms[i], call.tensor(i).dims(), std::move(values[i]), sizes), needed,
        sizes);
  }
  return arrange(call, result, equation.result);
}

std::vector<Value> eval_einsum(const Call& call) {
  std::vector<int64_t> ranks;
  for (size_t i = 0; i < call.inputs.size(); ++i) ranks.push_back(call.tensor(i).rank());
  if (ranks.empty()) fail(ErrorCode::kInvalidModel, "{} needs at least one input", call.op);
  const EinsumEquation equation = parse_einsum(call.attributes.get_string("equation"), ranks);
  std::map<int, int64_t> sizes;
  for (size_t i = 0; i < equation.terms.size(); ++i) {
    for (size_t axis = 0; axis < equation.terms[i].size(); ++axis) {
      const int64_t dim = call.tensor(i).dim(static_cast<int>(axis));
      const auto [it, fresh] = sizes.emplace(equation.terms[i][axis], dim);
      if (!fresh && it->second != dim && it->second != 1 && dim != 1) {
        fail(ErrorCode::kInvalidInput, "{}: one label has sizes {} and {}", call.op, it->second,
             dim);
      }
      if (it->second == 1) it->second = dim;
    }
  }
  Dims dims;
  for (const int label : equation.result) dims.push_back(sizes.at(label));
  const DType type = call.tensor(0).dtype();
  if (is_floating(type)) {
    std::vector<std::vector<double>> values;
    for (size_t i = 0; i < ranks.size(); ++i) values.push_back(to_doubles(call.tensor(i)));
    return results(
        from_doubles(type, dims, evaluate<double>(call, equation, std::move(values), sizes)));
  }
  std::vector<std::vector<uint64_t>> values;
  for (size_t i = 0; i < ranks.size(); ++i) {
    const std::vector<int64_t> ints = to_ints(call.tensor(i));
    values.emplace_back(ints.begin(), ints.end());
  }
  const std::vector<uint64_t> y = evaluate<uint64_t>(call, equation, std::move(values), sizes);
  return results(from_ints(type, dims, std::vector<int64_t>(y.begin(), y.end())));
}

}  // namespace

PLANISH_REFERENCE(einsum) { return {"", "Einsum", &eval_einsum}; }

}  // namespace planish::reference
