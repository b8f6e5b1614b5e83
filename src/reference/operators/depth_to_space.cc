#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_depth_to_space(const Call& call) {
  const Tensor& x = call.tensor(0);
  const int64_t block = call.attributes.get_int("blocksize");
  const std::string mode = call.attributes.get_string("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    fail(ErrorCode::kInvalidModel, "DepthToSpace: mode is \"{}\"; DCR and CRD exist", mode);
  if (x.rank() != 4 || block <= 0 || block > (int64_t{1} << 30) || x.dim(1) % (block * block) != 0)
    fail(ErrorCode::kInvalidInput, "DepthToSpace: {} does not split into blocks of {}",
         dims_to_string(x.dims()), block);
  const int64_t channels = x.dim(1) / (block * block), height = x.dim(2), width = x.dim(3);
  // Result axes: N, C, H, block row, W, block column.
  const int64_t plane = height * width;
  const bool depth_first = mode == "DCR";
  const int64_t row = depth_first ? block * channels * plane : block * plane;
  const int64_t column = depth_first ? channels * plane : plane;
  const int64_t channel = depth_first ? plane : block * block * plane;
  const Walk from{0, {x.dim(1) * plane, channel, width, row, 1, column}};
  Dims dims{x.dim(0), channels, height * block, width * block};
  return single(take_walk(call, {x.dim(0), channels, height, block, width, block}, x, from)
                    .reshaped(std::move(dims)));
}

}  // namespace

PLANISH_REFERENCE(depth_to_space) { return {"", "DepthToSpace", &eval_depth_to_space}; }

}  // namespace planish::reference
