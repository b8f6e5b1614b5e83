#include "io/image.h"

#include <algorithm>
#include <vector>

#include "base/elements.h"
#include "base/error.h"
#include "base/mapped_file.h"

namespace planish::io {
namespace {

using Layout = ImageOptions::Layout;

template <class... Args>
[[noreturn]] void invalid(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(ErrorCode::kInvalidInput, fmt::format(format, std::forward<Args>(args)...));
}

// The input's dims by meaning; nothing where the shape leaves them open.
struct Wanted {
  int rank = 4;
  bool channels_first = true;
  std::optional<int64_t> batch, channels, height, width;
};

bool is_channel_count(const std::optional<int64_t>& dim) { return dim == 1 || dim == 3; }

Wanted wanted_of(const Type& type, Layout layout) {
  Wanted w;
  w.channels_first = layout != Layout::kNhwc;
  if (!type.has_shape()) return w;
  std::vector<std::optional<int64_t>> dims;
  for (const SizeExpr& dim : *type.shape) dims.push_back(dim.constant());
  w.rank = static_cast<int>(dims.size());
  if (w.rank < 2 || w.rank > 4) {
    invalid("a picture fits an input of 2 to 4 dims; this one is {}", to_string(type));
  }
  if (w.rank == 4) {
    w.batch = dims.front();
    dims.erase(dims.begin());
  }
  if (w.rank == 2) {
    w.channels = 1;
    w.height = dims[0];
    w.width = dims[1];
    return w;
  }
  if (layout == Layout::kAuto)
    w.channels_first = is_channel_count(dims[0]) || !is_channel_count(dims[2]);
  w.channels = w.channels_first ? dims[0] : dims[2];
  w.height = w.channels_first ? dims[1] : dims[0];
  w.width = w.channels_first ? dims[2] : dims[1];
  return w;
}

// The value that the shape fixes, else the option, else `fallback`; a contradiction is an error.
int64_t settle(const char* what,
               std::optional<int64_t> shape,
               std::optional<int64_t> option,
               int64_t fallback) {
  if (shape && option && *shape != *option) {
    invalid("the input's {} is {}, but {} was asked for", what, *shape, *option);
  }
  return shape ? *shape : option.value_or(fallback);
}

Tensor with_channels(const Tensor& image, int64_t channels) {
  if (image.dim(2) == channels) return image.view();
  Tensor out(DType::kUint8, {image.dim(0), image.dim(1), channels});
  const auto from = image.data<uint8_t>();
  const auto to = out.mutable_data<uint8_t>();
  const auto pixels = static_cast<size_t>(image.dim(0) * image.dim(1));
  for (size_t i = 0; i < pixels; ++i) {
    if (channels == 3) {
      to[3 * i] = to[3 * i + 1] = to[3 * i + 2] = from[i];
    } else {
      // Luma of ITU-R 601 in 16-bit fixed point, rounded.
      const uint32_t luma =
          19595u * from[3 * i] + 38470u * from[3 * i + 1] + 7471u * from[3 * i + 2];
      to[i] = static_cast<uint8_t>((luma + 0x8000) >> 16);
    }
  }
  return out;
}

float of_channel(const std::vector<float>& list,
                 int64_t channel,
                 int64_t channels,
                 const char* name) {
  if (list.size() != 1 && static_cast<int64_t>(list.size()) != channels) {
    invalid("{} has {} values for {} channels; give one, or one for each", name, list.size(),
            channels);
  }
  return list[list.size() == 1 ? 0 : static_cast<size_t>(channel)];
}

// What each of the 256 pixel values becomes, for one channel.
std::array<double, 256> value_table(const ImageOptions& options,
                                    int64_t channel,
                                    int64_t channels) {
  const double scale = of_channel(options.scale, channel, channels, "scale");
  const double mean = of_channel(options.mean, channel, channels, "mean");
  const double std = of_channel(options.std, channel, channels, "std");
  if (std == 0) invalid("std must not be 0");
  std::array<double, 256> table;
  for (size_t pixel = 0; pixel < 256; ++pixel)
    table[pixel] = (static_cast<double>(pixel) * scale - mean) / std;
  return table;
}

void check_dtype(DType dtype, const ImageOptions& options) {
  const auto all = [](const std::vector<float>& list, float value) {
    return std::ranges::all_of(list, [&](float v) { return v == value; });
  };
  if (is_floating(dtype) && bit_width(dtype) >= 16) return;
  if (!is_integer(dtype) || bit_width(dtype) < 8 || dtype == DType::kInt8) {
    invalid("a picture cannot become an input of type {}; give the tensor as .npy",
            to_string(dtype));
  }
  if (!all(options.scale, 1) || !all(options.mean, 0) || !all(options.std, 1)) {
    invalid("the input is {}: pixels go in as they are, without scale, mean or std",
            to_string(dtype));
  }
}

}  // namespace

Tensor read_image_file(const std::string& path) {
  const MappedFile file = MappedFile::open(path);
  const auto bytes = file.bytes();
  const auto starts = [&](std::initializer_list<int> mark) {
    return bytes.size() >= mark.size() &&
           std::equal(mark.begin(), mark.end(), bytes.begin(),
                      [](int a, std::byte b) { return a == static_cast<int>(b); });
  };
  try {
    if (starts({0x89, 'P', 'N', 'G'})) return read_png(bytes);
    if (starts({0xFF, 0xD8})) return read_jpeg(bytes);
    invalid("neither a PNG nor a JPEG picture");
  } catch (Error& e) {
    e.in_file(path);
    throw;
  }
}

Tensor image_to_input(const Tensor& image, const Type& expected, const ImageOptions& options) {
  if (expected.kind != Type::Kind::kTensor && expected.kind != Type::Kind::kUnknown) {
    invalid("a picture cannot become an input of type {}", to_string(expected));
  }
  const DType dtype = expected.dtype == DType::kUndefined ? DType::kFloat32 : expected.dtype;
  check_dtype(dtype, options);
  const Wanted w = wanted_of(expected, options.layout);
  const auto size = options.resize;
  const int64_t channels = settle("number of channels", w.channels, options.channels, image.dim(2));
  const int64_t height =
      settle("height", w.height, size ? std::optional((*size)[1]) : std::nullopt, image.dim(0));
  const int64_t width =
      settle("width", w.width, size ? std::optional((*size)[0]) : std::nullopt, image.dim(1));
  const int64_t batch = w.rank == 4 ? w.batch.value_or(1) : 1;
  if (channels != 1 && channels != 3) {
    invalid("the input wants {} channels; a picture has 1 or 3", channels);
  }
  const Tensor pixels = resize_image(with_channels(image, channels), width, height);

  Dims dims = w.channels_first ? Dims{channels, height, width} : Dims{height, width, channels};
  if (w.rank == 2) dims = {height, width};
  if (w.rank == 4) dims.insert(dims.begin(), batch);
  const int64_t area = height * width;
  const auto from = pixels.data<uint8_t>();
  Tensor out(dtype, dims);
  for (int64_t c = 0; c < channels; ++c) {
    const int64_t source = options.bgr ? channels - 1 - c : c;
    const std::array<double, 256> table = value_table(options, c, channels);
    visit_dtype(dtype, [&]<class T>() {
      const auto to = out.mutable_data<T>();
      for (int64_t i = 0; i < area; ++i) {
        const T value = static_cast<T>(table[from[static_cast<size_t>(i * channels + source)]]);
        const int64_t at = w.channels_first ? c * area + i : i * channels + c;
        for (int64_t n = 0; n < batch; ++n)
          to[static_cast<size_t>(n * channels * area + at)] = value;
      }
    });
  }
  return out;
}

}  // namespace planish::io
