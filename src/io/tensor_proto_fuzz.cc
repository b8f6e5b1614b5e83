// Feeds any bytes to the reader of .pb values; the first byte picks the kind of value. What is read
// must be written and read back equal.
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "io/compare.h"
#include "io/value_proto.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using planish::DType;
  using planish::Type;
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
  const Type tensor = Type::tensor(DType::kFloat32);
  const Type kinds[] = {tensor, Type::sequence(tensor), Type::optional(tensor),
                        Type::map(DType::kInt64, tensor)};
  const Type& type = kinds[data[0] % 4];
  try {
    const planish::Value value = planish::io::parse_value(bytes, type);
    std::string again;
    try {
      again = planish::io::serialize_value(value, type);
    } catch (const planish::Error&) {
      return 0;
    }
    const planish::Value back = planish::io::parse_value(std::as_bytes(std::span(again)), type);
    if (!planish::io::compare_values(back, value, {.rtol = 0, .atol = 0}).equal) std::abort();
  } catch (const planish::Error&) {
    return 0;  // refused, as it should be
  }
  return 0;
}
