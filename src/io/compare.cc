#include "io/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/elements.h"

namespace planish::io {
namespace {

// "[0, 3]" of a row-major index.
std::string position(int64_t index, const Dims& dims) {
  std::string text;
  for (size_t i = dims.size(); i-- > 0;) {
    text = fmt::format("{}{}{}", index % dims[i], text.empty() ? "" : ", ", text);
    index /= dims[i];
  }
  return "[" + text + "]";
}

class Comparer {
 public:
  explicit Comparer(const Tolerance& tolerance) : tolerance_(tolerance) {}

  void values(const Value& a, const Value& b, const std::string& where) {
    if (a.held.index() != b.held.index()) {
      problem(where, fmt::format("{} expected, got {}", kind(b), kind(a)));
    } else if (b.is_tensor()) {
      tensors(a.tensor(), b.tensor(), where);
    } else if (b.is_map()) {
      tensors(a.map().keys, b.map().keys, where + ".keys");
      tensors(a.map().values, b.map().values, where + ".values");
    } else if (b.is_sequence()) {
      const Sequence &x = a.sequence(), &y = b.sequence();
      if (x.size() != y.size()) {
        problem(where, fmt::format("a sequence of {} expected, got one of {}", y.size(), x.size()));
      }
      for (size_t i = 0; i < std::min(x.size(), y.size()); ++i)
        values(x[i], y[i], fmt::format("{}[{}]", where, i));
    }
  }

  Comparison result;

 private:
  static const char* kind(const Value& v) {
    return v.is_tensor()     ? "a tensor"
           : v.is_sequence() ? "a sequence"
           : v.is_map()      ? "a map"
                             : "an empty optional";
  }

  void problem(const std::string& where, std::string text) {
    if (!result.equal) return;
    result.equal = false;
    result.problem = where.empty() ? std::move(text) : where + ": " + text;
    result.where = where;
  }

  void bad(int64_t index, const Dims& dims, const std::string& where, const std::string& text) {
    ++result.bad;
    if (!result.equal) return;
    result.first_bad = index;
    problem(where, fmt::format("element {}: {}", position(index, dims), text));
  }

  void tensors(const Tensor& a, const Tensor& b, const std::string& where) {
    if (a.dtype() != b.dtype()) {
      problem(where,
              fmt::format("type {} expected, got {}", to_string(b.dtype()), to_string(a.dtype())));
      return;
    }
    if (a.dims() != b.dims()) {
      problem(where, fmt::format("shape {} expected, got {}", dims_to_string(b.dims()),
                                 dims_to_string(a.dims())));
      return;
    }
    result.compared += b.size();
    if (b.dtype() == DType::kString) {
      for (size_t i = 0; i < b.strings().size(); ++i) {
        if (a.strings()[i] != b.strings()[i]) {
          bad(static_cast<int64_t>(i), b.dims(), where,
              fmt::format(R"("{}" expected, got "{}")", b.strings()[i], a.strings()[i]));
        }
      }
    } else if (is_complex(b.dtype())) {
      // Pairs of floats: one more dim of 2.
      const DType part = b.dtype() == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
      Dims dims = b.dims();
      dims.push_back(2);
      floats(Tensor::borrow(part, dims, a.raw()), Tensor::borrow(part, dims, b.raw()), where);
    } else if (is_floating(b.dtype())) {
      floats(a, b, where);
    } else {
      integers(a, b, where);
    }
  }

  void integers(const Tensor& a, const Tensor& b, const std::string& where) {
    // Equal bytes are equal values (the padding bits of packed types apart).
    if (b.bytes() == 0 || std::memcmp(a.raw(), b.raw(), static_cast<size_t>(b.bytes())) == 0)
      return;
    const std::vector<int64_t> x = to_ints(a), y = to_ints(b);
    for (size_t i = 0; i < y.size(); ++i) {
      if (x[i] == y[i]) continue;
      const double difference = std::fabs(static_cast<double>(x[i]) - static_cast<double>(y[i]));
      result.max_abs = std::max(result.max_abs, difference);
      if (y[i] != 0)
        result.max_rel =
            std::max(result.max_rel, difference / std::fabs(static_cast<double>(y[i])));
      bad(static_cast<int64_t>(i), b.dims(), where, fmt::format("{} expected, got {}", y[i], x[i]));
    }
  }

  void floats(const Tensor& a, const Tensor& b, const std::string& where) {
    const std::vector<double> x = to_doubles(a), y = to_doubles(b);
    double largest = 0, worst = 0;
    for (const double v : y) {
      if (std::isfinite(v)) largest = std::max(largest, std::fabs(v));
    }
    const double atol = tolerance_.atol * (tolerance_.atol_relative ? largest : 1);
    for (size_t i = 0; i < y.size(); ++i) {
      if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
      const auto index = static_cast<int64_t>(i);
      if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
        bad(index, b.dims(), where, fmt::format("{} expected, got {}", y[i], x[i]));
        continue;
      }
      const double difference = std::fabs(x[i] - y[i]);
      const double allowed = atol + tolerance_.rtol * std::fabs(y[i]);
      worst = std::max(worst, difference);
      if (y[i] != 0) result.max_rel = std::max(result.max_rel, difference / std::fabs(y[i]));
      if (!(difference <= allowed)) {
        bad(index, b.dims(), where,
            fmt::format("{:.9g} expected, got {:.9g} (off by {:.3g}, {:.3g} allowed)", y[i], x[i],
                        difference, allowed));
      }
    }
    result.max_abs = std::max(result.max_abs, worst);
    if (worst > 0) result.max_of_largest = std::max(result.max_of_largest, worst / largest);
  }

  Tolerance tolerance_;
};

}  // namespace

Comparison compare_values(const Value& actual, const Value& expected, const Tolerance& tolerance) {
  Comparer comparer(tolerance);
  comparer.values(actual, expected, "");
  return std::move(comparer.result);
}

}  // namespace planish::io
