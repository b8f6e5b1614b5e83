#include "onnx/wire.h"

#include <cstring>

#include <protozero/exception.hpp>
#include <protozero/varint.hpp>

#include "base/error.h"

namespace planish::onnx {

const char* to_string(WireType type) {
  switch (type) {
    case WireType::varint:
      return "varint";
    case WireType::fixed64:
      return "64-bit";
    case WireType::length_delimited:
      return "length-delimited";
    case WireType::fixed32:
      return "32-bit";
    default:
      return "unknown";
  }
}

bool WireReader::next() {
  if (at_ == end()) return false;
  start_ = at_;
  field_ = 0;
  const uint64_t tag = raw_varint("a tag");
  if (tag >> 32 != 0 || tag >> 3 == 0) {
    fail(ErrorCode::kInvalidModel, "byte {}: {} holds a field number outside [1, 2^29)", offset(),
         name_);
  }
  field_ = static_cast<uint32_t>(tag >> 3);
  type_ = static_cast<WireType>(tag & 7);
  switch (type_) {
    case WireType::varint:
    case WireType::fixed64:
    case WireType::length_delimited:
    case WireType::fixed32:
      return true;
    default:
      fail(ErrorCode::kInvalidModel,
           "byte {}: field {} of {} has wire type {}, which ONNX never uses", offset(), field_,
           name_, tag & 7);
  }
}

uint64_t WireReader::raw_varint(const char* what) {
  const char* begin = at_;
  try {
    return protozero::decode_varint(&at_, end());
  } catch (const protozero::exception&) {
    at_ = begin;
    // A number takes ten bytes at most; fewer left means that the bytes ran out.
    if (end() - begin < 10 && end() == file_.data() + file_.size()) {
      fail(ErrorCode::kInvalidModel,
           "byte {}: the file ends inside a number ({} of {}): it seems to be cut off",
           offset_of(begin), what, name_);
    }
    fail(ErrorCode::kInvalidModel, "byte {}: the number for {} of {} does not end",
         offset_of(begin), what, name_);
  }
}

std::string_view WireReader::take(uint64_t count, const char* what) {
  const auto left = static_cast<uint64_t>(end() - at_);
  if (count > left) {
    if (end() == file_.data() + file_.size()) {
      fail(ErrorCode::kInvalidModel,
           "byte {}: {} of {} asks for {} bytes and the file ends after {}: it seems to be cut off",
           offset(), what, name_, count, left);
    }
    fail(ErrorCode::kInvalidModel,
         "byte {}: {} of {} asks for {} bytes, the message around it has {}", offset(), what, name_,
         count, left);
  }
  const std::string_view taken(at_, static_cast<size_t>(count));
  at_ += count;
  return taken;
}

void WireReader::want(WireType type, const char* what) const {
  if (type_ == type) return;
  fail(ErrorCode::kInvalidModel, "byte {}: {} of {} has wire type {}, expected {}", offset(), what,
       name_, to_string(type_), to_string(type));
}

uint64_t WireReader::varint(const char* what) {
  want(WireType::varint, what);
  return raw_varint(what);
}

uint32_t WireReader::fixed32(const char* what) {
  want(WireType::fixed32, what);
  return load32(take(4, what).data());
}

uint32_t WireReader::load32(const char* from) {
  uint32_t value = 0;
  std::memcpy(&value, from, 4);
  return value;
}

std::string_view WireReader::bytes(const char* what) {
  want(WireType::length_delimited, what);
  return take(raw_varint(what), what);
}

void WireReader::skip() {
  switch (type_) {
    case WireType::varint:
      raw_varint("an unknown field");
      return;
    case WireType::fixed64:
      take(8, "an unknown field");
      return;
    case WireType::fixed32:
      take(4, "an unknown field");
      return;
    default:
      take(raw_varint("an unknown field"), "an unknown field");
      return;
  }
}

void WireReader::fail_here(const char* what, const char* rule) const {
  fail(ErrorCode::kInvalidModel, "byte {}: {} of {} {}", offset(), what, name_, rule);
}

}  // namespace planish::onnx
