// The registry of reference operators, made from operators/operators.list, and the helpers of Call.
#include "reference/reference.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace planish::reference {

#define PLANISH_ENTRY(entry) Operator reference_##entry();
#include "reference/catalog.inc"
#undef PLANISH_ENTRY

namespace {

auto key(const Operator& op) { return std::tie(op.domain, op.name); }

// Sorted by (domain, name), made once.
const std::vector<Operator>& registry() {
  static const std::vector<Operator> operators = [] {
    std::vector<Operator> list;
#define PLANISH_ENTRY(entry) list.push_back(reference_##entry());
#include "reference/catalog.inc"
#undef PLANISH_ENTRY
    std::sort(list.begin(), list.end(),
              [](const Operator& a, const Operator& b) { return key(a) < key(b); });
    const auto twice =
        std::adjacent_find(list.begin(), list.end(),
                           [](const Operator& a, const Operator& b) { return key(a) == key(b); });
    if (twice != list.end()) {
      fail(ErrorCode::kInternal, "reference operator '{}' is listed twice", twice->name);
    }
    return list;
  }();
  return operators;
}

}  // namespace

const Operator* find(std::string_view domain, std::string_view name) {
  if (domain == "ai.onnx") domain = "";
  const std::vector<Operator>& list = registry();
  const auto wanted = std::tie(domain, name);
  const auto it =
      std::lower_bound(list.begin(), list.end(), wanted,
                       [](const Operator& op, const auto& want) { return key(op) < want; });
  return it != list.end() && key(*it) == wanted ? &*it : nullptr;
}

std::span<const Operator> all() { return registry(); }

const Tensor& Call::tensor(size_t input) const {
  if (!has(input))
    fail(ErrorCode::kInvalidModel, "{} needs its input {}, which is omitted", op, input);
  return inputs[input]->tensor();
}

Tensor Call::make(DType dtype, Dims dims) const {
  const int64_t count = element_count(dims);
  // A string costs its object at least; one element of any other type at most 16 bytes.
  const bool strings = dtype == DType::kString;
  const int64_t limit = callbacks.max_output_bytes;
  const bool too_many = strings ? count > limit / static_cast<int64_t>(sizeof(std::string))
                                : count > (int64_t{1} << 58) || byte_count(dtype, count) > limit;
  if (too_many) {
    fail(ErrorCode::kOutOfMemory,
         "{} would make a {} tensor of {}, more than the limit of {} bytes", op, to_string(dtype),
         dims_to_string(dims), limit);
  }
  return Tensor(dtype, std::move(dims));
}

void Call::parallel_for(int64_t count, const std::function<void(int64_t, int64_t)>& body) const {
  if (count <= 0) return;
  if (callbacks.parallel_for) {
    callbacks.parallel_for(count, body);
    return;
  }
  if (!callbacks.poll) {
    body(0, count);
    return;
  }
  // A few dozen chunks let a cancel through without costing anything.
  const int64_t chunk = std::max<int64_t>(1, count / 64);
  for (int64_t begin = 0; begin < count; begin += chunk) {
    callbacks.poll();
    body(begin, std::min(count, begin + chunk));
  }
}

}  // namespace planish::reference
