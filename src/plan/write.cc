#include <algorithm>

#include "base/error.h"
#include "plan/file.h"
#include "plan/format.h"
#include "plan/structure.h"

namespace planish::plan {
namespace {

std::span<const std::byte> bytes_of(const Weight& w) {
  return {w.data.raw(), static_cast<size_t>(w.data.bytes())};
}

// Calls sink(bytes) over the whole weights section in order, gaps as zeros.
template <class Sink>
void stream_weights(const Plan& plan, Sink&& sink) {
  static constexpr std::byte kZeros[4096] = {};
  uint64_t at = 0;
  const auto zeros_to = [&](uint64_t target) {
    while (at < target) {
      const uint64_t n = std::min<uint64_t>(sizeof kZeros, target - at);
      sink(std::span(kZeros, n));
      at += n;
    }
  };
  for (const Weight& w : plan.weights) {
    if (w.offset < at || w.offset + static_cast<uint64_t>(w.data.bytes()) > plan.weights_bytes) {
      fail(ErrorCode::kInternal, "weights overlap at offset {}", w.offset);
    }
    zeros_to(w.offset);
    sink(bytes_of(w));
    at += static_cast<uint64_t>(w.data.bytes());
  }
  zeros_to(plan.weights_bytes);
}

std::vector<uint64_t> hash_weights(const Plan& plan) {
  std::vector<uint64_t> hashes;
  Hasher hasher;
  uint64_t filled = 0;
  stream_weights(plan, [&](std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const size_t n = std::min<uint64_t>(bytes.size(), kWeightChunk - filled);
      hasher.update(bytes.first(n));
      bytes = bytes.subspan(n);
      filled += n;
      if (filled == kWeightChunk) {
        hashes.push_back(hasher.digest());
        hasher = Hasher();
        filled = 0;
      }
    }
  });
  if (filled > 0) hashes.push_back(hasher.digest());
  return hashes;
}

// Calls sink(bytes) over the whole file.
template <class Sink>
void stream_file(const Plan& plan, Sink&& sink) {
  verify(plan);
  const auto structure = encode_structure(plan, hash_weights(plan));
  FileHeader header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.format_version = kFormatVersion;
  header.header_bytes = sizeof(FileHeader);
  header.structure_offset = sizeof(FileHeader);
  header.structure_bytes = structure.size();
  header.structure_hash = hash_bytes(structure);
  const uint64_t end = header.structure_offset + header.structure_bytes;
  header.weights_offset = (end + kWeightsAlignment - 1) / kWeightsAlignment * kWeightsAlignment;
  header.weights_bytes = plan.weights_bytes;
  header.header_hash = header_hash(header);
  sink(std::span(reinterpret_cast<const std::byte*>(&header), sizeof header));
  sink(std::span<const std::byte>(structure));
  const std::vector<std::byte> padding(header.weights_offset - end);
  sink(std::span<const std::byte>(padding));
  stream_weights(plan, sink);
}

}  // namespace

void write(const Plan& plan, const std::string& path) {
  AtomicFile file(path);
  stream_file(plan, [&](std::span<const std::byte> bytes) { file.append(bytes); });
  file.commit();
}

std::vector<std::byte> serialize(const Plan& plan) {
  std::vector<std::byte> out;
  stream_file(plan, [&](std::span<const std::byte> bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
  });
  return out;
}

}  // namespace planish::plan
