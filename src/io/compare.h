// Do two values agree? One definition for `planish test`, `planish compare`, verification and
// tests.
#pragma once

#include <cstdint>
#include <string>

#include "base/value.h"

namespace planish::io {

// |a - b| <= atol + rtol * |b|, b being the expected value.
struct Tolerance {
  double rtol = 1e-3;
  // Either a number, or (by default) a fraction of the largest finite |b| of the tensor.
  double atol = 1e-5;
  bool atol_relative = true;
};

struct Comparison {
  bool equal = true;
  // One line for people, empty when equal: "element [0, 3]: 1.5 expected, got 2 (...)".
  std::string problem;
  // Where in a sequence or map the problem lies ("[2].values"); empty for a plain tensor.
  std::string where;
  double max_abs = 0;  // largest |a - b| over pairs of finite values
  double max_rel = 0;  // largest |a - b| / |b| over those with b != 0
  // Largest over the tensors of (largest |a - b|) / (largest finite |b|); floats only.
  double max_of_largest = 0;
  int64_t compared = 0;    // elements
  int64_t bad = 0;         // elements out of tolerance
  int64_t first_bad = -1;  // row-major index in its tensor
};

// Kinds, types, shapes, integers, booleans and strings must be the same. Floats (complex numbers
// part by part) are held to the tolerance; NaN agrees with NaN, an infinity with the same infinity.
// The figures cover all tensors of a sequence; `problem`, `where` and `first_bad` are of the first
// bad one. Never throws for values that differ.
Comparison compare_values(const Value& actual,
                          const Value& expected,
                          const Tolerance& tolerance = {});

}  // namespace planish::io
