#include "io/tensor_proto.h"

#include <bit>
#include <cstring>
#include <protozero/pbf_writer.hpp>

#include "base/elements.h"
#include "base/error.h"
#include "io/pb_reader.h"

namespace planish::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "raw_data is little endian and is borrowed as it is");

using Bytes = std::span<const std::byte>;

// Field numbers of TensorProto.
enum Field : uint32_t {
  kDims = 1,
  kDataType = 2,
  kSegment = 3,
  kFloatData = 4,
  kInt32Data = 5,
  kStringData = 6,
  kInt64Data = 7,
  kName = 8,
  kRawData = 9,
  kDoubleData = 10,
  kUint64Data = 11,
  kExternalData = 13,
  kDataLocation = 14,
};

constexpr size_t kMaxRank = 64;  // no known model passes 8

DType to_dtype(const PbReader& reader, uint64_t number) {
  if (number >= static_cast<uint64_t>(kDTypeCount)) {
    fail(ErrorCode::kUnsupported,
         "TensorProto at byte {}: element type {} is unknown; the highest known is {} ({})",
         reader.offset(), number, kDTypeCount - 1, to_string(static_cast<DType>(kDTypeCount - 1)));
  }
  return static_cast<DType>(number);
}

// The bytes of one repeated 4- or 8-byte field, packed or not, handed on in pieces.
template <class Sink>
void each_fixed(PbReader& reader, size_t width, Sink sink) {
  if (reader.is_bytes()) {
    const Bytes packed = reader.bytes();
    if (packed.size() % width != 0) {
      reader.invalid("a list of {}-byte numbers is {} bytes long", width, packed.size());
    }
    sink(packed);
  } else if (width == 4) {
    const uint32_t value = reader.fixed32();
    sink(std::as_bytes(std::span(&value, 1)));
  } else {
    const uint64_t value = reader.fixed64();
    sink(std::as_bytes(std::span(&value, 1)));
  }
}

TensorProtoView::ExternalEntry parse_entry(Bytes bytes, int64_t offset) {
  TensorProtoView::ExternalEntry entry;
  PbReader reader(bytes, offset, "external_data");
  while (reader.next()) {
    switch (reader.field()) {
      case 1:
        entry.key = reader.text();
        break;
      case 2:
        entry.value = reader.text();
        break;
      default:
        reader.skip();
    }
  }
  return entry;
}

std::string label(const TensorProtoView& view) {
  return fmt::format("tensor '{}' at byte {} ({} [{}])", view.name, view.offset,
                     to_string(view.dtype), dims_to_string(view.dims));
}

// Which field holds the elements when raw_data does not.
Field typed_field(const TensorProtoView& view) {
  switch (view.dtype) {
    case DType::kFloat32:
    case DType::kComplex64:
      return kFloatData;
    case DType::kFloat64:
    case DType::kComplex128:
      return kDoubleData;
    case DType::kInt64:
      return kInt64Data;
    case DType::kUint32:
    case DType::kUint64:
      return kUint64Data;
    case DType::kString:
      return kStringData;
    default:
      return kInt32Data;
  }
}

[[noreturn]] void wrong_count(const TensorProtoView& view, int64_t wanted, int64_t got) {
  fail(ErrorCode::kInvalidModel, "{}: its shape needs {} stored values, there are {}", label(view),
       wanted, got);
}

// Number of stored values in `field` (one varint may hold several packed sub-byte elements).
int64_t count_typed(const TensorProtoView& view, Field field) {
  int64_t count = 0;
  PbReader reader(view.message, view.offset, "TensorProto");
  while (reader.next()) {
    if (reader.field() != field) {
      reader.skip();
    } else if (field == kStringData) {
      reader.skip();
      ++count;
    } else if (field == kFloatData || field == kDoubleData) {
      const size_t width = field == kFloatData ? 4 : 8;
      each_fixed(reader, width,
                 [&](Bytes part) { count += static_cast<int64_t>(part.size() / width); });
    } else {
      each_varint(reader, [&](uint64_t) { ++count; });
    }
  }
  return count;
}

Tensor strings_of(const TensorProtoView& view, int64_t count) {
  std::vector<std::string> strings;
  strings.reserve(static_cast<size_t>(count));
  PbReader reader(view.message, view.offset, "TensorProto");
  while (reader.next()) {
    if (reader.field() == kStringData) {
      strings.emplace_back(reader.text());
    } else {
      reader.skip();
    }
  }
  return Tensor::from_strings(view.dims, std::move(strings));
}

Tensor typed_tensor(const TensorProtoView& view) {
  const Field field = typed_field(view);
  const int64_t count = element_count(view.dims);
  const int bits = bit_width(view.dtype);
  int64_t wanted = count;
  if (is_complex(view.dtype)) wanted = 2 * count;  // real and imaginary part
  if (is_sub_byte(view.dtype)) wanted = byte_count(view.dtype, count);
  // Counted before anything is allocated: a shape alone must not cost memory.
  const int64_t got = count_typed(view, field);
  if (got != wanted) wrong_count(view, wanted, got);
  if (view.dtype == DType::kString) return strings_of(view, count);

  Tensor tensor(view.dtype, view.dims);
  std::byte* out = tensor.mutable_raw();
  // An element of the field becomes this many bytes of the tensor.
  const size_t width = field == kFloatData    ? 4
                       : field == kDoubleData ? 8
                       : bits < 8             ? 1
                                              : static_cast<size_t>(bits / 8);
  PbReader reader(view.message, view.offset, "TensorProto");
  while (reader.next()) {
    if (reader.field() != field) {
      reader.skip();
    } else if (field == kFloatData || field == kDoubleData) {
      each_fixed(reader, width, [&](Bytes part) {
        if (!part.empty()) std::memcpy(out, part.data(), part.size());
        out += part.size();
      });
    } else if (view.dtype == DType::kBool) {
      each_varint(reader, [&](uint64_t value) { *out++ = static_cast<std::byte>(value != 0); });
    } else {
      // The low bytes: numbers wrap as in every protobuf reader.
      each_varint(reader, [&](uint64_t value) {
        std::memcpy(out, &value, width);
        out += width;
      });
    }
  }
  return tensor;
}

