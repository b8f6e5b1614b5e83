// float32 matrix product  C[b] = epilogue(A[b] B[b]),  A: m x k, B: k x n.
//
// Constant B is packed when the plan is built: panels of 16 columns, [ceil(n/16)][k][16], zero
// padded. All tactics read that form. Otherwise B is packed block by block into the worker's
// workspace. The sum over k runs from 0 up in one chain per element whatever the blocking, so that
// the bits of a result depend neither on the number of workers nor on m, n or batch.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/pointwise/pointwise.h"
#include "kernels/variants.h"

namespace planish::kernels {

inline constexpr int64_t kPanelColumns = 16;  // of packed B
inline constexpr int64_t kPanelRows = 6;      // of packed A

struct GemmProblem {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  bool packed_b = false;
};

// Strides count floats. Element (i, p) of A lies at a[a_offset + i * a_row + p * a_column].
struct GemmArgs {
  GemmProblem problem;
  const float* a = nullptr;
  int64_t a_row = 0, a_column = 1;
  const int64_t* a_offsets = nullptr;  // per batch; null: all 0
  const float* b = nullptr;  // packed, or element (p, j) at b[offset + p * b_row + j * b_column]
  int64_t b_row = 0, b_column = 1;
  const int64_t* b_offsets = nullptr;  // per batch; null: all 0 (always for packed B)
  float* c = nullptr;                  // row-major
  int64_t c_row = 0, c_batch = 0;
  float* workspace = nullptr;  // workers x workspace_floats, 64-byte aligned
  Epilogue epilogue;           // row, column and batch of C
};

struct GemmVariant {
  const char* name;
  Isa isa;
  // Null, or why not.
  const char* (*supports)(const GemmProblem& problem);
  // Floats of workspace per worker, a multiple of 16; at most kMaxGemmWorkspace.
  int64_t (*workspace_floats)(const GemmProblem& problem);
  Status (*run)(const GemmArgs* args, int worker, int workers);
};

inline constexpr int64_t kMaxGemmWorkspace = 144 * 384 + 256 * 384;

std::span<const GemmVariant> gemm_variants();
const GemmVariant* find_gemm(std::string_view name);

// Packing of a constant B (k x n at row and column strides) and back.
int64_t packed_b_floats(int64_t k, int64_t n);
void pack_b(int64_t k, int64_t n, const float* b, int64_t b_row, int64_t b_column, float* packed);
void unpack_b(int64_t k, int64_t n, const float* packed, float* b, int64_t b_row, int64_t b_column);

// The same for a constant A: panels of 6 rows, [ceil(m/6)][k][6]. Used by convolutions.
int64_t packed_a_floats(int64_t m, int64_t k);
void pack_a(int64_t m, int64_t k, const float* a, int64_t a_row, int64_t a_column, float* packed);
void unpack_a(int64_t m, int64_t k, const float* packed, float* a, int64_t a_row, int64_t a_column);

}  // namespace planish::kernels
