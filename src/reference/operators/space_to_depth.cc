#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_space_to_depth(const Call& call) {
  const Tensor& x = call.tensor(0);
  const int64_t block = call.attributes.get_int("blocksize");
  const std::string mode = call.attributes.get_string("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    fail(ErrorCode::kInvalidModel, "SpaceToDepth: mode is \"{}\"; DCR and CRD exist", mode);
  if (x.rank() != 4 || block <= 0 || block > (int64_t{1} << 30) || x.dim(2) % block != 0 ||
      x.dim(3) % block != 0)
    fail(ErrorCode::kInvalidInput, "SpaceToDepth: {} does not split into blocks of {}",
         dims_to_string(x.dims()), block);
  const int64_t channels = x.dim(1), height = x.dim(2) / block, width = x.dim(3) / block;
  const int64_t line = x.dim(3), plane = x.dim(2) * line;
  // Result axes: N, block row, block column, C, H, W; in CRD mode C stands before the blocks.
  Dims axes{x.dim(0), block, block, channels, height, width};
  Walk from{0, {channels * plane, line, 1, plane, line * block, block}};
  if (mode == "CRD") {
    axes = {x.dim(0), channels, block, block, height, width};
    from.strides = {channels * plane, plane, line, 1, line * block, block};
  }
  const int64_t depth[] = {channels, block, block};
  Dims dims{x.dim(0), element_count(depth), height, width};
  return single(take_walk(call, std::move(axes), x, from).reshaped(std::move(dims)));
}

}  // namespace

PLANISH_REFERENCE(space_to_depth) { return {"", "SpaceToDepth", &eval_space_to_depth}; }

}  // namespace planish::reference
