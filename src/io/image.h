// Pictures as model inputs: decode, resize, arrange, normalise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "base/type.h"

namespace planish::io {

// A picture is a uint8 tensor [height, width, channels] with 1 (gray) or 3 (RGB) channels.
// PNG: every depth and colour type; 16 bits are scaled to 8, alpha is dropped, palettes are looked
// up. JPEG: gray, YCbCr, RGB, CMYK; baseline and progressive. Orientation tags are not applied.
// kInvalidInput for damaged or cut files and for more than 2^27 pixels.
Tensor read_png(std::span<const std::byte> bytes);
Tensor read_jpeg(std::span<const std::byte> bytes);
// By the first bytes, whatever the file is called. Errors name the file.
Tensor read_image_file(const std::string& path);

void write_png_file(const std::string& path, const Tensor& image);

// Bilinear with antialiasing: when shrinking, the triangle filter is widened by the factor, as
// Pillow and torchvision do; each of the two passes rounds to 8 bits.
Tensor resize_image(const Tensor& image, int64_t width, int64_t height);

// How a picture becomes an input tensor: value = (pixel * scale - mean) / std, for each channel in
// the model's order. The usual recipe of torchvision is scale 1/255, mean 0.485,0.456,0.406 and std
// 0.229,0.224,0.225; Caffe's is scale 1, mean 103.939,116.779,123.68 and BGR.
struct ImageOptions {
  enum class Layout : uint8_t { kAuto, kNchw, kNhwc };

  std::vector<float> scale = {1};  // each list: one value for all channels, or one a channel
  std::vector<float> mean = {0};
  std::vector<float> std = {1};
  Layout layout =
      Layout::kAuto;  // kAuto: where the shape has 1 or 3 channels; NCHW when it does not say
  bool bgr = false;
  std::optional<int64_t> channels;  // 1 or 3; the shape or the picture decides otherwise
  std::optional<std::array<int64_t, 2>>
      resize;  // width, height, for dims that the shape leaves open
};

// The tensor for an input of type `expected`: rank 4 (with batch, a fixed one is filled with
// copies), 3 or 2 (one channel); floats of any width, uint8 and wider integers. The picture is
// resized to the fixed height and width of the shape. kInvalidInput when shape and options
// contradict each other.
Tensor image_to_input(const Tensor& image, const Type& expected, const ImageOptions& options = {});

inline constexpr int64_t kMaxPixels = int64_t{1} << 27;

}  // namespace planish::io
