#include "base/value.h"

#include "base/error.h"

namespace planish {
namespace {

std::string_view kind(const Value& v) {
  if (v.is_tensor()) return "a tensor";
  if (v.is_sequence()) return "a sequence";
  if (v.is_map()) return "a map";
  return "an empty optional";
}

template <class T>
auto& get(auto& value, std::string_view wanted) {
  auto* held = std::get_if<T>(&value.held);
  if (held == nullptr) fail(ErrorCode::kInvalidInput, "expected {}, got {}", wanted, kind(value));
  return *held;
}

}  // namespace

const Tensor& Value::tensor() const { return get<Tensor>(*this, "a tensor"); }
Tensor& Value::tensor() { return get<Tensor>(*this, "a tensor"); }
const Sequence& Value::sequence() const { return get<Sequence>(*this, "a sequence"); }
const MapValue& Value::map() const { return get<MapValue>(*this, "a map"); }

}  // namespace planish
