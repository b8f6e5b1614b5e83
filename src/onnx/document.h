// A faithful .onnx: what the file says, nothing interpreted, able to be written back.
//
// The tree (proto.h) holds views into the mapped file; initializers are never copied. A message
// that was not touched is written back byte for byte, so an unmodified document gives the identical
// file; a touched one is written in canonical form: known fields by number, then the unknown ones.
//
// Bounds: every length lies within its parent, messages nest at most kMaxDepth deep, and the tree
// takes at most kMaxExpansion times the bytes of the file (a hostile file of empty messages would
// otherwise swell a hundredfold).
//
// Not thread safe while it is changed.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "onnx/proto.h"

namespace planish {
class MappedFile;
}

namespace planish::onnx {

// Subgraphs nest as graph > node > attribute > graph: about 64 of them.
inline constexpr int kMaxDepth = 200;
inline constexpr size_t kMaxExpansion = 64;
// Where protobuf ends: lengths are signed 32-bit numbers in its own implementations.
inline constexpr uint64_t kMaxFileBytes = (uint64_t{1} << 31) - 1;

class Document {
 public:
  Document();  // an empty model of our own making
  ~Document();
  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;

  // Maps and parses. kIo when the file cannot be read; kInvalidModel, with path and byte offset,
  // when it is no ONNX model (and what it seems to be instead).
  static Document open(const std::string& path);
  // Parses bytes that outlive the document.
  static Document parse(std::span<const std::byte> bytes);

  ModelProto& model() { return model_; }
  const ModelProto& model() const { return model_; }
  const std::string& path() const { return path_; }  // empty when parsed from bytes
  std::string_view bytes() const { return bytes_; }

  // Stores text of our own for as long as the document lives and returns a view of it.
  std::string_view keep(std::string text);

 private:
  void read();

  std::string path_;
  std::unique_ptr<MappedFile> mapping_;
  std::string_view bytes_;
  std::deque<std::string> kept_;
  ModelProto model_;
};

// The file's bytes. kInvalidModel when they would pass 2 GB (weights then belong in external data).
std::string write(const ModelProto& model);
// The same into a file: under a temporary name first, then renamed, so that a failure leaves no
// half a model under `path`. kIo names the path.
void write_file(const ModelProto& model, const std::string& path);

// True when the message or one inside it was touched or made by code.
bool has_changed(const ModelProto& model);
// Marks every message as touched: what write() then gives is the canonical form.
void touch_all(ModelProto& model);

// One message alone, read without a file around it: for tests and for messages kept elsewhere.
TensorProto parse_tensor_leaf(std::string_view bytes);

}  // namespace planish::onnx