// Bytes other than 0 and 1 would not be a bool in C++.
Tensor clean_bools(Tensor tensor) {
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (static_cast<uint8_t>(tensor.raw()[i]) <= 1) continue;
    Tensor clean(DType::kBool, tensor.dims());
    for (int64_t k = 0; k < tensor.size(); ++k) {
      clean.mutable_raw()[k] = static_cast<std::byte>(tensor.raw()[k] != std::byte{0});
    }
    return clean;
  }
  return tensor;
}

}  // namespace

TensorProtoView parse_tensor_proto(std::span<const std::byte> bytes, int64_t offset) {
  TensorProtoView view;
  view.message = bytes;
  view.offset = offset;
  PbReader reader(bytes, offset, "TensorProto");
  while (reader.next()) {
    switch (reader.field()) {
      case kDims:
        each_varint(reader, [&](uint64_t dim) {
          if (view.dims.size() == kMaxRank) reader.invalid("more than {} dims", kMaxRank);
          view.dims.push_back(static_cast<int64_t>(dim));
        });
        break;
      case kDataType:
        view.dtype = to_dtype(reader, reader.varint());
        break;
      case kSegment:
        view.has_segment = true;
        reader.skip();
        break;
      case kName:
        view.name = reader.text();
        break;
      case kRawData:
        view.raw = reader.bytes();
        break;
      case kFloatData:
      case kInt32Data:
      case kInt64Data:
      case kDoubleData:
      case kUint64Data:
        // An empty packed list is the same as none.
        if (!reader.is_bytes()) {
          view.has_typed = true;
          reader.skip();
        } else if (!reader.bytes().empty()) {
          view.has_typed = true;
        }
        break;
      case kStringData:
        view.has_typed = true;
        reader.skip();
        break;
      case kExternalData: {
        const Bytes entry = reader.bytes();
        view.external_data.push_back(parse_entry(entry, reader.offset_of(entry)));
        break;
      }
      case kDataLocation:
        view.external = reader.varint() == 1;
        break;
      default:
        reader.skip();
    }
  }
  return view;
}

Tensor to_tensor(const TensorProtoView& view) {
  if (view.dtype == DType::kUndefined) {
    fail(ErrorCode::kInvalidModel, "tensor '{}' at byte {} has no element type", view.name,
         view.offset);
  }
  const auto refuse = [&](ErrorCode code, const char* why) {
    fail(code, "{}: {}", label(view), why);
  };
  if (view.has_segment)
    refuse(ErrorCode::kUnsupported, "tensors split into segments are not supported");
  if (view.external)
    refuse(ErrorCode::kUnsupported, "its data lie in another file, which only a model can name");
  if (!view.raw.empty() && view.has_typed) {
    refuse(ErrorCode::kInvalidModel,
           "it has raw_data and a typed data field, so its value is unclear");
  }
  int64_t wanted = 0;
  try {
    wanted = byte_count(view.dtype, element_count(view.dims));
  } catch (const Error& e) {
    refuse(ErrorCode::kInvalidModel, e.message().c_str());
  }
  if (view.raw.empty()) return typed_tensor(view);
  if (view.dtype == DType::kString) {
    refuse(ErrorCode::kInvalidModel, "strings cannot be stored in raw_data");
  }
  if (wanted != static_cast<int64_t>(view.raw.size())) {
    fail(ErrorCode::kInvalidModel, "{}: its shape needs {} bytes, raw_data has {}", label(view),
         wanted, view.raw.size());
  }
  Tensor tensor = Tensor::borrow(view.dtype, view.dims, view.raw.data());
  return view.dtype == DType::kBool ? clean_bools(std::move(tensor)) : std::move(tensor);
}

Tensor owned(Tensor tensor) {
  if (tensor.owns() || tensor.dtype() == DType::kString || tensor.dtype() == DType::kUndefined)
    return tensor;
  Tensor copy(tensor.dtype(), tensor.dims());
  if (tensor.bytes() > 0) {
    std::memcpy(copy.mutable_raw(), tensor.raw(), static_cast<size_t>(tensor.bytes()));
  }
  return copy;
}

std::string serialize_tensor(const Tensor& tensor, std::string_view name) {
  constexpr int64_t kLimit = (int64_t{1} << 31) - (1 << 20);  // room for the other fields
  int64_t total = tensor.bytes();
  for (const std::string& s : tensor.strings()) total += static_cast<int64_t>(s.size()) + 6;
  if (total > kLimit) {
    fail(ErrorCode::kUnsupported,
         "tensor '{}' of {} bytes does not fit into a .pb file (2 GB at most); write .npy", name,
         total);
  }
  std::string out;
  protozero::pbf_writer writer(out);
  writer.add_packed_int64(kDims, tensor.dims().begin(), tensor.dims().end());
  writer.add_int32(kDataType, static_cast<int32_t>(tensor.dtype()));
  if (!name.empty()) writer.add_string(kName, name.data(), name.size());
  if (tensor.dtype() == DType::kString) {
    for (const std::string& s : tensor.strings()) writer.add_bytes(kStringData, s);
  } else {
    writer.add_bytes(kRawData, reinterpret_cast<const char*>(tensor.raw()),
                     static_cast<size_t>(tensor.bytes()));
  }
  return out;
}

}  // namespace planish::io
