#include "reference/quantized_conv.h"

#include "reference/work.h"

namespace planish::reference {

std::vector<double> less_channel_zero(const Call& call,
                                      const Tensor& operand,
                                      const Tensor* zero,
                                      bool per_channel) {
  std::vector<double> values = to_doubles(operand);
  if (!zero) return values;
  const int64_t channels = per_channel && zero->size() != 1 ? operand.dim(0) : 1;
  if (zero->dtype() != operand.dtype() || zero->size() != channels || zero->rank() > 1) {
    fail(ErrorCode::kInvalidInput, "{}: the zero point {} [{}] does not fit the operand {} [{}]",
         call.op, to_string(zero->dtype()), dims_to_string(zero->dims()),
         to_string(operand.dtype()), dims_to_string(operand.dims()));
  }
  const std::vector<double> zeros = to_doubles(*zero);
  const size_t run = channels == 0 ? 1 : values.size() / static_cast<size_t>(channels);
  for (size_t i = 0; i < values.size(); ++i) values[i] -= zeros[i / run];
  return values;
}

}  // namespace planish::reference
