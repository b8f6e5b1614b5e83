// ONNX's TensorProto: a cheap view of a serialized one, its tensor, and back.
//
// A view parses the small fields and points into the buffer for the rest: an initializer of 400 MB
// in a mapped file costs a few hundred nanoseconds, and its tensor borrows the mapping. Every count
// is checked against the bytes that are there before memory is taken for it. Errors are
// kInvalidModel and give the byte offset. Pure functions, thread safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/tensor.h"

namespace planish::io {

struct TensorProtoView {
  struct ExternalEntry {
    std::string_view key;
    std::string_view value;
  };

  std::string_view name;
  DType dtype = DType::kUndefined;
  Dims dims;
  std::span<const std::byte> raw;  // raw_data; empty also when the field is missing
  bool has_typed = false;          // float_data, int32_data, ... or string_data has content
  bool has_segment = false;        // part of a tensor that is split over messages
  bool external = false;           // data_location is EXTERNAL
  std::vector<ExternalEntry> external_data;

  std::span<const std::byte> message;  // the whole serialized TensorProto
  int64_t offset = 0;                  // of `message` in its file
};

// `offset` is where `bytes` begins in the file. All spans and texts of the view point into `bytes`.
// An element type that ONNX does not define is kUnsupported.
TensorProtoView parse_tensor_proto(std::span<const std::byte> bytes, int64_t offset = 0);

// The elements. Borrows `view.raw` where the data are there in raw form, so the buffer must outlive
// the tensor; owns otherwise. Refuses external data (kUnsupported: whoever knows the model's folder
// resolves it), missing data, and data of another length than the shape says.
Tensor to_tensor(const TensorProtoView& view);

// A tensor that owns its elements.
Tensor owned(Tensor tensor);

// The serialized form with raw_data (string_data for strings). kUnsupported past protobuf's 2 GB.
std::string serialize_tensor(const Tensor& tensor, std::string_view name = {});

}  // namespace planish::io
