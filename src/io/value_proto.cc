#include "io/value_proto.h"

#include <cstring>
#include <protozero/pbf_writer.hpp>

#include "base/elements.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "io/pb_reader.h"
#include "io/tensor_proto.h"

namespace planish::io {
namespace {

using Bytes = std::span<const std::byte>;

constexpr int kMaxDepth = 16;  // sequences within sequences; ONNX's cases use 2

// Numbers of `elem_type` in SequenceProto and OptionalProto.
enum class Element : int32_t {
  kUndefined = 0,
  kTensor = 1,
  kSparse = 2,
  kSequence = 3,
  kMap = 4,
  kOptional = 5
};

Value read_sequence(Bytes bytes, int64_t offset, int depth);
Value read_map(Bytes bytes, int64_t offset, int depth);
Value read_optional(Bytes bytes, int64_t offset, int depth);

Tensor read_tensor(Bytes bytes, int64_t offset) {
  return owned(to_tensor(parse_tensor_proto(bytes, offset)));
}

void check_depth(const PbReader& reader, int depth) {
  if (depth > kMaxDepth) reader.invalid("values nested more than {} deep", kMaxDepth);
}

Value read_sequence(Bytes bytes, int64_t offset, int depth) {
  PbReader reader(bytes, offset, "SequenceProto");
  check_depth(reader, depth);
  Sequence sequence;
  while (reader.next()) {
    const uint32_t field = reader.field();
    if (field < 3 || field > 7) {  // name, elem_type
      reader.skip();
      continue;
    }
    const Bytes part = reader.bytes();
    const int64_t at = reader.offset_of(part);
    switch (field) {
      case 3:
        sequence.emplace_back(read_tensor(part, at));
        break;
      case 4:
        fail(ErrorCode::kUnsupported, "SequenceProto at byte {}: sparse tensors are not supported",
             at);
      case 5:
        sequence.push_back(read_sequence(part, at, depth + 1));
        break;
      case 6:
        sequence.push_back(read_map(part, at, depth + 1));
        break;
      default:
        sequence.push_back(read_optional(part, at, depth + 1));
        break;
    }
  }
  return sequence;
}

// One entry a key, given as a sequence of one-element tensors, becomes a 1-D tensor.
Tensor join_values(const PbReader& reader, const Sequence& parts) {
  if (parts.empty()) return Tensor(DType::kFloat32, {0});
  for (const Value& part : parts) {
    if (!part.is_tensor() || part.tensor().size() != 1 ||
        part.tensor().dtype() != parts[0].tensor().dtype()) {
      reader.invalid("a map's values must be single elements of one type");
    }
  }
  const DType dtype = parts[0].tensor().dtype();
  const Dims dims = {static_cast<int64_t>(parts.size())};
  if (dtype == DType::kString) {
    std::vector<std::string> strings;
    for (const Value& part : parts) strings.push_back(part.tensor().strings()[0]);
    return Tensor::from_strings(dims, std::move(strings));
  }
  Tensor joined(dtype, dims);
  if (is_sub_byte(dtype)) {
    const int bits = bit_width(dtype);
    for (size_t i = 0; i < parts.size(); ++i) {
      store_packed(joined.mutable_raw(), bits, static_cast<int64_t>(i),
                   load_packed(parts[i].tensor().raw(), bits, 0));
    }
    return joined;
  }
  const auto width = static_cast<size_t>(bit_width(dtype) / 8);
  for (size_t i = 0; i < parts.size(); ++i) {
    std::memcpy(joined.mutable_raw() + i * width, parts[i].tensor().raw(), width);
  }
  return joined;
}

Value read_map(Bytes bytes, int64_t offset, int depth) {
  PbReader reader(bytes, offset, "MapProto");
  check_depth(reader, depth);
  DType key_type = DType::kUndefined;
  std::vector<int64_t> ints;
  std::vector<std::string> strings;
  Sequence values;
  while (reader.next()) {
    switch (reader.field()) {
      case 2: {
        const uint64_t number = reader.varint();
        if (number >= static_cast<uint64_t>(kDTypeCount))
          reader.invalid("unknown key type {}", number);
        key_type = static_cast<DType>(number);
        break;
      }
      case 3:
        each_varint(reader, [&](uint64_t key) { ints.push_back(static_cast<int64_t>(key)); });
        break;
      case 4:
        strings.emplace_back(reader.text());
        break;
      case 5: {
        const Bytes part = reader.bytes();
        values = read_sequence(part, reader.offset_of(part), depth + 1).sequence();
        break;
      }
      default:
        reader.skip();
    }
  }
  MapValue map;
  const bool by_text = key_type == DType::kString;
  if (!by_text && !is_integer(key_type)) {
    reader.invalid("a map's keys are integers or strings, not {}", to_string(key_type));
  }
  if (by_text ? !ints.empty() : !strings.empty()) {
    reader.invalid("a map whose keys are {} has keys of another type", to_string(key_type));
  }
  const size_t count = by_text ? strings.size() : ints.size();
  if (count != values.size())
    reader.invalid("a map with {} keys and {} values", count, values.size());
  const Dims dims = {static_cast<int64_t>(count)};
  map.keys =
      by_text ? Tensor::from_strings(dims, std::move(strings)) : Tensor::of<int64_t>(dims, ints);
  map.values = join_values(reader, values);
  return map;
}

Value read_optional(Bytes bytes, int64_t offset, int depth) {
  PbReader reader(bytes, offset, "OptionalProto");
  check_depth(reader, depth);
  Value value;
  while (reader.next()) {
    const uint32_t field = reader.field();
    if (field < 3 || field > 7) {
      reader.skip();
      continue;
    }
    const Bytes part = reader.bytes();
    const int64_t at = reader.offset_of(part);
    switch (field) {
      case 3:
        value = read_tensor(part, at);
        break;
      case 4:
        fail(ErrorCode::kUnsupported, "OptionalProto at byte {}: sparse tensors are not supported",
             at);
      case 5:
        value = read_sequence(part, at, depth + 1);
        break;
      case 6:
        value = read_map(part, at, depth + 1);
        break;
      default:
        value = read_optional(part, at, depth + 1);
        break;
    }
  }
  return value;
}

// --- writing
// --------------------------------------------------------------------------------------

Element element_of(const Value& value) {
  if (value.is_tensor()) return Element::kTensor;
  if (value.is_sequence()) return Element::kSequence;
  if (value.is_map()) return Element::kMap;
  return Element::kUndefined;
}

std::string write_sequence(const Sequence& sequence, std::string_view name);

std::string write_map(const MapValue& map, std::string_view name) {
  std::string out;
  protozero::pbf_writer writer(out);
  if (!name.empty()) writer.add_string(1, name.data(), name.size());
  writer.add_int32(2, static_cast<int32_t>(map.keys.dtype()));
  if (map.keys.dtype() == DType::kString) {
    for (const std::string& key : map.keys.strings()) writer.add_bytes(4, key);
  } else {
    for (const int64_t key : to_ints(map.keys)) writer.add_int64(3, key);
  }
  Sequence values;
  for (int64_t i = 0; i < map.values.size(); ++i) {
    if (map.values.dtype() == DType::kString) {
      values.emplace_back(Tensor::from_strings({}, {map.values.strings()[static_cast<size_t>(i)]}));
    } else if (is_sub_byte(map.values.dtype())) {
      const int bits = bit_width(map.values.dtype());
      Tensor one(map.values.dtype(), {});
      store_packed(one.mutable_raw(), bits, 0, load_packed(map.values.raw(), bits, i));
      values.emplace_back(std::move(one));
    } else {
      values.emplace_back(Tensor::borrow(map.values.dtype(), {},
                                         map.values.raw() + i * bit_width(map.values.dtype()) / 8));
    }
  }
  writer.add_message(5, write_sequence(values, {}));
  return out;
}

// Adds `value` under the field that SequenceProto and OptionalProto share for its kind.
void add_element(protozero::pbf_writer& writer, const Value& value) {
  if (value.is_tensor()) {
    writer.add_message(3, serialize_tensor(value.tensor()));
  } else if (value.is_sequence()) {
    writer.add_message(5, write_sequence(value.sequence(), {}));
  } else if (value.is_map()) {
    writer.add_message(6, write_map(value.map(), {}));
  }
}

std::string write_sequence(const Sequence& sequence, std::string_view name) {
  std::string out;
  protozero::pbf_writer writer(out);
  if (!name.empty()) writer.add_string(1, name.data(), name.size());
  const Element kind = sequence.empty() ? Element::kTensor : element_of(sequence[0]);
  writer.add_int32(2,
                   static_cast<int32_t>(kind == Element::kUndefined ? Element::kOptional : kind));
  for (const Value& value : sequence) {
    if (value.empty()) {
      writer.add_message(7, std::string());
    } else {
      add_element(writer, value);
    }
  }
  return out;
}

std::string write_optional(const Value& value, std::string_view name) {
  std::string out;
  protozero::pbf_writer writer(out);
  if (!name.empty()) writer.add_string(1, name.data(), name.size());
  writer.add_int32(2, static_cast<int32_t>(element_of(value)));
  add_element(writer, value);
  return out;
}

}  // namespace

Value parse_value(std::span<const std::byte> bytes, const Type& type) {
  switch (type.kind) {
    case Type::Kind::kSequence:
      return read_sequence(bytes, 0, 0);
    case Type::Kind::kOptional:
      return read_optional(bytes, 0, 0);
    case Type::Kind::kMap:
      return read_map(bytes, 0, 0);
    default:
      return read_tensor(bytes, 0);
  }
}

Value read_value_pb(const std::string& path, const Type& type) {
  const MappedFile file = MappedFile::open(path);
  try {
    return parse_value(file.bytes(), type);
  } catch (Error& e) {
    e.in_file(path);
    throw;
  }
}

std::string serialize_value(const Value& value, const Type& type, std::string_view name) {
  if (type.kind == Type::Kind::kOptional || value.empty()) return write_optional(value, name);
  if (value.is_sequence()) return write_sequence(value.sequence(), name);
  if (value.is_map()) return write_map(value.map(), name);
  return serialize_tensor(value.tensor(), name);
}

void write_value_pb(const std::string& path,
                    const Value& value,
                    const Type& type,
                    std::string_view name) {
  AtomicFile file(path);
  file.append(serialize_value(value, type, name));
  file.commit();
}

void write_tensor_pb(const std::string& path, const Tensor& tensor, std::string_view name) {
  write_value_pb(path, tensor, Type::tensor(tensor.dtype()), name);
}

}  // namespace planish::io
