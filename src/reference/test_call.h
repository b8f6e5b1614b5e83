// Calls of single operators, for the tests of this folder.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/elements.h"
#include "reference/reference.h"

namespace planish::reference {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

inline Tensor floats(Dims dims, std::vector<float> values) {
  return Tensor::of<float>(std::move(dims), std::span<const float>(values));
}
inline Tensor ints(Dims dims, std::vector<int64_t> values) {
  return Tensor::of<int64_t>(std::move(dims), std::span<const int64_t>(values));
}
inline Attributes attributes(std::vector<std::pair<std::string, Attribute>> list) {
  Attributes out;
  for (auto& [name, value] : list) out.set(name, std::move(value));
  return out;
}

// An empty Value stands for an omitted input.
inline std::vector<Value> evaluate(std::string_view op,
                                   const std::vector<Value>& inputs,
                                   const Attributes& attributes = {},
                                   size_t outputs = 1,
                                   std::string_view domain = "",
                                   const Callbacks& callbacks = {}) {
  const Operator* found = find(domain, op);
  if (found == nullptr) {
    ADD_FAILURE() << "no operator " << op;
    return std::vector<Value>(outputs);
  }
  std::vector<const Value*> pointers;
  for (const Value& value : inputs) pointers.push_back(value.empty() ? nullptr : &value);
  return found->eval({domain, op, attributes, pointers, outputs, callbacks});
}

inline std::vector<double> numbers(const Value& value) { return to_doubles(value.tensor()); }

// The message of the Error that the call throws, empty when it throws none.
template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.message();
  }
  return {};
}

}  // namespace planish::reference
