#include "base/attribute.h"

#include <algorithm>

#include "base/error.h"

namespace planish {
namespace {

const auto kByName = [](const auto& entry, std::string_view name) { return entry.first < name; };

template <class T>
const T& expect(const Attribute& attribute, std::string_view name) {
  const T* held = std::get_if<T>(&attribute);
  if (held == nullptr) {
    fail(ErrorCode::kInvalidModel, "attribute '{}' must be of kind {}, not {}", name,
         kind_name(Attribute(T{})), kind_name(attribute));
  }
  return *held;
}

template <class T>
const T& required(const Attributes& attributes, std::string_view name) {
  const Attribute* found = attributes.find(name);
  if (found == nullptr) fail(ErrorCode::kInvalidModel, "attribute '{}' is missing", name);
  return expect<T>(*found, name);
}

template <class T>
const T& list(const Attributes& attributes, std::string_view name) {
  static const T kEmpty;
  const Attribute* found = attributes.find(name);
  return found == nullptr ? kEmpty : expect<T>(*found, name);
}

}  // namespace

std::string_view kind_name(const Attribute& attribute) {
  static constexpr std::string_view kNames[] = {"int",  "float",  "string",  "tensor", "type",
                                                "ints", "floats", "strings", "tensors"};
  static_assert(std::size(kNames) == std::variant_size_v<Attribute>);
  return kNames[attribute.index()];
}

const Attribute* Attributes::find(std::string_view name) const {
  const auto it = std::lower_bound(entries_.begin(), entries_.end(), name, kByName);
  return it != entries_.end() && it->first == name ? &it->second : nullptr;
}

void Attributes::set(std::string name, Attribute value) {
  const auto it =
      std::lower_bound(entries_.begin(), entries_.end(), std::string_view(name), kByName);
  if (it != entries_.end() && it->first == name) {
    it->second = std::move(value);
  } else {
    entries_.emplace(it, std::move(name), std::move(value));
  }
}

bool Attributes::erase(std::string_view name) {
  return std::erase_if(entries_, [&](const auto& entry) { return entry.first == name; }) > 0;
}

int64_t Attributes::get_int(std::string_view name) const { return required<int64_t>(*this, name); }
int64_t Attributes::get_int(std::string_view name, int64_t fallback) const {
  const Attribute* found = find(name);
  return found == nullptr ? fallback : expect<int64_t>(*found, name);
}
float Attributes::get_float(std::string_view name) const { return required<float>(*this, name); }
float Attributes::get_float(std::string_view name, float fallback) const {
  const Attribute* found = find(name);
  return found == nullptr ? fallback : expect<float>(*found, name);
}
const std::string& Attributes::get_string(std::string_view name) const {
  return required<std::string>(*this, name);
}
std::string Attributes::get_string(std::string_view name, std::string_view fallback) const {
  const Attribute* found = find(name);
  return found == nullptr ? std::string(fallback) : expect<std::string>(*found, name);
}
const Ints& Attributes::get_ints(std::string_view name) const { return list<Ints>(*this, name); }
const Floats& Attributes::get_floats(std::string_view name) const {
  return list<Floats>(*this, name);
}
const Strings& Attributes::get_strings(std::string_view name) const {
  return list<Strings>(*this, name);
}
const Tensor* Attributes::get_tensor(std::string_view name) const {
  const Attribute* found = find(name);
  return found == nullptr ? nullptr : &expect<Tensor>(*found, name);
}

}  // namespace planish
