// ai.onnx.ml LabelEncoder: a table from keys to values, with a default for keys it lacks. A NaN key
// matches NaN.
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "reference/movement.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

// The list given as `prefix`_tensor, _strings, _int64s or _floats.
Tensor read_label_list(const Call& call, const std::string& prefix) {
  const Attributes& a = call.attributes;
  if (const Tensor* t = a.get_tensor(prefix + "_tensor")) return t->aligned();
  const Strings& strings = a.get_strings(prefix + "_strings");
  if (!strings.empty())
    return Tensor::from_strings({static_cast<int64_t>(strings.size())}, strings);
  const Ints& ints = a.get_ints(prefix + "_int64s");
  if (!ints.empty())
    return Tensor::of<int64_t>({static_cast<int64_t>(ints.size())}, std::span<const int64_t>(ints));
  const Floats& floats = a.get_floats(prefix + "_floats");
  return Tensor::of<float>({static_cast<int64_t>(floats.size())}, std::span<const float>(floats));
}

Tensor read_default(const Call& call, DType dtype) {
  const Attributes& a = call.attributes;
  if (const Tensor* t = a.get_tensor("default_tensor")) return t->aligned();
  switch (dtype) {
    case DType::kString:
      return Tensor::from_strings({1}, {a.get_string("default_string", "_Unused")});
    case DType::kInt64:
      return Tensor::of<int64_t>({1}, {a.get_int("default_int64", -1)});
    case DType::kFloat32:
      return Tensor::of<float>({1}, {a.get_float("default_float", -0.0f)});
    // The schema names no default for these: as for their wider kin.
    default:
      return from_doubles(dtype, {1}, std::vector<double>{is_integer(dtype) ? -1.0 : -0.0});
  }
}

std::vector<Value> eval_label_encoder(const Call& call) {
  const Tensor& x = call.tensor(0);
  const Tensor keys = read_label_list(call, "keys"), values = read_label_list(call, "values");
  const Tensor fallback = read_default(call, values.dtype());
  if (keys.size() != values.size() || fallback.size() != 1 || fallback.dtype() != values.dtype()) {
    fail(ErrorCode::kInvalidModel,
         "{}: {} keys, {} values, default of type {} for values of type {}", call.op, keys.size(),
         values.size(), to_string(fallback.dtype()), to_string(values.dtype()));
  }
  if (keys.size() > 0 && keys.dtype() != x.dtype()) {
    fail(ErrorCode::kInvalidInput, "{}: keys are {}, the input is {}", call.op,
         to_string(keys.dtype()), to_string(x.dtype()));
  }
  Tensor y = call.make(values.dtype(), x.dims());
  // find(i): position among the keys of element i, or nothing. Of equal keys the first one counts.
  const auto fill_from = [&](auto find) {
    for (int64_t i = 0; i < x.size(); ++i) {
      const std::optional<int64_t> at = find(i);
      copy_run(y, i, at ? values : fallback, at.value_or(0), 1);
    }
  };
  if (x.dtype() == DType::kString) {
    std::unordered_map<std::string, int64_t> table;
    for (int64_t k = 0; k < keys.size(); ++k)
      table.emplace(keys.strings()[static_cast<size_t>(k)], k);
    fill_from([&](int64_t i) -> std::optional<int64_t> {
      const auto it = table.find(x.strings()[static_cast<size_t>(i)]);
      return it == table.end() ? std::nullopt : std::optional(it->second);
    });
  } else if (is_integer(x.dtype())) {
    std::unordered_map<int64_t, int64_t> table;
    for (int64_t k = 0; k < keys.size(); ++k) table.emplace(load_int(keys, k), k);
    fill_from([&](int64_t i) -> std::optional<int64_t> {
      const auto it = table.find(load_int(x, i));
      return it == table.end() ? std::nullopt : std::optional(it->second);
    });
  } else {
    std::map<double, int64_t> table;
    std::optional<int64_t> nan;
    for (int64_t k = keys.size(); k-- > 0;) {
      const double key = load_double(keys, k);
      if (std::isnan(key))
        nan = k;
      else
        table[key] = k;
    }
    fill_from([&](int64_t i) -> std::optional<int64_t> {
      const double key = load_double(x, i);
      if (std::isnan(key)) return nan;
      const auto it = table.find(key);
      return it == table.end() ? std::nullopt : std::optional(it->second);
    });
  }
  return results(std::move(y));
}

}  // namespace

PLANISH_REFERENCE(label_encoder) { return {"ai.onnx.ml", "LabelEncoder", &eval_label_encoder}; }

}  // namespace planish::reference
