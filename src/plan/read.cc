#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "base/error.h"
#include "plan/file.h"
#include "plan/format.h"
#include "plan/structure.h"

namespace planish::plan {
namespace {

[[noreturn]] void damaged(std::string_view what) {
  fail(ErrorCode::kInvalidPlan, "{}; the plan is damaged or cut short, build it again", what);
}

FileHeader read_header(std::span<const std::byte> bytes) {
  if (!looks_like_plan(bytes))
    fail(ErrorCode::kInvalidPlan, "this is not a plan (the first bytes differ)");
  if (bytes.size() < sizeof(FileHeader)) damaged("the file ends inside its header");
  FileHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.format_version != kFormatVersion) {
    fail(ErrorCode::kInvalidPlan,
         "the plan has format version {}, this Planish reads version {}; build it again",
         header.format_version, kFormatVersion);
  }
  if (header.header_hash != header_hash(header)) damaged("the header's checksum is wrong");
  const uint64_t size = bytes.size();
  if (header.header_bytes != sizeof(FileHeader) || header.structure_offset != sizeof(FileHeader) ||
      header.structure_bytes > size - sizeof(FileHeader)) {
    damaged("the structure lies outside the file");
  }
  const uint64_t end = header.structure_offset + header.structure_bytes;
  if (header.weights_offset !=
          (end + kWeightsAlignment - 1) / kWeightsAlignment * kWeightsAlignment ||
      header.weights_offset > size || header.weights_bytes != size - header.weights_offset) {
    damaged("the weights do not end with the file");
  }
  return header;
}

bool all_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

// One pass over all weights by `threads` threads.
void check_weights(std::span<const std::byte> weights,
                   std::span<const uint64_t> hashes,
                   unsigned threads) {
  std::atomic<size_t> next{0};
  std::atomic<bool> wrong{false};
  const auto work = [&] {
    for (size_t i = next++; i < hashes.size() && !wrong; i = next++) {
      const size_t at = i * kWeightChunk;
      const auto chunk = weights.subspan(at, std::min<size_t>(kWeightChunk, weights.size() - at));
      if (hash_bytes(chunk) != hashes[i]) wrong = true;
    }
  };
  std::vector<std::thread> team;
  const size_t useful = std::min<size_t>(threads, hashes.size());
  for (size_t t = 1; t < useful; ++t) team.emplace_back(work);
  work();
  for (auto& t : team) t.join();
  if (wrong) damaged("a checksum of the weights is wrong");
}

}  // namespace

bool looks_like_plan(std::span<const std::byte> bytes) {
  return bytes.size() >= sizeof kMagic && std::memcmp(bytes.data(), kMagic, sizeof kMagic) == 0;
}

Plan read(std::span<const std::byte> bytes, const ReadOptions& options) {
  FileHeader header{};
  if (options.checksums) {
    header = read_header(bytes);
  } else {
    // For fuzzing: the structure follows the header, whatever the header says.
    if (bytes.size() < sizeof(FileHeader)) damaged("the file ends inside its header");
    std::memcpy(&header, bytes.data(), sizeof header);
    header.structure_bytes =
        std::min<uint64_t>(header.structure_bytes, bytes.size() - sizeof(FileHeader));
    header.weights_offset = std::min<uint64_t>(header.weights_offset / 64 * 64, bytes.size());
    header.weights_bytes = bytes.size() - header.weights_offset;
  }
  const auto structure = bytes.subspan(sizeof(FileHeader), header.structure_bytes);
  const auto weights = bytes.subspan(header.weights_offset);
  if (options.checksums) {
    if (hash_bytes(structure) != header.structure_hash)
      damaged("the structure's checksum is wrong");
    const uint64_t end = header.structure_offset + header.structure_bytes;
    if (!all_zero(bytes.subspan(end, header.weights_offset - end))) damaged("padding is not zero");
  }
  Structure decoded = decode_structure(structure);
  Plan plan = std::move(decoded.plan);
  if (plan.weights_bytes != weights.size())
    damaged("the weights are of another size than the structure says");
  if (options.checksums) {
    if (decoded.weight_chunk != kWeightChunk ||
        decoded.weight_hashes.size() != (weights.size() + kWeightChunk - 1) / kWeightChunk) {
      damaged("the table of checksums is wrong");
    }
    check_weights(weights, decoded.weight_hashes, options.threads);
  }
  verify(plan);
  // One view per distinct range; what two slots share they share as a whole.
  std::set<std::pair<uint64_t, uint64_t>> seen;
  uint64_t covered = 0;
  for (const Program& program : plan.programs) {
    for (const Slot& slot : program.slots) {
      if (slot.storage == Storage::kConstant) seen.emplace(slot.offset, slot.bytes);
    }
  }
  for (const auto& [offset, size] : seen) {
    if (offset < covered) damaged("constants overlap");
    if (options.checksums && !all_zero(weights.subspan(covered, offset - covered)))
      damaged("padding is not zero");
    covered = offset + size;
    plan.weights.push_back({offset, Tensor::borrow(DType::kUint8, {static_cast<int64_t>(size)},
                                                   weights.data() + offset)});
  }
  return plan;
}

std::unique_ptr<OpenPlan> open(const std::string& path, const ReadOptions& options) {
  auto result = std::make_unique<OpenPlan>();
  result->file = MappedFile::open(path);
  try {
    result->plan = read(result->file.bytes(), options);
  } catch (Error& e) {
    e.in_file(path);
    throw;
  }
  return result;
}

}  // namespace planish::plan
