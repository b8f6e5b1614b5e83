// Multidirectional (NumPy) broadcasting: shapes align at the last axis, a dim of 1 or a missing one
// repeats. Broadcast finds the result shape and where each operand's elements lie.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "base/tensor.h"
#include "reference/blocks.h"
#include "reference/reference.h"

namespace planish::reference {

// kInvalidInput, naming the shapes, when they do not fit.
Dims broadcast_dims(const Call& call, std::span<const Dims* const> shapes);

class Broadcast {
 public:
  Broadcast(const Call& call, std::vector<const Tensor*> operands);

  const Dims& dims() const { return dims_; }
  int64_t size() const { return size_; }

  // Cuts result elements [begin, end) into runs in which every operand advances by its step() (0 or
  // 1): run(position, count, operand, first element of the operand).
  template <class Run>
  void runs(size_t operand, int64_t begin, int64_t end, Run&& run) const;

  // Elements [begin, begin + count) of the operand spread over the result shape.
  template <class T>
  void load_block(size_t operand, int64_t begin, int64_t count, T* out) const {
    runs(operand, begin, begin + count,
         [&](int64_t position, int64_t n, int64_t first, int64_t step) {
           load(*operands_[operand], first, step, n, out + (position - begin));
         });
  }

 private:
  std::vector<const Tensor*> operands_;
  Dims dims_;
  int64_t size_ = 0;
  // Per operand its own collapsed loop nest over the result, innermost axis last.
  struct Nest {
    std::vector<int64_t> extents, strides;
  };
  std::vector<Nest> nests_;
};

template <class Run>
void Broadcast::runs(size_t operand, int64_t begin, int64_t end, Run&& run) const {
  const Nest& nest = nests_[operand];
  const size_t rank = nest.extents.size();
  const int64_t inner = nest.extents[rank - 1];
  const int64_t step = nest.strides[rank - 1];
  while (begin < end) {
    int64_t rest = begin / inner;
    const int64_t column = begin % inner;
    int64_t first = column * step;
    for (size_t axis = rank - 1; axis-- > 0;) {
      first += rest % nest.extents[axis] * nest.strides[axis];
      rest /= nest.extents[axis];
    }
    const int64_t count = std::min(inner - column, end - begin);
    run(begin, count, first, step);
    begin += count;
  }
}

}  // namespace planish::reference
