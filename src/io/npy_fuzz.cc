// Feeds any bytes to the readers of .npy and .npz. The first byte picks the type that the caller
// expects and the format. What is read must be written and read back the same.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "io/npy.h"

namespace {

void check_round_trip(const planish::Tensor& tensor) {
  std::string file;
  try {
    file = planish::io::serialize_npy(tensor);
  } catch (const planish::Error&) {
    return;  // texts that are not UTF-8 have no written form
  }
  const planish::Tensor back =
      planish::io::read_npy(std::as_bytes(std::span(file)), tensor.dtype());
  const bool same = back.dtype() == tensor.dtype() && back.dims() == tensor.dims() &&
                    back.strings() == tensor.strings() &&
                    (tensor.bytes() == 0 || std::memcmp(back.raw(), tensor.raw(),
                                                        static_cast<size_t>(tensor.bytes())) == 0);
  if (!same) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
  try {
    if (data[0] >= 0x80) {
      for (const auto& [name, tensor] : planish::io::read_npz(bytes)) check_round_trip(tensor);
    } else {
      const auto meant = static_cast<planish::DType>(data[0] % planish::kDTypeCount);
      check_round_trip(planish::io::read_npy(bytes, meant));
    }
  } catch (const planish::Error&) {
    return 0;  // refused, as it should be
  }
  return 0;
}
