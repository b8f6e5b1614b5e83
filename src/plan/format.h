// Constants and the fixed header of a .plan file; the whole format is told in docs/plan_format.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "base/hash.h"

namespace planish::plan {

// Little endian throughout; fields are read by memcpy.
struct FileHeader {
  char magic[8];  // kMagic
  uint32_t format_version;
  uint32_t header_bytes;      // sizeof(FileHeader)
  uint64_t structure_offset;  // = header_bytes
  uint64_t structure_bytes;
  uint64_t structure_hash;  // xxh3-64 of the structure
  uint64_t weights_offset;  // multiple of kWeightsAlignment; zeros lie between
  uint64_t weights_bytes;
  uint64_t header_hash;  // xxh3-64 of all fields above
};
static_assert(sizeof(FileHeader) == 64 && std::is_trivially_copyable_v<FileHeader>);

inline constexpr char kMagic[8] = {'P', 'L', 'A', 'N', 'I', 'S', 'H', '\x1a'};
inline constexpr uint64_t kWeightsAlignment = 4096;  // a page, so that weights map aligned
inline constexpr uint64_t kSlotAlignment = 64;       // a cache line
inline constexpr uint64_t kWeightChunk = uint64_t{4} << 20;

inline uint64_t header_hash(const FileHeader& header) {
  return hash_bytes(
      {reinterpret_cast<const std::byte*>(&header), offsetof(FileHeader, header_hash)});
}

}  // namespace planish::plan
