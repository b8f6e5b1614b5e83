#include "base/hash.h"

#include <xxhash.h>

#include <new>

namespace planish {

uint64_t hash_bytes(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}
uint64_t hash_text(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

Hasher::Hasher() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(state_.get());
}

void Hasher::update(std::span<const std::byte> bytes) {
  XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
}

void Hasher::update_text(std::string_view text) {
  update_value(static_cast<uint64_t>(text.size()));
  update(std::as_bytes(std::span(text)));
}

uint64_t Hasher::digest() const { return XXH3_64bits_digest(state_.get()); }

void Hasher::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

}  // namespace planish
