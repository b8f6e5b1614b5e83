// Writing a Document back. Two walks: the first finds the changed messages and the size each will
// have, the second writes, so that no message is built in memory before it goes out.
#include <bit>
#include <cstring>
#include <unordered_map>

#include <protozero/varint.hpp>

#include "base/error.h"
#include "base/mapped_file.h"
#include "onnx/document.h"
#include "onnx/wire.h"

namespace planish::onnx {
namespace {

size_t varint_size(uint64_t value) {
  return static_cast<size_t>(protozero::length_of_varint(value));
}

size_t delimited_size(uint32_t number, size_t body) {
  return varint_size(uint64_t{number} << 3) + varint_size(body) + body;
}

// Sizes of the changed messages; one that is missing is written from `raw`.
class Sizes {
 public:
  // The size of the body; *changed is set when it or a message inside was touched.
  template <class M>
  size_t measure(const M& m, bool* changed) {
    bool own = m.changed;
    size_t total = 0;
    M::fields(m, [&](uint32_t number, const char*, const auto& slot) {
      total += slot_size(number, slot, &own);
    });
    for (const Text& field : m.unknown) total += field.size();
    if (!own) return m.raw.size();
    *changed = true;
    sizes_.emplace(&m, total);
    return total;
  }
  size_t measure(const TensorProto& m, bool* changed) {
    if (m.changed) *changed = true;
    return m.raw.size();
  }
  // Null for a message to be written from `raw`.
  const size_t* find(const Message& m) const {
    const auto it = sizes_.find(&m);
    return it == sizes_.end() ? nullptr : &it->second;
  }

 private:
  size_t slot_size(uint32_t number, const OptInt& slot, bool*) {
    if (!slot) return 0;
    return varint_size(uint64_t{number} << 3) + varint_size(static_cast<uint64_t>(*slot));
  }
  size_t slot_size(uint32_t number, const OptFloat& slot, bool*) {
    return slot ? varint_size(uint64_t{number} << 3) + 4 : 0;
  }
  size_t slot_size(uint32_t number, const OptText& slot, bool*) {
    return slot ? delimited_size(number, slot->size()) : 0;
  }
  size_t slot_size(uint32_t number, const std::vector<Text>& slot, bool*) {
    size_t total = 0;
    for (const Text& t : slot) total += delimited_size(number, t.size());
    return total;
  }
  size_t slot_size(uint32_t number, const std::vector<int64_t>& slot, bool*) {
    size_t total = slot.size() * varint_size(uint64_t{number} << 3);
    for (const int64_t v : slot) total += varint_size(static_cast<uint64_t>(v));
    return total;
  }
  size_t slot_size(uint32_t number, const std::vector<float>& slot, bool*) {
    return slot.size() * (varint_size(uint64_t{number} << 3) + 4);
  }
  template <class M>
  size_t slot_size(uint32_t number, const std::unique_ptr<M>& slot, bool* changed) {
    return slot ? delimited_size(number, measure(*slot, changed)) : 0;
  }
  template <class M>
  size_t slot_size(uint32_t number, const std::vector<M>& slot, bool* changed) {
    size_t total = 0;
    for (const M& m : slot) total += delimited_size(number, measure(m, changed));
    return total;
  }

  std::unordered_map<const Message*, size_t> sizes_;
};

// `Sink` has append(std::string_view).
template <class Sink>
class Writer {
 public:
  Writer(const Sizes& sizes, Sink& sink) : sizes_(sizes), sink_(sink) {}

  template <class M>
  void body(const M& m) {
    if (sizes_.find(m) == nullptr) {
      sink_.append(m.raw);
      return;
    }
    M::fields(m, [&](uint32_t number, const char*, const auto& slot) { field(number, slot); });
    for (const Text& unknown : m.unknown) sink_.append(unknown);
  }
  void body(const TensorProto& m) { sink_.append(m.raw); }

