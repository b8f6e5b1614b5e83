#include "io/value_proto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/elements.h"
#include "base/error.h"
#include "io/tensor_proto.h"

namespace planish::io {
namespace {

std::span<const std::byte> span_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string field(int number, const std::string& content) {
  std::string out;
  out += static_cast<char>(number << 3 | 2);
  out += static_cast<char>(content.size());  // short messages only
  return out + content;
}

const Type kTensorType = Type::tensor(DType::kFloat32);

std::string one(float value) { return serialize_tensor(Tensor::scalar(value)); }

TEST(ValueProto, Sequence) {
  const std::string message = "\x10\x01" + field(3, one(1)) + field(3, one(2));
  const Value value = parse_value(span_of(message), Type::sequence(kTensorType));
  ASSERT_EQ(value.sequence().size(), 2u);
  EXPECT_EQ(load_double(value.sequence()[1].tensor(), 0), 2);
  EXPECT_TRUE(value.sequence()[0].tensor().owns());
  EXPECT_TRUE(parse_value({}, Type::sequence(kTensorType)).sequence().empty());
}

TEST(ValueProto, MapsWithIntegerKeysPackedOrNot) {
  const std::string values = field(3, one(0.5f)) + field(3, one(0.25f));
  const std::string head = "\x10\x07";  // key type int64
  for (const std::string& keys : {std::string("\x18\x05\x18\x06"), field(3, "\x05\x06")}) {
    const Value value =
        parse_value(span_of(head + keys + field(5, values)), Type::map(DType::kInt64, kTensorType));
    EXPECT_EQ(to_ints(value.map().keys), (std::vector<int64_t>{5, 6}));
    EXPECT_EQ(to_doubles(value.map().values), (std::vector<double>{0.5, 0.25}));
  }
}

TEST(ValueProto, MapWithTextKeysInASequence) {
  const std::string map = std::string("\x10\x08") + field(4, "cat") + field(5, field(3, one(1)));
  const Value value =
      parse_value(span_of(field(6, map)), Type::sequence(Type::map(DType::kString, kTensorType)));
  EXPECT_THAT(value.sequence()[0].map().keys.strings(), testing::ElementsAre("cat"));
}

TEST(ValueProto, Optional) {
  const Type type = Type::optional(kTensorType);
  EXPECT_TRUE(parse_value({}, type).empty());
  EXPECT_EQ(load_double(parse_value(span_of("\x10\x01" + field(3, one(3))), type).tensor(), 0), 3);
  EXPECT_EQ(parse_value(span_of(field(5, field(3, one(3)))), type).sequence().size(), 1u);
}

TEST(ValueProto, BrokenMessages) {
  const auto fails = [](const std::string& message, const Type& type, const char* text) {
    try {
      parse_value(span_of(message), type);
      ADD_FAILURE() << "no error: " << text;
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr(text));
    }
  };
  const Type map = Type::map(DType::kInt64, kTensorType);
  fails("\x10\x07\x18\x05", map, "1 keys and 0 values");
  fails("\x10\x01", map, "integers or strings");
  fails("\x10\x08\x18\x05", map, "another type");
  fails("\x10\x63", map, "unknown key type 99");
  fails("\x1A\x7F", Type::sequence(kTensorType), "byte 0");
  fails(field(3, "\x4A\x7F"), Type::sequence(kTensorType), "byte 2");
  fails(field(4, ""), Type::sequence(kTensorType), "sparse");
  std::string nested;
  for (int i = 0; i < 30; ++i) nested = field(5, nested);
  fails(nested, Type::sequence(kTensorType), "nested more than 16");
}

TEST(ValueProto, RoundTripThroughFiles) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("planish_value_" + std::to_string(::getpid()) + ".pb"))
                               .string();
  const auto trip = [&](const Value& value, const Type& type) {
    write_value_pb(path, value, type, "v");
    return read_value_pb(path, type);
  };
  const Type sequence = Type::sequence(kTensorType);
  Sequence two;
  two.emplace_back(Tensor::scalar(1.f));
  two.emplace_back(Tensor::of<float>({2}, {2.f, 3.f}));
  EXPECT_EQ(to_doubles(trip(two, sequence).sequence()[1].tensor()), (std::vector<double>{2, 3}));
  EXPECT_TRUE(trip(Value(), Type::optional(kTensorType)).empty());
  EXPECT_EQ(trip(two, Type::optional(sequence)).sequence().size(), 2u);

  MapValue map;
  map.keys = Tensor::from_strings({2}, {"a", "b"});
  map.values = Tensor::of<int64_t>({2}, {7, 8});
  const Value back = trip(map, Type::map(DType::kString, Type::tensor(DType::kInt64)));
  EXPECT_EQ(back.map().keys.strings(), map.keys.strings());
  EXPECT_EQ(to_ints(back.map().values), (std::vector<int64_t>{7, 8}));

  write_tensor_pb(path, Tensor::scalar(4.f), "t");
  try {
    read_value_pb(path, Type::map(DType::kString, kTensorType));
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.file(), path);
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace planish::io
