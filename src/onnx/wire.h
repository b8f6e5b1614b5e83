// A cursor over the fields of one protobuf message, on protozero's varints.
//
// protozero's own reader narrows lengths and tags to 32 bits without a word and knows no offsets;
// this one refuses what does not fit and says where. Every length is checked against the message
// that holds it, so a reader can never leave its bytes. Errors are kInvalidModel with the byte
// offset in the file and the message's name.
#pragma once

#include <cstdint>
#include <string_view>

#include <protozero/types.hpp>

namespace planish::onnx {

using WireType = protozero::pbf_wire_type;

class WireReader {
 public:
  // `message` lies within `file`; offsets in errors count from the start of `file`. Both must
  // outlive the reader. `name` is the message's type for errors ("NodeProto").
  WireReader(std::string_view message, std::string_view file, const char* name)
      : file_(file), message_(message), name_(name), at_(message.data()) {}

  // Reads the next tag; false at the end. The value must then be taken by exactly one of the calls
  // below.
  bool next();
  uint32_t field() const { return field_; }
  WireType type() const { return type_; }

  // Values. Each throws when the field has another wire type; `what` names the field.
  uint64_t varint(const char* what);
  uint32_t fixed32(const char* what);
  std::string_view bytes(const char* what);
  void skip();
  // One element of a repeated number, or many where the writer packed them.
  template <class Take>
  void varints(const char* what, Take take_one) {
    if (type_ != WireType::length_delimited) {
      take_one(varint(what));
      return;
    }
    const std::string_view packed = bytes(what), outer = message_;
    at_ = packed.data();
    message_ = packed;
    while (at_ != end()) take_one(raw_varint(what));
    message_ = outer;
  }
  template <class Take>
  void fixed32s(const char* what, Take take_one) {
    if (type_ != WireType::length_delimited) {
      take_one(fixed32(what));
      return;
    }
    const std::string_view packed = bytes(what);
    if (packed.size() % 4 != 0) fail_here(what, "is packed in a length that is no multiple of 4");
    for (size_t i = 0; i < packed.size(); i += 4) take_one(load32(packed.data() + i));
  }

  // The field just taken as it lies in the file, tag included.
  std::string_view whole() const { return {start_, static_cast<size_t>(at_ - start_)}; }
  // Where the field just begun stands in the file.
  size_t offset() const { return offset_of(start_); }
  [[noreturn]] void fail_here(const char* what, const char* rule) const;

 private:
  const char* end() const { return message_.data() + message_.size(); }
  size_t offset_of(const char* p) const { return static_cast<size_t>(p - file_.data()); }
  static uint32_t load32(const char* from);
  uint64_t raw_varint(const char* what);
  std::string_view take(uint64_t count, const char* what);
  void want(WireType type, const char* what) const;

  std::string_view file_, message_;
  const char* name_;
  const char* at_;
  const char* start_ = nullptr;
  uint32_t field_ = 0;
  WireType type_ = WireType::unknown;
};

// "varint", "64-bit", "length-delimited", "32-bit" or "unknown".
const char* to_string(WireType type);

}  // namespace planish::onnx