 private:
  void varint(uint64_t value) {
    char buffer[10];
    const int n = protozero::add_varint_to_buffer(buffer, value);
    sink_.append(Text(buffer, static_cast<size_t>(n)));
  }
  void tag(uint32_t number, WireType type) {
    varint(uint64_t{number} << 3 | static_cast<uint64_t>(type));
  }
  void number32(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    char buffer[4];
    std::memcpy(buffer, &bits, 4);
    sink_.append(Text(buffer, 4));
  }
  void delimited(uint32_t number, Text t) {
    tag(number, WireType::length_delimited);
    varint(t.size());
    sink_.append(t);
  }
  template <class M>
  void inner(uint32_t number, const M& m) {
    tag(number, WireType::length_delimited);
    const size_t* size = sizes_.find(m);
    varint(size != nullptr ? *size : m.raw.size());
    body(m);
  }

  void field(uint32_t number, const OptInt& slot) {
    if (!slot) return;
    tag(number, WireType::varint);
    varint(static_cast<uint64_t>(*slot));
  }
  void field(uint32_t number, const OptFloat& slot) {
    if (!slot) return;
    tag(number, WireType::fixed32);
    number32(*slot);
  }
  void field(uint32_t number, const OptText& slot) {
    if (slot) delimited(number, *slot);
  }
  void field(uint32_t number, const std::vector<Text>& slot) {
    for (const Text& t : slot) delimited(number, t);
  }
  void field(uint32_t number, const std::vector<int64_t>& slot) {
    for (const int64_t v : slot) {
      tag(number, WireType::varint);
      varint(static_cast<uint64_t>(v));
    }
  }
  void field(uint32_t number, const std::vector<float>& slot) {
    for (const float v : slot) {
      tag(number, WireType::fixed32);
      number32(v);
    }
  }
  template <class M>
  void field(uint32_t number, const std::unique_ptr<M>& slot) {
    if (slot) inner(number, *slot);
  }
  template <class M>
  void field(uint32_t number, const std::vector<M>& slot) {
    for (const M& m : slot) inner(number, m);
  }

  const Sizes& sizes_;
  Sink& sink_;
};

size_t measure_model(const ModelProto& model, Sizes& sizes) {
  bool changed = false;
  const size_t size = sizes.measure(model, &changed);
  if (size > kMaxFileBytes) {
    fail(ErrorCode::kInvalidModel,
         "the model takes {} bytes and protobuf ends at 2 GB: weights must go to external data",
         size);
  }
  return size;
}

class Toucher {
 public:
  template <class M>
  void message(M& m) {
    m.touch();
    M::fields(m, [&](uint32_t, const char*, auto& slot) { visit(slot); });
  }
  void message(TensorProto& m) { m.touch(); }

 private:
  void visit(OptInt&) {}
  void visit(OptFloat&) {}
  void visit(OptText&) {}
  void visit(std::vector<Text>&) {}
  void visit(std::vector<int64_t>&) {}
  void visit(std::vector<float>&) {}
  template <class M>
  void visit(std::unique_ptr<M>& slot) {
    if (slot) message(*slot);
  }
  template <class M>
  void visit(std::vector<M>& slot) {
    for (M& m : slot) message(m);
  }
};

}  // namespace

std::string write(const ModelProto& model) {
  Sizes sizes;
  std::string out;
  out.reserve(measure_model(model, sizes));
  Writer<std::string>(sizes, out).body(model);
  return out;
}

void write_file(const ModelProto& model, const std::string& path) {
  Sizes sizes;
  measure_model(model, sizes);
  AtomicFile file(path);
  Writer<AtomicFile>(sizes, file).body(model);
  file.commit();
}

bool has_changed(const ModelProto& model) {
  Sizes sizes;
  bool changed = false;
  sizes.measure(model, &changed);
  return changed;
}

void touch_all(ModelProto& model) { Toucher().message(model); }

}  // namespace planish::onnx
