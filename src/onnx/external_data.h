// Weights that lie beside the model: confined to its folder, mapped once, never copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/mapped_file.h"

namespace planish::onnx {

// Where a tensor's bytes lie, as its external_data entries say.
struct ExternalReference {
  std::string location;
  std::string offset;  // decimal; empty: 0
  std::string length;  // decimal; empty: as many bytes as the tensor needs
};

// The files of one model. A file is mapped when the first tensor asks for it and shared by all
// others; the spans stay valid while this object lives (moves included). Not thread safe.
class ExternalFiles {
 public:
  // `folder` holds the model; nothing: the model came as bytes and has no folder, so that every
  // reference is refused.
  explicit ExternalFiles(std::optional<std::string> folder) : folder_(std::move(folder)) {}

  // The `needed` bytes of a tensor. Throws kInvalidModel, naming tensor, location and rule, when
  // the location is absolute, holds "..", or leads out of the folder through a link; when it is no
  // regular file; when offset or length is no number, negative, not the tensor's size, or reaches
  // past the file's end. kIo when the file cannot be read.
  std::span<const std::byte> bytes(std::string_view tensor,
                                   const ExternalReference& reference,
                                   int64_t needed);

  size_t file_count() const { return files_.size(); }

 private:
  const MappedFile& file(std::string_view tensor, const std::string& location);

  std::optional<std::string> folder_;
  std::map<std::string, MappedFile, std::less<>> files_;  // by real path
  std::map<std::string, const MappedFile*, std::less<>> by_location_;
};

}  // namespace planish::onnx
