#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_gather(const Call& call) {
  const Tensor& x = call.tensor(0);
  const Tensor& where = call.tensor(1);
  const auto at =
      static_cast<size_t>(normal_axis(call, call.attributes.get_int("axis", 0), x.rank()));
  const std::span<const int64_t> dims = x.dims();
  const int64_t bound = dims[at];
  const int64_t outer = element_count(dims.first(at));
  const int64_t inner = element_count(dims.subspan(at + 1));
  std::vector<int64_t> index = integers(where);
  for (int64_t& i : index) i = normal_index(call, i, bound);
  Dims shape(dims.begin(), dims.begin() + static_cast<int64_t>(at));
  shape.insert(shape.end(), where.dims().begin(), where.dims().end());
  shape.insert(shape.end(), dims.begin() + static_cast<int64_t>(at) + 1, dims.end());
  Tensor out = call.make(x.dtype(), std::move(shape));
  if (out.size() == 0) return single(std::move(out));  // outer may be huge all the same
  int64_t to = 0;
  for (int64_t o = 0; o < outer; ++o) {
    for (const int64_t i : index) {
      copy_run(out, to, x, (o * bound + i) * inner, inner);
      to += inner;
    }
  }
  return single(std::move(out));
}

}  // namespace

PLANISH_REFERENCE(gather) { return {"", "Gather", &eval_gather}; }

}  // namespace planish::reference
