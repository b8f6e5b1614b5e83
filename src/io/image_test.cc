// The pictures in testdata and what they decode to were made with Pillow.
#include "io/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "base/elements.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "io/input_file.h"
#include "io/npy.h"

namespace planish::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string data(const std::string& name) {
  return std::string(PLANISH_SOURCE_DIR) + "/src/io/testdata/" + name;
}

// Largest difference of two pictures; -1 when their shapes differ.
int distance(const Tensor& a, const Tensor& b) {
  if (a.dims() != b.dims()) return -1;
  int worst = 0;
  for (size_t i = 0; i < a.data<uint8_t>().size(); ++i) {
    worst = std::max(worst, std::abs(a.data<uint8_t>()[i] - b.data<uint8_t>()[i]));
  }
  return worst;
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Png, EveryColourType) {
  for (const char* name : {"rgb", "rgba", "gray_alpha", "gray16", "palette", "bits"}) {
    SCOPED_TRACE(name);
    const Tensor expected = read_npy_file(data(std::string(name) + "_png.npy"));
    EXPECT_EQ(distance(read_image_file(data(std::string(name) + ".png")), expected), 0);
  }
}

TEST(Png, DamagedFilesAreRefused) {
  const MappedFile file = MappedFile::open(data("rgb.png"));
  for (size_t n = 0; n < file.bytes().size(); ++n) {
    EXPECT_THROW(read_png(file.bytes().first(n)), Error) << n;
  }
  std::vector<std::byte> bytes(file.bytes().begin(), file.bytes().end());
  bytes[50] ^= std::byte{1};
  EXPECT_THAT(message_of([&] { read_png(bytes); }), HasSubstr("PNG"));
  // A width and height of 2^24 with a right checksum would be 2^48 pixels.
  EXPECT_THAT(message_of([&] { read_image_file(data("rgb_png.npy")); }), HasSubstr("neither"));
}

TEST(Png, Writer) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("planish_png_" + std::to_string(::getpid()) + ".png"))
                               .string();
  for (const char* name : {"rgb_png.npy", "gray16_png.npy"}) {
    const Tensor image = read_npy_file(data(name));
    write_png_file(path, image);
    EXPECT_EQ(distance(read_image_file(path), image), 0);
  }
  std::filesystem::remove(path);
  EXPECT_THROW(write_png_file(path, Tensor::of<float>({1, 1, 1}, {0.f})), Error);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Jpeg, EveryColourSpace) {
  for (const char* name : {"rgb", "gray", "progressive", "cmyk"}) {
    SCOPED_TRACE(name);
    const Tensor expected = read_npy_file(data(std::string(name) + "_jpg.npy"));
    // Decoders may round differently by one; the path over CMYK rounds twice.
    const int d = distance(read_image_file(data(std::string(name) + ".jpg")), expected);
    EXPECT_GE(d, 0);
    EXPECT_LE(d, 2);
  }
}

TEST(Jpeg, CutFilesAreRefused) {
  for (const char* name : {"rgb.jpg", "progressive.jpg"}) {
    const MappedFile file = MappedFile::open(data(name));
    for (size_t n = 0; n + 2 < file.bytes().size(); n += 13) {
      EXPECT_THROW(read_jpeg(file.bytes().first(n)), Error) << name << " " << n;
    }
  }
}

TEST(Resize, AsPillowDoes) {
  const Tensor image = read_npy_file(data("resize_in.npy"));
  for (const auto& [w, h] : {std::pair{10, 7}, {60, 50}, {37, 9}, {28, 23}}) {
    const Tensor expected = read_npy_file(data(fmt::format("resize_{}x{}.npy", w, h)));
    const int d = distance(resize_image(image, w, h), expected);
    EXPECT_GE(d, 0);
    EXPECT_LE(d, 1) << w << "x" << h;  // Pillow computes in fixed point
  }
  EXPECT_EQ(distance(resize_image(image, 37, 23), image), 0);
  EXPECT_THROW(resize_image(image, 0, 5), Error);
  EXPECT_THROW(resize_image(image, 1 << 20, 1 << 20), Error);
}

// Two pixels: (10, 20, 30) and (40, 50, 60).
Tensor two_pixels() { return Tensor::of<uint8_t>({1, 2, 3}, {10, 20, 30, 40, 50, 60}); }

Type f32(Shape shape) { return Type::tensor(DType::kFloat32, std::move(shape)); }

TEST(ImageInput, Layouts) {
  const Tensor nchw = image_to_input(
      two_pixels(), f32({SizeExpr::symbol("N"), 3, SizeExpr::symbol("H"), SizeExpr::symbol("W")}));
  EXPECT_EQ(nchw.dims(), (Dims{1, 3, 1, 2}));
  EXPECT_THAT(to_doubles(nchw), ElementsAre(10, 40, 20, 50, 30, 60));
  const Tensor nhwc =
      image_to_input(two_pixels(), f32({1, 1 + SizeExpr::symbol("H"), SizeExpr::symbol("W"), 3}));
  EXPECT_EQ(nhwc.dims(), (Dims{1, 1, 2, 3}));
  EXPECT_THAT(to_doubles(nhwc), ElementsAre(10, 20, 30, 40, 50, 60));
  EXPECT_EQ(image_to_input(two_pixels(), f32({3, 1, 2})).dims(), (Dims{3, 1, 2}));
  EXPECT_EQ(image_to_input(two_pixels(), Type::tensor(DType::kFloat32)).dims(), (Dims{1, 3, 1, 2}));
  ImageOptions options;
  options.layout = ImageOptions::Layout::kNhwc;
  EXPECT_EQ(image_to_input(two_pixels(), Type::tensor(DType::kFloat32), options).dims(),
            (Dims{1, 1, 2, 3}));
}

