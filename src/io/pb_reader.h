// protozero with the checks that hostile bytes call for: every wire type is looked at before a
// value is read, and every error says at which byte of the file it happened.
#pragma once

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <protozero/varint.hpp>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/error.h"

namespace planish::io {

class PbReader {
 public:
  using Bytes = std::span<const std::byte>;

  // `offset` is where `bytes` begins in the file; `message` names it in errors ("TensorProto").
  PbReader(Bytes bytes, int64_t offset, const char* message)
      : reader_(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
        begin_(reader_.data().data()),
        base_(offset),
        message_(message) {}

  // Moves to the next field; false at the end.
  bool next() {
    start_ = offset();
    return guarded([&] { return reader_.next(); });
  }
  uint32_t field() const { return reader_.tag(); }
  bool is_bytes() const {
    return reader_.wire_type() == protozero::pbf_wire_type::length_delimited;
  }

  uint64_t varint() {
    expect(protozero::pbf_wire_type::varint, "a number");
    return guarded([&] { return reader_.get_uint64(); });
  }
  uint32_t fixed32() {
    expect(protozero::pbf_wire_type::fixed32, "a 4-byte number");
    return guarded([&] { return reader_.get_fixed32(); });
  }
  uint64_t fixed64() {
    expect(protozero::pbf_wire_type::fixed64, "an 8-byte number");
    return guarded([&] { return reader_.get_fixed64(); });
  }
  Bytes bytes() {
    expect(protozero::pbf_wire_type::length_delimited, "a length and bytes");
    const auto view = guarded([&] { return reader_.get_view(); });
    return {reinterpret_cast<const std::byte*>(view.data()), view.size()};
  }
  std::string_view text() {
    const Bytes b = bytes();
    return {reinterpret_cast<const char*>(b.data()), b.size()};
  }
  void skip() {
    guarded([&] {
      reader_.skip();
      return 0;
    });
  }

  // Position in the file: of what comes next, and of bytes handed out.
  int64_t offset() const { return base_ + (reader_.data().data() - begin_); }
  int64_t offset_of(Bytes part) const {
    return base_ + (reinterpret_cast<const char*>(part.data()) - begin_);
  }

  template <class... Args>
  [[noreturn]] void invalid(fmt::format_string<Args...> format, Args&&... args) const {
    fail(ErrorCode::kInvalidModel, "{} at byte {}: {}", message_, start_,
         fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  void expect(protozero::pbf_wire_type type, const char* what) const {
    if (reader_.wire_type() != type) {
      invalid("field {} should be {} but has wire type {}", field(), what,
              static_cast<int>(reader_.wire_type()));
    }
  }
  template <class F>
  std::invoke_result_t<F> guarded(F f) {
    try {
      return f();
    } catch (const protozero::exception& e) {
      invalid("broken field ({}); the file is damaged or cut short", e.what());
    }
  }

  protozero::pbf_reader reader_;
  const char* begin_;
  int64_t base_;
  int64_t start_ = 0;  // of the current field
  const char* message_;
};

// The values of one repeated number field, which may be written packed or one by one.
template <class Sink>
void each_varint(PbReader& reader, Sink sink) {
  if (!reader.is_bytes()) {
    sink(reader.varint());
    return;
  }
  const PbReader::Bytes packed = reader.bytes();
  const auto* at = reinterpret_cast<const char*>(packed.data());
  const char* const end = at + packed.size();
  while (at != end) {
    uint64_t value = 0;
    try {
      value = protozero::decode_varint(&at, end);
    } catch (const protozero::exception& e) {
      reader.invalid("broken number in a list ({})", e.what());
    }
    sink(value);
  }
}

}  // namespace planish::io
