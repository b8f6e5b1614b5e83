// `.pb` files of ONNX's test data: TensorProto, SequenceProto, OptionalProto and MapProto.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/type.h"
#include "base/value.h"

namespace planish::io {

// A file does not say which message it holds, so the declared type of the value decides (kUnknown
// counts as a tensor). The value owns its elements. Only the kind is taken from `type`; whether
// dtype and shape fit is for the caller to check. kInvalidModel with the byte offset for broken
// bytes, kUnsupported for sparse tensors inside.
Value parse_value(std::span<const std::byte> bytes, const Type& type);
// The same from a file; errors name it.
Value read_value_pb(const std::string& path, const Type& type);

// The message that `type` calls for. An empty value is an empty OptionalProto.
std::string serialize_value(const Value& value, const Type& type, std::string_view name = {});
void write_value_pb(const std::string& path,
                    const Value& value,
                    const Type& type,
                    std::string_view name = {});
void write_tensor_pb(const std::string& path, const Tensor& tensor, std::string_view name = {});

}  // namespace planish::io
