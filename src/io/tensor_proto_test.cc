// Messages are written here byte by byte, not by the writer under test.
#include "io/tensor_proto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/elements.h"
#include "base/error.h"

namespace planish::io {
namespace {

std::string varint(uint64_t value) {
  std::string out;
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  return out + static_cast<char>(value);
}
std::string tag(int field, int wire) { return varint(static_cast<uint64_t>(field << 3 | wire)); }
std::string number(int field, uint64_t value) { return tag(field, 0) + varint(value); }
std::string bytes(int field, const std::string& content) {
  return tag(field, 2) + varint(content.size()) + content;
}
template <class T>
std::string raw_of(std::initializer_list<T> values) {
  std::string out;
  for (const T v : values) out.append(reinterpret_cast<const char*>(&v), sizeof v);
  return out;
}
std::string varints(std::initializer_list<int64_t> values) {
  std::string out;
  for (const int64_t v : values) out += varint(static_cast<uint64_t>(v));
  return out;
}
std::string header(DType type, std::initializer_list<int64_t> dims) {
  std::string out = number(2, static_cast<uint64_t>(type));
  for (const int64_t d : dims) out += number(1, static_cast<uint64_t>(d));
  return out;
}

std::span<const std::byte> span_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}
Tensor read(const std::string& message) {
  return owned(to_tensor(parse_tensor_proto(span_of(message))));
}

std::string message_of(const std::string& message, int64_t offset = 0) {
  try {
    to_tensor(parse_tensor_proto(span_of(message), offset));
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(TensorProto, RawIsBorrowed) {
  const std::string message =
      header(DType::kFloat32, {2, 1}) + bytes(8, "w") + bytes(9, raw_of<float>({1.5f, -2.f}));
  const TensorProtoView view = parse_tensor_proto(span_of(message));
  EXPECT_EQ(view.name, "w");
  EXPECT_EQ(view.dims, (Dims{2, 1}));
  const Tensor t = to_tensor(view);
  EXPECT_FALSE(t.owns());
  EXPECT_GE(t.raw(), span_of(message).data());
  EXPECT_EQ(to_doubles(t), (std::vector<double>{1.5, -2}));
  EXPECT_TRUE(owned(t).owns());
}

TEST(TensorProto, DimsPackedOrNot) {
  const std::string message =
      number(2, 3) + bytes(1, varints({2, 300})) + bytes(9, std::string(600, 'x'));
  EXPECT_EQ(read(message).dims(), (Dims{2, 300}));
}

TEST(TensorProto, TypedFields) {
  EXPECT_EQ(to_doubles(read(header(DType::kFloat32, {2}) + bytes(4, raw_of<float>({0.5f, 3.f})))),
            (std::vector<double>{0.5, 3}));
  EXPECT_EQ(to_doubles(read(header(DType::kFloat64, {2}) + bytes(10, raw_of<double>({0.1, 3})))),
            (std::vector<double>{0.1, 3}));
  EXPECT_EQ(to_ints(read(header(DType::kInt64, {2}) + bytes(7, varints({-1, int64_t{1} << 40})))),
            (std::vector<int64_t>{-1, int64_t{1} << 40}));
  EXPECT_EQ(to_ints(read(header(DType::kUint64, {1}) + bytes(11, varints({-1})))),
            (std::vector<int64_t>{-1}));
  EXPECT_EQ(to_ints(read(header(DType::kUint32, {1}) + bytes(11, varints({0xFFFFFFFF})))),
            (std::vector<int64_t>{0xFFFFFFFF}));
  for (const DType type : {DType::kInt8, DType::kInt16, DType::kInt32}) {
    EXPECT_EQ(to_ints(read(header(type, {3}) + bytes(5, varints({-3, 0, 100})))),
              (std::vector<int64_t>{-3, 0, 100}));
  }
  EXPECT_EQ(to_ints(read(header(DType::kUint16, {1}) + bytes(5, varints({65535})))),
            (std::vector<int64_t>{65535}));
  EXPECT_EQ(to_ints(read(header(DType::kBool, {3}) + bytes(5, varints({0, 1, 256})))),
            (std::vector<int64_t>{0, 1, 1}));
  // 16-bit floats as their bits.
  EXPECT_EQ(to_doubles(read(header(DType::kFloat16, {2}) + bytes(5, varints({0x3C00, 0xC000})))),
            (std::vector<double>{1, -2}));
  EXPECT_EQ(to_doubles(read(header(DType::kBfloat16, {1}) + bytes(5, varints({0x3FC0})))),
            (std::vector<double>{1.5}));
  EXPECT_EQ(to_doubles(read(header(DType::kFloat8E4M3Fn, {1}) + bytes(5, varints({0x7E})))),
            (std::vector<double>{448}));
}

TEST(TensorProto, UnpackedAndScatteredFields) {
  const std::string message = tag(4, 5) + raw_of<float>({1.f}) + header(DType::kFloat32, {3}) +
                              bytes(4, raw_of<float>({2.f})) + tag(4, 5) + raw_of<float>({3.f});
  EXPECT_EQ(to_doubles(read(message)), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(to_ints(read(header(DType::kInt64, {2}) + number(7, 5) + number(7, 6))),
            (std::vector<int64_t>{5, 6}));
}

TEST(TensorProto, SubByteTypesArePackedInInt32Data) {
  // Three elements are two stored values; the first element lies in the low bits.
  EXPECT_EQ(to_ints(read(header(DType::kInt4, {3}) + bytes(5, varints({0xE1, 0x07})))),
            (std::vector<int64_t>{1, -2, 7}));
  EXPECT_EQ(to_ints(read(header(DType::kUint2, {5}) + bytes(5, varints({0b00111001, 2})))),
            (std::vector<int64_t>{1, 2, 3, 0, 2}));
  EXPECT_EQ(to_ints(read(header(DType::kUint4, {2}) + bytes(9, "\x21"))),
            (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(to_doubles(read(header(DType::kFloat4E2M1, {2}) + bytes(9, "\x7B"))),
            (std::vector<double>{-1.5, 6}));
}

TEST(TensorProto, ComplexStringsAndEmpty) {
  const Tensor c = read(header(DType::kComplex64, {1}) + bytes(4, raw_of<float>({1.f, 2.f})));
  EXPECT_EQ(std::memcmp(c.raw(), raw_of<float>({1.f, 2.f}).data(), 8), 0);
  const Tensor s =
      read(header(DType::kString, {2}) + bytes(6, "ab") + bytes(6, std::string("\0x", 2)));
  EXPECT_THAT(s.strings(), testing::ElementsAre("ab", std::string("\0x", 2)));
  EXPECT_EQ(read(header(DType::kFloat32, {0, 4})).size(), 0);
  EXPECT_EQ(read(header(DType::kFloat32, {0}) + bytes(9, "")).size(), 0);
  EXPECT_EQ(read(header(DType::kInt64, {}) + bytes(7, varints({9}))).rank(), 0);
}

TEST(TensorProto, RawBoolsAreCleaned) {
  const Tensor t = read(header(DType::kBool, {3}) + bytes(9, std::string("\x00\x01\x07", 3)));
  EXPECT_EQ(static_cast<int>(t.raw()[2]), 1);
}

TEST(TensorProto, ExternalDataIsOnlyParsed) {
  const std::string message = header(DType::kFloat32, {4}) +
                              bytes(13, bytes(1, "location") + bytes(2, "w.bin")) +
                              bytes(13, bytes(1, "offset") + bytes(2, "64")) + number(14, 1);
  const TensorProtoView view = parse_tensor_proto(span_of(message));
  EXPECT_TRUE(view.external);
  ASSERT_EQ(view.external_data.size(), 2u);
  EXPECT_EQ(view.external_data[1].key, "offset");
  EXPECT_EQ(view.external_data[1].value, "64");
  EXPECT_THROW(to_tensor(view), Error);
}

TEST(TensorProto, UnknownFieldsAreSkipped) {
  EXPECT_EQ(to_ints(read(bytes(12, "doc") + number(500, 3) + header(DType::kUint8, {1}) +
                         bytes(9, "\x05"))),
            (std::vector<int64_t>{5}));
}

TEST(TensorProto, ErrorsNameTheCulprit) {
  using testing::HasSubstr;
  EXPECT_THAT(message_of(header(DType::kFloat32, {3}) + bytes(8, "w") + bytes(9, "1234")),
              testing::AllOf(HasSubstr("'w'"), HasSubstr("12 bytes"), HasSubstr("has 4")));
  EXPECT_THAT(message_of(header(DType::kFloat32, {2})), HasSubstr("there are 0"));
  EXPECT_THAT(message_of(header(DType::kInt4, {5}) + bytes(5, varints({1, 2}))),
              HasSubstr("needs 3"));
  EXPECT_THAT(message_of(header(DType::kFloat32, {1}) + bytes(9, "1234") + bytes(4, "1234")),
              HasSubstr("unclear"));
  EXPECT_THAT(message_of(number(1, 1) + bytes(9, "1")), HasSubstr("no element type"));
  EXPECT_THAT(message_of(number(2, 99)), HasSubstr("element type 99"));
  EXPECT_THAT(message_of(header(DType::kString, {1}) + bytes(9, "1234")), HasSubstr("strings"));
  EXPECT_THAT(message_of(header(DType::kFloat32, {-1}) + bytes(9, "1234")), HasSubstr("negative"));
  // The field that is broken starts 4 bytes into a message at byte 1000.
  EXPECT_THAT(message_of(header(DType::kFloat32, {1}) + "\x4A\x7F", 1000), HasSubstr("byte 1004"));
  EXPECT_THAT(message_of(header(DType::kFloat32, {1}) + number(9, 3), 1000),
              HasSubstr("byte 1004"));
  EXPECT_THAT(message_of(header(DType::kFloat32, {1}) + bytes(4, "123")),
              HasSubstr("3 bytes long"));
}

TEST(TensorProto, HugeShapesTakeNoMemory) {
  const int64_t huge = int64_t{1} << 40;
  for (const DType type : {DType::kFloat32, DType::kString, DType::kInt4, DType::kComplex128}) {
    EXPECT_THAT(message_of(header(type, {huge})), testing::HasSubstr("stored values"));
    EXPECT_NE(message_of(header(type, {huge, huge, huge})), "no error");
  }
}

TEST(TensorProto, RoundTrip) {
  const std::vector<double> values = {0, 1, 1};
  for (int i = 1; i < kDTypeCount; ++i) {
    const auto type = static_cast<DType>(i);
    if (type == DType::kString || is_complex(type) || type == DType::kFloat8E8M0) continue;
    const Tensor t = from_doubles(type, {1, 3}, values);
    const std::string message = serialize_tensor(t, "x");
    const Tensor back = read(message);
    EXPECT_EQ(back.dtype(), type);
    EXPECT_EQ(back.dims(), t.dims());
    EXPECT_EQ(to_doubles(back), values) << to_string(type);
  }
  const Tensor s = Tensor::from_strings({2}, {"", "x"});
  EXPECT_EQ(read(serialize_tensor(s)).strings(), s.strings());
}

}  // namespace
}  // namespace planish::io
