// Distinct elements, or distinct slices along an axis: sorted by value (a slice element by
// element), or in the order of their first appearance. NaNs count as equal and come last.
#include <numeric>

#include "reference/elementwise.h"
#include "reference/movement.h"

namespace planish::reference {

namespace {

using Complex = std::pair<double, double>;

bool less(const Complex& a, const Complex& b) { return a < b; }
bool less(const std::string& a, const std::string& b) { return a < b; }
bool less(int64_t a, int64_t b) { return a < b; }
bool less(uint64_t a, uint64_t b) { return a < b; }
bool less(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

// The input seen as items (elements or slices); element e of item k is at first(k) + offsets[e].
struct Items {
  int64_t count = 0;
  int64_t stride = 1;
  std::vector<int64_t> offsets{0};
};

struct Groups {
  std::vector<int64_t> first;  // first item of each group
  std::vector<int64_t> of;     // group of each item
  std::vector<int64_t> size;
};

template <class T>
Groups group(const Items& items, const std::vector<T>& v, bool sorted) {
  const auto before = [&](int64_t a, int64_t b) {
    for (const int64_t offset : items.offsets) {
      const T& x = v[static_cast<size_t>(a * items.stride + offset)];
      const T& y = v[static_cast<size_t>(b * items.stride + offset)];
      if (less(x, y)) return true;
      if (less(y, x)) return false;
    }
    return false;
  };
  std::vector<int64_t> order(static_cast<size_t>(items.count));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), before);
  Groups g;
  g.of.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || before(order[i - 1], order[i])) {
      g.first.push_back(order[i]);
      g.size.push_back(0);
    }
    g.of[static_cast<size_t>(order[i])] = static_cast<int64_t>(g.first.size()) - 1;
    ++g.size.back();
  }
  if (sorted) return g;
  std::vector<int64_t> rank(g.first.size());  // groups by their first item
  std::iota(rank.begin(), rank.end(), int64_t{0});
  std::sort(rank.begin(), rank.end(), [&](int64_t a, int64_t b) {
    return g.first[static_cast<size_t>(a)] < g.first[static_cast<size_t>(b)];
  });
  Groups out;
  std::vector<int64_t> place(rank.size());
  for (size_t i = 0; i < rank.size(); ++i) {
    const auto old = static_cast<size_t>(rank[i]);
    place[old] = static_cast<int64_t>(i);
    out.first.push_back(g.first[old]);
    out.size.push_back(g.size[old]);
  }
  for (const int64_t old : g.of) out.of.push_back(place[static_cast<size_t>(old)]);
  return out;
}

Groups group_any(const Call& call, const Tensor& x, const Items& items, bool sorted) {
  if (x.dtype() == DType::kString) return group(items, x.strings(), sorted);
  if (is_complex(x.dtype())) {
    const DType part = bit_width(x.dtype()) == 64 ? DType::kFloat32 : DType::kFloat64;
    const std::vector<double> v = doubles(Tensor::borrow(part, {2 * x.size()}, x.raw()));
    std::vector<Complex> pairs;
    for (size_t i = 0; i < v.size(); i += 2) pairs.emplace_back(v[i], v[i + 1]);
    return group(items, pairs, sorted);
  }
  Groups out;
  with_number<kNumber>(call, x.dtype(), [&](auto zero) {
    std::vector<decltype(zero)> v(static_cast<size_t>(x.size()));
    load(x, 0, 1, x.size(), v.data());
    out = group(items, v, sorted);
    return std::vector<Value>{};
  });
  return out;
}

Tensor list(const std::vector<int64_t>& v) {
  return Tensor::of<int64_t>({static_cast<int64_t>(v.size())}, v);
}

std::vector<Value> eval_unique(const Call& call) {
  const Tensor& x = call.tensor(0);
  const bool sorted = call.attributes.get_int("sorted", 1) != 0;
  Items items;
  Dims dims;
  size_t axis = 0;
  int64_t outer = 1, inner = 1;
  if (call.attributes.has("axis")) {
    axis = static_cast<size_t>(normal_axis(call, call.attributes.get_int("axis"), x.rank()));
    dims = x.dims();
    inner = items.stride = row_major(dims)[axis];
    items.count = dims[axis];
    outer = element_count(std::span<const int64_t>(dims).first(axis));
    items.offsets.clear();
    if (x.size() > 0) {
      for (int64_t o = 0; o < outer; ++o) {
        for (int64_t i = 0; i < inner; ++i) items.offsets.push_back(o * items.count * inner + i);
      }
    } else if (items.count > 0) {
      fail(ErrorCode::kData, "Unique: the slices of {} have no elements", dims_to_string(x.dims()));
    }
  } else {
    items.count = x.size();
    dims = {0};
  }
  const Groups groups = group_any(call, x, items, sorted);
  const auto found = static_cast<int64_t>(groups.first.size());
  dims[axis] = found;
  Tensor y = call.make(x.dtype(), dims);
  for (int64_t o = 0; o < (x.size() > 0 ? outer : 0); ++o) {
    for (int64_t g = 0; g < found; ++g) {
      const int64_t from = groups.first[static_cast<size_t>(g)];
      copy_run(y, (o * found + g) * inner, x, (o * items.count + from) * inner, inner);
    }
  }
  std::vector<Value> out;
  out.emplace_back(std::move(y));
  if (call.outputs > 1) out.emplace_back(list(groups.first));
  if (call.outputs > 2) out.emplace_back(list(groups.of));
  if (call.outputs > 3) out.emplace_back(list(groups.size));
  return out;
}

}  // namespace

PLANISH_REFERENCE(unique) { return {"", "Unique", &eval_unique}; }

}  // namespace planish::reference
