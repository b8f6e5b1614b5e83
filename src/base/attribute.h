// Operator attributes: a small map from name to a typed constant. Subgraphs are not attributes in
// Planish; they are blocks of an ir::Node.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/tensor.h"
#include "base/type.h"

namespace planish {

using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;
using Strings = std::vector<std::string>;
using Tensors = std::vector<Tensor>;

using Attribute =
    std::variant<int64_t, float, std::string, Tensor, Type, Ints, Floats, Strings, Tensors>;

// "int", "float", "string", "tensor", "type", "ints", "floats", "strings", "tensors".
std::string_view kind_name(const Attribute& attribute);

class Attributes {
 public:
  bool has(std::string_view name) const { return find(name) != nullptr; }
  const Attribute* find(std::string_view name) const;
  void set(std::string name, Attribute value);
  bool erase(std::string_view name);

  // Throw kInvalidModel, naming the attribute and both kinds, when it is of another kind;
  // without a fallback also when it is missing.
  int64_t get_int(std::string_view name) const;
  int64_t get_int(std::string_view name, int64_t fallback) const;
  float get_float(std::string_view name) const;
  float get_float(std::string_view name, float fallback) const;
  const std::string& get_string(std::string_view name) const;
  std::string get_string(std::string_view name, std::string_view fallback) const;
  // The list, or an empty one when missing.
  const Ints& get_ints(std::string_view name) const;
  const Floats& get_floats(std::string_view name) const;
  const Strings& get_strings(std::string_view name) const;
  const Tensor* get_tensor(std::string_view name) const;  // null when missing

  auto begin() const { return entries_.begin(); }  // pair<string, Attribute>, sorted by name
  auto end() const { return entries_.end(); }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

 private:
  std::vector<std::pair<std::string, Attribute>> entries_;
};

}  // namespace planish
