// Opens the namespace of the instruction set that a translation unit is compiled for.
//
// Code shared by several instruction sets lies in `*-inl.h` files that hold everything in
//
//   HWY_BEFORE_NAMESPACE();
//   namespace planish::kernels::PLANISH_SIMD { namespace { ... } }
//   HWY_AFTER_NAMESPACE();
//
// and is included once by each file of the family's list. Highway's target is the one that the
// compiler flags allow (static dispatch); the dispatcher picks among the list at run time. Nothing
// in there may use templates or inline functions of the standard library: their copies are weak
// symbols that carry the instruction set out of its namespace.
#pragma once

#include "hwy/highway.h"
#include "kernels/kernel.h"

#if HWY_TARGET == HWY_AVX2
#define PLANISH_SIMD avx2
#define PLANISH_SIMD_ISA ::planish::kernels::Isa::kAvx2
#else
#define PLANISH_SIMD portable
#define PLANISH_SIMD_ISA ::planish::kernels::Isa::kPortable
#endif

namespace planish::kernels::PLANISH_SIMD {
namespace hn = hwy::HWY_NAMESPACE;
}