TEST(ImageInput, NormalisesInTheModelsChannelOrder) {
  ImageOptions options;
  options.scale = {0.1f};
  options.mean = {1, 2, 3};
  options.std = {1, 2, 4};
  const std::vector<double> rgb =
      to_doubles(image_to_input(two_pixels(), f32({1, 3, 1, 2}), options));
  const double expected[] = {0, 3, 0, 1.5, 0, 0.75};
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(rgb[i], expected[i], 1e-6);
  options.bgr = true;
  EXPECT_NEAR(to_doubles(image_to_input(two_pixels(), f32({1, 3, 1, 2}), options))[0], 30 * 0.1 - 1,
              1e-6);
}

TEST(ImageInput, ChannelsBatchAndTypes) {
  const Tensor gray = image_to_input(two_pixels(), f32({1, 1, 1, 2}));
  EXPECT_THAT(to_doubles(gray), ElementsAre(18, 48));  // .299 R + .587 G + .114 B
  EXPECT_THAT(to_doubles(image_to_input(Tensor::of<uint8_t>({1, 1, 1}, {7}), f32({2, 3, 1, 1}))),
              ElementsAre(7, 7, 7, 7, 7, 7));
  EXPECT_EQ(image_to_input(two_pixels(), f32({1, 2})).dims(), (Dims{1, 2}));
  const Tensor u8 =
      image_to_input(two_pixels(), Type::tensor(DType::kUint8, {1, SizeExpr::symbol("H"), 2, 3}));
  EXPECT_THAT(to_ints(u8), ElementsAre(10, 20, 30, 40, 50, 60));
  EXPECT_EQ(
      load_double(image_to_input(two_pixels(), Type::tensor(DType::kFloat16, {1, 3, 1, 2})), 5),
      60);
}

TEST(ImageInput, ResizesToTheShape) {
  EXPECT_EQ(image_to_input(two_pixels(), f32({1, 3, 8, 6})).dims(), (Dims{1, 3, 8, 6}));
  ImageOptions options;
  options.resize = {{6, 8}};
  const SizeExpr h = SizeExpr::symbol("H");
  EXPECT_EQ(image_to_input(two_pixels(), f32({1, 3, h, 6}), options).dims(), (Dims{1, 3, 8, 6}));
}

TEST(ImageInput, ContradictionsAreNamed) {
  const auto fails = [](const Type& type, const ImageOptions& options) {
    return message_of([&] { image_to_input(two_pixels(), type, options); });
  };
  ImageOptions options;
  options.resize = {{6, 8}};
  EXPECT_THAT(fails(f32({1, 3, 224, 224}), options), HasSubstr("height is 224, but 8"));
  options = {};
  options.channels = 1;
  EXPECT_THAT(fails(f32({1, 3, 8, 8}), options), HasSubstr("channels is 3, but 1"));
  options = {};
  options.mean = {1, 2};
  EXPECT_THAT(fails(f32({1, 3, 1, 2}), options), HasSubstr("mean has 2 values for 3"));
  options.mean = {1};
  EXPECT_THAT(fails(Type::tensor(DType::kUint8, {1, 3, 1, 2}), options),
              HasSubstr("without scale"));
  EXPECT_THAT(fails(f32({1, 4, 8, 8}), {}), HasSubstr("4 channels"));
  EXPECT_THAT(fails(f32({1, 3, 8, 8, 8}), {}), HasSubstr("2 to 4 dims"));
  EXPECT_THAT(fails(Type::tensor(DType::kString, {1, 3, 8, 8}), {}), HasSubstr("string"));
  options = {};
  options.std = {0};
  EXPECT_THAT(fails(f32({1, 3, 1, 2}), options), HasSubstr("std"));
}

TEST(InputFile, ChoosesByExtension) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("planish_input_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto path = [&](const char* name) { return (folder / name).string(); };
  EXPECT_EQ(read_input_file(data("rgb.png"), f32({1, 3, 5, 7})).tensor().dims(),
            (Dims{1, 3, 5, 7}));
  EXPECT_EQ(read_input_file(data("rgb_png.npy"), f32({})).tensor().dtype(), DType::kUint8);

  NamedTensors tensors;
  tensors.emplace("a", from_doubles(DType::kBfloat16, {1}, std::vector<double>{5}));
  write_npz_file(path("one.npz"), tensors);
  const Type bf16 = Type::tensor(DType::kBfloat16);
  EXPECT_EQ(load_double(read_input_file(path("one.npz"), bf16, {}, "other").tensor(), 0), 5);
  tensors.emplace("b", from_doubles(DType::kBfloat16, {1}, std::vector<double>{6}));
  write_npz_file(path("two.NPZ"), tensors);
  EXPECT_EQ(load_double(read_input_file(path("two.NPZ"), bf16, {}, "b").tensor(), 0), 6);
  EXPECT_THAT(message_of([&] { read_input_file(path("two.NPZ"), bf16, {}, "x"); }),
              HasSubstr("it holds a, b"));
  EXPECT_THAT(message_of([&] { read_input_file(path("x.txt"), bf16); }),
              HasSubstr("x.txt: the name does not say"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace planish::io
