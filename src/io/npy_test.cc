#include "io/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/elements.h"
#include "base/error.h"
#include "io/utf8.h"

namespace planish::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string npy(const std::string& header, const std::string& body, int version = 1) {
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    out += static_cast<char>(header.size() >> (8 * i));
  return out + header + body;
}
std::string dict(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}
std::string le(std::initializer_list<uint64_t> values, int width, bool big = false) {
  std::string out;
  for (const uint64_t v : values) {
    for (int i = 0; i < width; ++i) out += static_cast<char>(v >> (8 * (big ? width - 1 - i : i)));
  }
  return out;
}
Tensor read(const std::string& file, DType meant = DType::kUndefined) {
  return read_npy(std::as_bytes(std::span(file)), meant);
}
std::string message_of(const std::string& file, DType meant = DType::kUndefined) {
  try {
    read(file, meant);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Npy, VersionsAndOrders) {
  for (const int version : {1, 2, 3}) {
    for (const bool big : {false, true}) {
      const Tensor t = read(npy(dict(big ? ">i4" : "<i4", "(2, 3)"),
                                le({1, 2, 3, 4, 5, 0xFFFFFFFF}, 4, big), version));
      EXPECT_EQ(t.dtype(), DType::kInt32);
      EXPECT_EQ(t.dims(), (Dims{2, 3}));
      EXPECT_THAT(to_ints(t), ElementsAre(1, 2, 3, 4, 5, -1));
    }
  }
}

TEST(Npy, FortranOrder) {
  const Tensor t = read(npy(dict("<i2", "(2, 3)", true), le({1, 4, 2, 5, 3, 6}, 2)));
  EXPECT_THAT(to_ints(t), ElementsAre(1, 2, 3, 4, 5, 6));
  // Element [i, j, k] of a (2, 2, 2) array is 4i + 2j + k in C order and i + 2j + 4k in Fortran
  // order.
  const Tensor cube =
      read(npy(dict(">u2", "(2, 2, 2)", true), le({0, 1, 2, 3, 4, 5, 6, 7}, 2, true)));
  EXPECT_THAT(to_ints(cube), ElementsAre(0, 4, 2, 6, 1, 5, 3, 7));
}

TEST(Npy, EveryNumericType) {
  const std::pair<const char*, DType> types[] = {
      {"|b1", DType::kBool},    {"|i1", DType::kInt8},    {"<i2", DType::kInt16},
      {"<i4", DType::kInt32},   {"<i8", DType::kInt64},   {"|u1", DType::kUint8},
      {"<u2", DType::kUint16},  {"<u4", DType::kUint32},  {"<u8", DType::kUint64},
      {"<f2", DType::kFloat16}, {"<f4", DType::kFloat32}, {"<f8", DType::kFloat64}};
  const std::vector<double> values = {1, 0, 1};
  for (const auto& [descr, type] : types) {
    const Tensor want = from_doubles(type, {3}, values);
    const std::string body(reinterpret_cast<const char*>(want.raw()),
                           static_cast<size_t>(want.bytes()));
    const Tensor got = read(npy(dict(descr, "(3,)"), body));
    EXPECT_EQ(got.dtype(), type);
    EXPECT_EQ(to_doubles(got), values) << descr;
  }
  const Tensor c = read(npy(dict(">c8", "()"), le({0x3F800000, 0x40000000}, 4, true)));
  EXPECT_EQ(c.dtype(), DType::kComplex64);
  const float parts[] = {1.f, 2.f};
  EXPECT_EQ(std::memcmp(c.raw(), parts, 8), 0);
}

TEST(Npy, Texts) {
  const std::string body = le({'h', 0xE9, 0, 0x1F600, 0, 0}, 4);
  const Tensor t = read(npy(dict("<U3", "(2,)"), body));
  EXPECT_THAT(t.strings(), ElementsAre("h\xC3\xA9", "\xF0\x9F\x98\x80"));
  EXPECT_THAT(read(npy(dict("|S3", "(2,)"), std::string("ab\0xyz", 6))).strings(),
              ElementsAre("ab", "xyz"));
  EXPECT_THAT(message_of(npy(dict("<U1", "(1,)"), le({0xD800}, 4))), HasSubstr("not a character"));
}

TEST(Npy, NamelessBytesNeedAType) {
  const std::string file = npy(dict("<V2", "(2,)"), le({0x3F80, 0xC000}, 2));
  EXPECT_THAT(to_doubles(read(file, DType::kBfloat16)), ElementsAre(1, -2));
  EXPECT_THAT(message_of(file), HasSubstr("expected type"));
  EXPECT_THAT(message_of(file, DType::kFloat8E5M2), HasSubstr("expected type"));
  const std::string bytes = npy(dict("|V1", "(2,)"), "\x38\x7E");
  EXPECT_THAT(to_doubles(read(bytes, DType::kFloat8E4M3Fn)), ElementsAre(1, 448));
  EXPECT_EQ(read(npy(dict("<f1", "(2,)"), "\x3C\x40")).dtype(), DType::kFloat8E5M2);
  // ml_dtypes keeps each 4-bit element in a byte.
  EXPECT_THAT(to_ints(read(npy(dict("|V1", "(3,)"), "\xFF\x0E\x07"), DType::kInt4)),
              ElementsAre(-1, -2, 7));
  EXPECT_THAT(to_ints(read(npy(dict("|u1", "(2,)"), "\x0F\x01"), DType::kUint4)),
              ElementsAre(15, 1));
  EXPECT_THAT(to_ints(read(npy(dict("|i1", "(2,)"), "\xF8\x01"), DType::kInt4)),
              ElementsAre(-8, 1));
  EXPECT_THAT(message_of(npy(dict("|i1", "(1,)"), "\x08"), DType::kInt4),
              HasSubstr("element 0 is 8"));
}

TEST(Npy, HeadersAsOthersWriteThem) {
  const std::string body = le({7}, 4);
  EXPECT_EQ(read(npy("{\"shape\":(1,),\"fortran_order\":False,\"descr\":\"<u4\"}", body)).dims(),
            Dims{1});
  EXPECT_EQ(read(npy("{'descr': 'u4', 'fortran_order': False, 'shape': (1L,)}", body)).dims(),
            Dims{1});
  EXPECT_EQ(read(npy(dict("<f4", "(0, 5)"), "")).size(), 0);
}

TEST(Npy, BrokenFilesAreRefused) {
  const std::string good = npy(dict("<f4", "(2,)"), std::string(8, 'x'));
  for (size_t n = 0; n < good.size(); ++n)
    EXPECT_NE(message_of(good.substr(0, n)), "no error") << n;
  EXPECT_THAT(message_of(good + "x"), HasSubstr("holds 9"));
  EXPECT_THAT(message_of("hello"), HasSubstr("mark"));
  EXPECT_THAT(message_of(npy(dict("<f4", "(2,)"), "12345678", 4)), HasSubstr("version 4.0"));
  EXPECT_THAT(message_of(npy(dict("<f4", "(1099511627776, 1099511627776)"), "1")),
              HasSubstr("2^62"));
  EXPECT_THAT(message_of(npy(dict("<c16", "(4611686018427387904,)"), "1")), HasSubstr("holds 1"));
  EXPECT_THAT(message_of(npy(dict("<f4", "(-1,)"), "")), HasSubstr("negative"));
  EXPECT_THAT(message_of(npy(dict("<f4", "(99999999999999999999,)"), "")), HasSubstr("number"));
  EXPECT_THAT(message_of(npy(dict("|O", "(1,)"), "")), HasSubstr("Python objects"));
  EXPECT_THAT(message_of(npy(dict("<M8[ns]", "(1,)"), std::string(8, 'x'))),
              HasSubstr("'<M8[ns]'"));
  EXPECT_THAT(message_of(npy(dict("<f16", "(1,)"), std::string(16, 'x'))),
              HasSubstr("no counterpart"));
  EXPECT_THAT(
      message_of(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234")),
      HasSubstr("structured"));
  EXPECT_THAT(message_of(npy("{'descr': '<f4', 'shape': (1,)}", "1234")), HasSubstr("missing"));
  EXPECT_THAT(message_of(npy("{'x': '<f4'}", "")), HasSubstr("unknown key"));
  EXPECT_THAT(message_of(npy(dict("|b1", "(1,)"), "\x05")), HasSubstr("bool"));
  EXPECT_THAT(message_of(npy(dict("<U0", "(4611686018427387904,)"), "")), HasSubstr("empty texts"));
  std::string huge = good;
  huge[6] = 2;
  huge[10] = huge[11] = '\xFF';
  EXPECT_THAT(message_of(huge), HasSubstr("a header of"));
}

class NpyFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("planish_npy_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::filesystem::path folder_;
};

TEST_F(NpyFiles, WritesWhatItReads) {
  const std::vector<double> values = {0, 1, 1, 0, 1, 1};
  for (int i = 1; i < kDTypeCount; ++i) {
    const auto type = static_cast<DType>(i);
    if (type == DType::kString || is_complex(type) || type == DType::kFloat8E8M0) continue;
    for (const Dims& dims : {Dims{6}, Dims{2, 3}, Dims{1, 6, 1}}) {
      write_npy_file(path("a.npy"), from_doubles(type, dims, values));
      const Tensor back = read_npy_file(path("a.npy"), type);
      EXPECT_EQ(back.dtype(), type);
      EXPECT_EQ(back.dims(), dims);
      EXPECT_EQ(to_doubles(back), values) << to_string(type);
    }
  }
  const Tensor texts = Tensor::from_strings({2}, {"\xC3\xA9t\xC3\xA9", ""});
  write_npy_file(path("s.npy"), texts);
  EXPECT_EQ(read_npy_file(path("s.npy")).strings(), texts.strings());
  EXPECT_THROW(serialize_npy(Tensor::from_strings({1}, {"\xFF"})), Error);
}

TEST(Npy, WritesExactlyAsNumPy) {
  const std::string file = serialize_npy(Tensor::of<float>({3}, {0.f, 0.f, 1.f}));
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
  header.append(117 - header.size(), ' ');
  header += '\n';
  EXPECT_EQ(file, npy(header, le({0, 0, 0x3F800000}, 4)));
  EXPECT_EQ(serialize_npy(Tensor::scalar(1.f)).size() % 64, 4u);
}

TEST_F(NpyFiles, ErrorsNameTheFile) {
  try {
    read_npy_file(path("none.npy"));
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.file(), path("none.npy"));
    EXPECT_EQ(e.code(), ErrorCode::kIo);
  }
}

TEST_F(NpyFiles, Archives) {
  NamedTensors tensors;
  tensors.emplace("x", Tensor::of<float>({2}, {1.f, 2.f}));
  tensors.emplace("zeros", Tensor(DType::kInt64, {100000}));
  tensors.emplace("b", from_doubles(DType::kBfloat16, {1}, std::vector<double>{3}));
  const std::map<std::string, DType> meant = {{"b", DType::kBfloat16}};
  for (const bool compress : {false, true}) {
    write_npz_file(path("a.npz"), tensors, compress);
    if (compress) {
      EXPECT_LT(std::filesystem::file_size(path("a.npz")), 10000u);
    }
    const NamedTensors back = read_npz_file(path("a.npz"), &meant);
    ASSERT_EQ(back.size(), 3u);
    EXPECT_THAT(to_doubles(back.at("x")), ElementsAre(1, 2));
    EXPECT_EQ(back.at("zeros").dims(), Dims{100000});
    EXPECT_THAT(to_doubles(back.at("b")), ElementsAre(3));
  }
  EXPECT_THROW(read_npz_file(path("a.npz")), Error);  // "b" has no name for its type
}

TEST_F(NpyFiles, TheSameArchiveGivesTheSameBytes) {
  NamedTensors tensors;
  tensors.emplace("x", Tensor::of<float>({2}, {1.f, 2.f}));
  const auto file = [&](const char* name) {
    write_npz_file(path(name), tensors);
    std::string text(std::filesystem::file_size(path(name)), '\0');
    std::FILE* f = std::fopen(path(name).c_str(), "rb");
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), f), text.size());
    std::fclose(f);
    return text;
  };
  std::string first = file("a.npz");
  EXPECT_EQ(first, file("b.npz"));
  // A flipped byte of the data is noticed.
  const auto at = first.find("NUMPY") + 130;
  first[at] = static_cast<char>(first[at] ^ 1);
  try {
    read_npz(std::as_bytes(std::span(first)));
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("array 'x'"));
  }
  for (size_t n = 0; n < first.size(); n += 7) {
    EXPECT_THROW(read_npz(std::as_bytes(std::span(first)).first(n)), Error);
  }
}

TEST(Utf8, StrictInBothDirections) {
  std::string all;
  for (const char32_t c :
       {U'\x7F', U'\x80', U'\x7FF', U'\x800', U'\xFFFF', U'\x10000', U'\x10FFFF'}) {
    ASSERT_TRUE(append_utf8(all, c));
  }
  EXPECT_EQ(decode_utf8(all), std::u32string(U"\x7F\x80\x7FF\x800\xFFFF\x10000\x10FFFF"));
  EXPECT_FALSE(append_utf8(all, 0xD800));
  EXPECT_FALSE(append_utf8(all, 0x110000));
  for (const char* bad : {"\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                          "\xC3", "\xC3x", "\xFF"}) {
    EXPECT_FALSE(decode_utf8(bad).has_value()) << testing::PrintToString(bad);
  }
}

}  // namespace
}  // namespace planish::io
