// For tests: evaluates one operator on literal inputs.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/elements.h"
#include "reference/reference.h"

namespace planish::reference {

// An absent input is an omitted one.
using Input = std::optional<Value>;

inline Attributes attributes(std::initializer_list<std::pair<const char*, Attribute>> list) {
  Attributes out;
  for (const auto& [name, value] : list) out.set(name, value);
  return out;
}

inline std::vector<Value> evaluate(std::string_view op,
                                   const std::vector<Input>& inputs,
                                   const Attributes& attrs = {},
                                   size_t outputs = 1) {
  const Operator* found = find("", op);
  if (found == nullptr) fail(ErrorCode::kUnsupported, "no reference for {}", op);
  std::vector<const Value*> pointers;
  for (const Input& input : inputs) pointers.push_back(input ? &*input : nullptr);
  const Callbacks callbacks;
  return found->eval(Call{"", op, attrs, pointers, outputs, callbacks});
}

inline Tensor evaluate_one(std::string_view op,
                           const std::vector<Input>& inputs,
                           const Attributes& attrs = {}) {
  return std::move(evaluate(op, inputs, attrs)[0].tensor());
}

// Message of the Error of this code that f throws.
template <class F>
std::string message_of(ErrorCode code, F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.message();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

inline Tensor strings(Dims dims, std::vector<std::string> values) {
  return Tensor::from_strings(std::move(dims), std::move(values));
}
inline Tensor ints(std::vector<int64_t> values) {
  return Tensor::of<int64_t>({static_cast<int64_t>(values.size())},
                             std::span<const int64_t>(values));
}
inline Tensor floats(std::vector<float> values) {
  return Tensor::of<float>({static_cast<int64_t>(values.size())}, std::span<const float>(values));
}

}  // namespace planish::reference
