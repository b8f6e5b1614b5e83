// Where the index tensors of GatherElements, ScatterElements, GatherND and ScatterND point.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/elementwise.h"
#include "reference/movement.h"
#include "reference/reference.h"

namespace planish::reference {

// One index per element of `where`: it replaces the coordinate of that element along `axis`.
// kInvalidInput when the shapes do not fit, kData when an index is outside.
class ElementIndex {
 public:
  ElementIndex(const Call& call, const Tensor& data, const Tensor& where, size_t axis);

  // f(element of `where`, element of data), in order.
  template <class F>
  void each(F&& f) const {
    for (size_t i = 0; i < elements_.size(); ++i) f(static_cast<int64_t>(i), elements_[i]);
  }

 private:
  std::vector<int64_t> elements_;
};

// Tuples of coordinates: the last axis of `where` holds coordinates of data's axes from
// `batch_dims` on; each tuple names a run of the axes that are left.
class TupleIndex {
 public:
  TupleIndex(const Call& call, const Tensor& data, const Tensor& where, int64_t batch_dims);

  const Dims& dims() const { return dims_; }  // where's without the last axis, then the run's
  int64_t run() const { return run_; }        // elements in a run

  // f(tuple number, first element of its run in data), in order.
  template <class F>
  void each(F&& f) const {
    for (size_t i = 0; i < firsts_.size(); ++i) f(static_cast<int64_t>(i), firsts_[i]);
  }

 private:
  Dims dims_;
  int64_t run_ = 1;
  std::vector<int64_t> firsts_;
};

// What Scatter* do with an element that is there already: attribute `reduction`.
enum class Combine : uint8_t { kReplace, kAdd, kMul, kMin, kMax };
Combine combine_of(const Call& call);

// target[to + i] = combine(target[to + i], source[from + i]); kReplace works on every dtype, the
// others on numbers. Each step is rounded to the dtype unless the caller keeps its totals as
// doubles.
void combine_run(const Call& call,
                 Combine combine,
                 Tensor& target,
                 int64_t to,
                 const Tensor& source,
                 int64_t from,
                 int64_t count);

}  // namespace planish::reference
