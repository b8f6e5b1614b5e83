// XXH3, 64 bits: checksums of plans and keys of caches. Fast (memory speed) and stable across
// machines and versions; not a defence against somebody who forges a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

struct XXH3_state_s;

namespace planish {

uint64_t hash_bytes(std::span<const std::byte> bytes);
uint64_t hash_text(std::string_view text);

// The same hash in pieces: update(a), update(b) gives the hash of a followed by b.
class Hasher {
 public:
  Hasher();
  Hasher(Hasher&&) noexcept = default;
  Hasher& operator=(Hasher&&) noexcept = default;
  ~Hasher() = default;

  void update(std::span<const std::byte> bytes);
  // The length goes in first, so that ("ab", "c") and ("a", "bc") differ.
  void update_text(std::string_view text);
  // Numbers and enums, as their bytes.
  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void update_value(T value) {
    update(std::as_bytes(std::span(&value, 1)));
  }
  uint64_t digest() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

}  // namespace planish
