// Small helpers that most operator files share: work buffers in double, results without copies.
#pragma once

#include <cstdint>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "base/elements.h"
#include "base/error.h"
#include "reference/blocks.h"
#include "reference/reference.h"

namespace planish::reference {

// The values of a call, moved in (a braced list of Values would copy every element).
template <class... Results>
std::vector<Value> results(Results&&... list) {
  std::vector<Value> out;
  out.reserve(sizeof...(list));
  (out.emplace_back(std::forward<Results>(list)), ...);
  return out;
}

// Throws kOutOfMemory when such an output, held with `width` bytes an element, breaks the call's
// limit.
inline void check_output(const Call& call, DType dtype, const Dims& dims, int64_t width) {
  const int64_t count = element_count(dims);
  const int64_t limit = call.callbacks.max_output_bytes;
  if (count > limit / width || byte_count(dtype, count) > limit) {
    fail(ErrorCode::kOutOfMemory, "{} would make an output of {}, more than the limit of {} bytes",
         call.op, dims_to_string(dims), limit);
  }
}

// The element type that an integer attribute names; `fallback` when it is missing or 0.
inline DType type_attribute(const Call& call, std::string_view name, DType fallback) {
  const int64_t code = call.attributes.get_int(name, 0);
  if (code < 0 || code >= kDTypeCount) {
    fail(ErrorCode::kInvalidModel, "{}: {} {} is no element type", call.op, name, code);
  }
  return code == 0 ? fallback : static_cast<DType>(code);
}

// Zeroed work elements for an output of this type and shape; throws kOutOfMemory when the output
// itself would break the call's limit or memory does not suffice.
template <class T = double>
std::vector<T> work_buffer(const Call& call, DType dtype, const Dims& dims) {
  check_output(call, dtype, dims, sizeof(T));
  try {
    return std::vector<T>(static_cast<size_t>(element_count(dims)));
  } catch (const std::bad_alloc&) {
    fail(ErrorCode::kOutOfMemory, "{} has no memory for its output of {}", call.op,
         dims_to_string(dims));
  }
}

// Product of dims[begin..end).
inline int64_t span_size(const Dims& dims, int64_t begin, int64_t end) {
  int64_t n = 1;
  for (int64_t i = begin; i < end; ++i) n *= dims[static_cast<size_t>(i)];
  return n;
}

}  // namespace planish::reference
