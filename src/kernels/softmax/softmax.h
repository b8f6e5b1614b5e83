// float32 Softmax and LogSoftmax along one axis of [outer, axis, inner].
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/variants.h"

namespace planish::kernels {

struct SoftmaxProblem {
  int64_t outer = 1, axis = 1, inner = 1;
  bool log = false;
};

struct SoftmaxArgs {
  SoftmaxProblem problem;
  const float* x = nullptr;
  float* y = nullptr;  // may be x
};

struct SoftmaxVariant {
  const char* name;
  Isa isa;
  const char* (*supports)(const SoftmaxProblem& problem);
  Status (*run)(const SoftmaxArgs* args, int worker, int workers);
};

std::span<const SoftmaxVariant> softmax_variants();
const SoftmaxVariant* find_softmax(std::string_view name);

}  // namespace planish::kernels
