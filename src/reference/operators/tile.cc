#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_tile(const Call& call) {
  const Tensor& x = call.tensor(0);
  const std::vector<int64_t> repeats = integers(call.tensor(1));
  if (repeats.size() != x.dims().size())
    fail(ErrorCode::kInvalidInput, "Tile: {} repeats for a tensor of rank {}", repeats.size(),
         x.rank());
  // Each axis becomes a pair: the repeat, which does not move, and the axis itself.
  const std::vector<int64_t> strides = row_major(x.dims());
  Dims dims, pairs;
  Walk from;
  for (size_t i = 0; i < repeats.size(); ++i) {
    if (repeats[i] < 0)
      fail(ErrorCode::kInvalidInput, "Tile: repeat {} of axis {} is negative", repeats[i], i);
    const int64_t both[] = {repeats[i], x.dims()[i]};
    dims.push_back(element_count(both));
    pairs.insert(pairs.end(), {repeats[i], x.dims()[i]});
    from.strides.insert(from.strides.end(), {0, strides[i]});
  }
  return single(take_walk(call, std::move(pairs), x, from).reshaped(std::move(dims)));
}

}  // namespace

PLANISH_REFERENCE(tile) { return {"", "Tile", &eval_tile}; }

}  // namespace planish::reference
