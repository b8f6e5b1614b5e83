// The FlatBuffers part of a plan file to and from the plain structs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/plan.h"

namespace planish::plan {

std::vector<std::byte> encode_structure(const Plan& plan, std::span<const uint64_t> weight_hashes);

struct Structure {
  Plan plan;  // without weights
  uint64_t weight_chunk = 0;
  std::vector<uint64_t> weight_hashes;
};
// Throws kInvalidPlan when the bytes are not a well-formed structure or hold unknown enum values.
Structure decode_structure(std::span<const std::byte> bytes);

}  // namespace planish::plan
