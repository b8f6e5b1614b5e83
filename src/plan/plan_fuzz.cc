// The reader and verifier on arbitrary bytes, with and without checksums: nothing but Error may
// come out, and what is accepted can be written and read again.
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "plan/file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Views into the bytes need their alignment.
  std::vector<uint64_t> aligned(size / 8 + 1);
  std::memcpy(aligned.data(), data, size);
  const std::span bytes(reinterpret_cast<const std::byte*>(aligned.data()), size);
  for (const bool checksums : {true, false}) {
    try {
      const planish::plan::Plan plan = planish::plan::read(bytes, {.checksums = checksums});
      const auto again = planish::plan::serialize(plan);
      if (planish::plan::serialize(planish::plan::read(again)) != again) __builtin_trap();
    } catch (const planish::Error&) {
    }
  }
  return 0;
}
