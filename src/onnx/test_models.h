// Small models for tests, written field by field with protozero and nothing of the code under test.
#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <protozero/pbf_writer.hpp>

namespace planish::onnx::testing {

using Writer = protozero::pbf_writer;
using Names = std::vector<std::string>;
using Parts = std::vector<std::string>;

inline std::string message(const std::function<void(Writer&)>& fill) {
  std::string out;
  Writer w(out);
  fill(w);
  return out;
}

// --- attributes

inline std::string attribute(const std::string& name,
                             int type,
                             const std::function<void(Writer&)>& value) {
  return message([&](Writer& w) {
    w.add_string(1, name);
    value(w);
    w.add_int64(20, type);
  });
}
inline std::string attr_int(const std::string& name, int64_t v) {
  return attribute(name, 2, [&](Writer& w) { w.add_int64(3, v); });
}
inline std::string attr_float(const std::string& name, float v) {
  return attribute(name, 1, [&](Writer& w) { w.add_float(2, v); });
}
inline std::string attr_string(const std::string& name, const std::string& v) {
  return attribute(name, 3, [&](Writer& w) { w.add_bytes(4, v); });
}
inline std::string attr_ints(const std::string& name, const std::vector<int64_t>& v) {
  return attribute(name, 7, [&](Writer& w) {
    for (const int64_t i : v) w.add_int64(8, i);
  });
}
inline std::string attr_floats(const std::string& name, const std::vector<float>& v) {
  return attribute(name, 6, [&](Writer& w) {
    for (const float f : v) w.add_float(7, f);
  });
}
inline std::string attr_strings(const std::string& name, const Names& v) {
  return attribute(name, 8, [&](Writer& w) {
    for (const auto& s : v) w.add_bytes(9, s);
  });
}
inline std::string attr_tensor(const std::string& name, const std::string& tensor) {
  return attribute(name, 4, [&](Writer& w) { w.add_message(5, tensor); });
}
inline std::string attr_graph(const std::string& name, const std::string& graph) {
  return attribute(name, 5, [&](Writer& w) { w.add_message(6, graph); });
}
inline std::string attr_sparse(const std::string& name, const std::string& sparse) {
  return attribute(name, 11, [&](Writer& w) { w.add_message(22, sparse); });
}
inline std::string attr_ref(const std::string& name, int type, const std::string& parameter) {
  return attribute(name, type, [&](Writer& w) { w.add_string(21, parameter); });
}

// --- nodes

struct Extra {
  std::string name = {}, domain = {}, overload = {};
};
inline std::string node(const std::string& op,
                        const Names& inputs,
                        const Names& outputs,
                        const Parts& attributes = {},
                        const Extra& extra = {}) {
  return message([&](Writer& w) {
    for (const auto& i : inputs) w.add_string(1, i);
    for (const auto& o : outputs) w.add_string(2, o);
    if (!extra.name.empty()) w.add_string(3, extra.name);
    w.add_string(4, op);
    for (const auto& a : attributes) w.add_message(5, a);
    if (!extra.domain.empty()) w.add_string(7, extra.domain);
    if (!extra.overload.empty()) w.add_string(8, extra.overload);
  });
}

// --- tensors and types

constexpr int kF32 = 1, kI64 = 7, kStr = 8, kBoolean = 9;

inline std::string raw_tensor(const std::string& name,
                              int dtype,
                              const std::vector<int64_t>& dims,
                              const std::string& raw) {
  return message([&](Writer& w) {
    for (const int64_t d : dims) w.add_int64(1, d);
    w.add_int32(2, dtype);
    if (!name.empty()) w.add_string(8, name);
    w.add_bytes(9, raw);
  });
}
template <class T>
std::string tensor(const std::string& name,
                   int dtype,
                   const std::vector<int64_t>& dims,
                   const std::vector<T>& v) {
  std::string raw(v.size() * sizeof(T), '\0');
  if (!v.empty()) std::memcpy(raw.data(), v.data(), raw.size());
  return raw_tensor(name, dtype, dims, raw);
}
inline std::string floats(const std::string& name,
                          const std::vector<int64_t>& dims,
                          const std::vector<float>& v) {
  return tensor<float>(name, kF32, dims, v);
}
inline std::string int64s(const std::string& name,
                          const std::vector<int64_t>& dims,
                          const std::vector<int64_t>& v) {
  return tensor<int64_t>(name, kI64, dims, v);
}
inline std::string external(const std::string& name,
                            const std::vector<int64_t>& dims,
                            const std::vector<std::pair<std::string, std::string>>& entries) {
  return message([&](Writer& w) {
    for (const int64_t d : dims) w.add_int64(1, d);
    w.add_int32(2, kF32);
    w.add_string(8, name);
    for (const auto& [key, value] : entries) {
      w.add_message(13, message([&](Writer& e) {
                      e.add_string(1, key);
                      e.add_string(2, value);
                    }));
    }
    w.add_int32(14, 1);
  });
}
inline std::string sparse(const std::string& values,
                          const std::string& indices,
                          const std::vector<int64_t>& dims) {
  return message([&](Writer& w) {
    w.add_message(1, values);
    w.add_message(2, indices);
    for (const int64_t d : dims) w.add_int64(3, d);
  });
}

using Dim = std::variant<int64_t, std::string>;  // "" is an open dim without a name
inline std::string tensor_type(int dtype, const std::vector<Dim>& dims) {
  return message([&](Writer& w) {
    w.add_message(1, message([&](Writer& t) {
                    t.add_int32(1, dtype);
                    t.add_message(2, message([&](Writer& s) {
                                    for (const Dim& d : dims) {
                                      s.add_message(
                                          1, message([&](Writer& x) {
                                            if (const auto* number = std::get_if<int64_t>(&d)) {
                                              x.add_int64(1, *number);
                                            } else if (!std::get<std::string>(d).empty()) {
                                              x.add_string(2, std::get<std::string>(d));
                                            }
                                          }));
                                    }
                                  }));
                  }));
  });
}
inline std::string value(const std::string& name, const std::string& type) {
  return message([&](Writer& w) {
    w.add_string(1, name);
    if (!type.empty()) w.add_message(2, type);
  });
}
inline std::string f32(const std::string& name, const std::vector<Dim>& dims) {
  return value(name, tensor_type(kF32, dims));
}
inline std::string boolean(const std::string& name) {
  return value(name, tensor_type(kBoolean, {}));
}

// --- graphs and models

struct GraphParts {
  Parts nodes = {}, inputs = {}, outputs = {}, initializers = {}, value_infos = {};
  Parts sparse_initializers = {};
};
inline std::string graph(const GraphParts& parts, const std::string& name = "g") {
  return message([&](Writer& w) {
    for (const auto& n : parts.nodes) w.add_message(1, n);
    w.add_string(2, name);
    for (const auto& t : parts.initializers) w.add_message(5, t);
    for (const auto& v : parts.inputs) w.add_message(11, v);
    for (const auto& v : parts.outputs) w.add_message(12, v);
    for (const auto& v : parts.value_infos) w.add_message(13, v);
    for (const auto& t : parts.sparse_initializers) w.add_message(15, t);
  });
}
inline std::string opset(const std::string& domain, int64_t version) {
  return message([&](Writer& w) {
    if (!domain.empty()) w.add_string(1, domain);
    w.add_int64(2, version);
  });
}
struct FunctionParts {
  std::string domain, name;
  Names inputs = {}, outputs = {}, attributes = {};
  Parts nodes = {}, defaults = {}, opsets = {};
};
inline std::string function(const FunctionParts& f) {
  return message([&](Writer& w) {
    w.add_string(1, f.name);
    for (const auto& i : f.inputs) w.add_string(4, i);
    for (const auto& o : f.outputs) w.add_string(5, o);
    for (const auto& a : f.attributes) w.add_string(6, a);
    for (const auto& n : f.nodes) w.add_message(7, n);
    for (const auto& o : f.opsets) w.add_message(9, o);
    w.add_string(10, f.domain);
    for (const auto& a : f.defaults) w.add_message(11, a);
  });
}
struct ModelParts {
  int64_t ir_version = 8;
  Parts opsets = {opset("", 13)};
  Parts functions = {};
};
inline std::string model(const std::string& graph_bytes, const ModelParts& parts = {}) {
  return message([&](Writer& w) {
    w.add_int64(1, parts.ir_version);
    w.add_string(2, "test");
    w.add_message(7, graph_bytes);
    for (const auto& o : parts.opsets) w.add_message(8, o);
    for (const auto& f : parts.functions) w.add_message(25, f);
  });
}
inline std::string model(const GraphParts& parts, const ModelParts& rest = {}) {
  return model(graph(parts), rest);
}

}  // namespace planish::onnx::testing
