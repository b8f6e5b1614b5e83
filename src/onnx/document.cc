// Reading: see document_write.cc for the other direction.
#include "onnx/document.h"

#include <bit>

#include "base/error.h"
#include "base/mapped_file.h"
#include "onnx/foreign.h"
#include "onnx/wire.h"

namespace planish::onnx {

AttributeProto::AttributeProto() = default;
AttributeProto::~AttributeProto() = default;
AttributeProto::AttributeProto(AttributeProto&&) noexcept = default;
AttributeProto& AttributeProto::operator=(AttributeProto&&) noexcept = default;

namespace {

class Reader {
 public:
  explicit Reader(std::string_view file)
      : file_(file), budget_(file.size() * kMaxExpansion + (size_t{64} << 20)) {}

  template <class M>
  void message(M& m, std::string_view bytes, int depth) {
    if (depth > kMaxDepth) {
      fail(ErrorCode::kInvalidModel,
           "byte {}: messages nest more than {} deep (about {} subgraphs)",
           bytes.data() - file_.data(), kMaxDepth, kMaxDepth / 3);
    }
    m.raw = bytes;
    m.changed = false;
    WireReader in(bytes, file_, M::kName);
    while (in.next()) {
      bool taken = false;
      M::fields(m, [&](uint32_t number, const char* name, auto& slot) {
        if (number != in.field()) return;
        taken = true;
        value(slot, in, name, depth);
      });
      if (!taken) {
        in.skip();
        charge(sizeof(Text), in);
        m.unknown.push_back(in.whole());
      }
    }
  }

  // A leaf: only walked over, so that later readers of `raw` meet sound fields.
  void message(TensorProto& m, std::string_view bytes, int) {
    m.raw = bytes;
    m.changed = false;
    WireReader in(bytes, file_, TensorProto::kName);
    while (in.next()) {
      if (in.field() == 8) {
        m.name = in.bytes("name");
      } else {
        in.skip();
      }
    }
  }

 private:
  void value(OptInt& slot, WireReader& in, const char* name, int) {
    slot = static_cast<int64_t>(in.varint(name));
  }
  void value(OptFloat& slot, WireReader& in, const char* name, int) {
    slot = std::bit_cast<float>(in.fixed32(name));
  }
  void value(OptText& slot, WireReader& in, const char* name, int) { slot = in.bytes(name); }
  void value(std::vector<Text>& slot, WireReader& in, const char* name, int) {
    charge(sizeof(Text), in);
    slot.push_back(in.bytes(name));
  }
  void value(std::vector<int64_t>& slot, WireReader& in, const char* name, int) {
    in.varints(name, [&](uint64_t v) { slot.push_back(static_cast<int64_t>(v)); });
  }
  void value(std::vector<float>& slot, WireReader& in, const char* name, int) {
    in.fixed32s(name, [&](uint32_t v) { slot.push_back(std::bit_cast<float>(v)); });
  }
  template <class M>
  void value(std::unique_ptr<M>& slot, WireReader& in, const char* name, int depth) {
    // protobuf would merge the two; no writer of ONNX makes this, and readers differ over it.
    if (slot) in.fail_here(name, "stands twice");
    charge(sizeof(M), in);
    const Text body = in.bytes(name);
    slot = std::make_unique<M>();
    message(*slot, body, depth + 1);
  }
  template <class M>
  void value(std::vector<M>& slot, WireReader& in, const char* name, int depth) {
    charge(sizeof(M), in);
    const Text body = in.bytes(name);
    message(slot.emplace_back(), body, depth + 1);
  }

  void charge(size_t bytes, const WireReader& in) {
    if (bytes > budget_) {
      fail(ErrorCode::kInvalidModel,
           "byte {}: the file consists of far more messages than a model of {} bytes can need",
           in.offset(), file_.size());
    }
    budget_ -= bytes;
  }

  std::string_view file_;
  size_t budget_;
};

}  // namespace

Document::Document() = default;
Document::~Document() = default;
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;

void Document::read() {
  if (bytes_.size() > kMaxFileBytes) {
    fail(ErrorCode::kInvalidModel,
         "the file has {} bytes and protobuf, which .onnx is made of, ends at 2 GB: store the "
         "weights "
         "as external data (onnx.save_model(..., save_as_external_data=True))",
         bytes_.size());
  }
  try {
    if (bytes_.empty()) fail(ErrorCode::kInvalidModel, "the file is empty");
    Reader(bytes_).message(model_, bytes_, 1);
  } catch (const Error& e) {
    const std::string foreign = describe_foreign(bytes_);
    if (foreign.empty()) {
      fail(e.code(), "not a readable ONNX model: {}", e.message());
    }
    fail(e.code(), "not an ONNX model; it seems to be {}", foreign);
  }
}

Document Document::open(const std::string& path) {
  try {
    Document d;
    d.path_ = path;
    d.mapping_ = std::make_unique<MappedFile>(MappedFile::open(path));
    const std::span<const std::byte> bytes = d.mapping_->bytes();
    d.bytes_ = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    d.read();
    return d;
  } catch (Error& e) {
    e.in_file(path);
    throw;
  }
}

Document Document::parse(std::span<const std::byte> bytes) {
  Document d;
  d.bytes_ = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  d.read();
  return d;
}

std::string_view Document::keep(std::string text) { return kept_.emplace_back(std::move(text)); }

TensorProto parse_tensor_leaf(std::string_view bytes) {
  TensorProto t;
  Reader(bytes).message(t, bytes, 1);
  return t;
}

}  // namespace planish::onnx
