#include "base/value.h"

#include <cstring>

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

Value owned(Value value) {
  const auto own = [](Tensor& t) {
    if (t.owns() || t.dtype() == DType::kString) return;
    Tensor copy(t.dtype(), t.dims());
    if (t.bytes() > 0) std::memcpy(copy.mutable_raw(), t.raw(), static_cast<size_t>(t.bytes()));
    t = std::move(copy);
  };
  if (auto* tensor = std::get_if<Tensor>(&value.held)) own(*tensor);
  if (auto* sequence = std::get_if<Sequence>(&value.held)) {
    for (Value& item : *sequence) item = owned(std::move(item));
  }
  if (auto* map = std::get_if<MapValue>(&value.held)) {
    own(map->keys);
    own(map->values);
  }
  return value;
}

}  // namespace planish
