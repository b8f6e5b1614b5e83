// What If, Loop and Scan share.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/reference.h"

namespace planish::reference {

// The only element of a bool tensor; kInvalidInput when there is not exactly one.
bool one_bool(const Call& call, const Value& value, std::string_view what);

// Runs block `index`; kInvalidModel when it returns fewer than `count` values.
std::vector<Value> run_block(const Call& call,
                             size_t index,
                             std::vector<Value> arguments,
                             size_t count);

// Collects one scan output: equal tensors, one per iteration, stacked along `axis` of the result.
class Stack {
 public:
  Stack(size_t block_output, int64_t axis, bool reversed)
      : block_output_(block_output), axis_(axis), reversed_(reversed) {}
  // Adds the element of the next iteration; kData when its type or dims differ from the first
  // one's, kOutOfMemory past the call's limit.
  void add(const Call& call, Value element);
  Tensor finish(const Call& call) const;

 private:
  size_t block_output_;
  int64_t axis_;
  bool reversed_;
  std::vector<Tensor> elements_;
  int64_t bytes_ = 0;
};

}  // namespace planish::reference
