#include "kernels/pointwise/convert.h"

#include <cstring>
#include <limits>
#include <type_traits>

namespace planish::kernels {
namespace {

template <class To, class From>
To convert(From v) {
  if constexpr (std::is_same_v<To, bool>) {
    return v != From{};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    using Wide = std::conditional_t<sizeof(To) == 8, int64_t, int32_t>;
    constexpr From kEdge = sizeof(To) == 8 ? 9223372036854775808.0f : 2147483648.0f;  // 2^63, 2^31
    return static_cast<To>(v >= -kEdge && v < kEdge ? static_cast<Wide>(v)
                                                    : std::numeric_limits<Wide>::min());
  } else {
    return static_cast<To>(v);
  }
}

template <class From, class To>
void run(const CastArgs& args, int64_t begin, int64_t end) {
  const auto* x = static_cast<const From*>(args.x);
  auto* y = static_cast<To*>(args.y);
  for (int64_t i = begin; i < end; ++i) {
    if constexpr (std::is_same_v<From, bool>) {
      // A stored bool may be any byte when it comes from outside.
      uint8_t byte;
      std::memcpy(&byte, x + i, 1);
      y[i] = convert<To>(static_cast<uint8_t>(byte != 0));
    } else {
      y[i] = convert<To>(x[i]);
    }
  }
}

template <class From>
void run_from(const CastArgs& args, int64_t begin, int64_t end) {
  switch (args.to) {
    case DType::kFloat32:
      return run<From, float>(args, begin, end);
    case DType::kInt32:
      return run<From, int32_t>(args, begin, end);
    case DType::kInt64:
      return run<From, int64_t>(args, begin, end);
    case DType::kUint8:
      return run<From, uint8_t>(args, begin, end);
    case DType::kInt8:
      return run<From, int8_t>(args, begin, end);
    case DType::kBool:
      return run<From, bool>(args, begin, end);
    default:
      return;
  }
}

bool known(DType type) {
  return type == DType::kFloat32 || type == DType::kInt32 || type == DType::kInt64 ||
         type == DType::kUint8 || type == DType::kInt8 || type == DType::kBool;
}

}  // namespace

bool cast_supported(DType from, DType to) { return known(from) && known(to); }

Status cast(const CastArgs* args, int worker, int workers) {
  const auto [begin, end] = share(args->count, 64, worker, workers);
  switch (args->from) {
    case DType::kFloat32:
      run_from<float>(*args, begin, end);
      break;
    case DType::kInt32:
      run_from<int32_t>(*args, begin, end);
      break;
    case DType::kInt64:
      run_from<int64_t>(*args, begin, end);
      break;
    case DType::kUint8:
      run_from<uint8_t>(*args, begin, end);
      break;
    case DType::kInt8:
      run_from<int8_t>(*args, begin, end);
      break;
    case DType::kBool:
      run_from<bool>(*args, begin, end);
      break;
    default:
      break;
  }
  return Status::kOk;
}

}  // namespace planish::kernels
