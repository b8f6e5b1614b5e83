// libpng reports errors by longjmp, so each step that calls it is a function of its own, without a
// C++ object whose destructor could be jumped over.
#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/mapped_file.h"
#include "io/image.h"

namespace planish::io {
namespace {

struct Decoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::span<const std::byte> input;
  size_t at = 0;
  char message[160] = "unknown error";

  ~Decoder() { png_destroy_read_struct(&png, &info, nullptr); }
};

void on_error(png_structp png, png_const_charp message) {
  auto* text = static_cast<char*>(png_get_error_ptr(png));
  std::snprintf(text, sizeof Decoder::message, "%s", message);
  png_longjmp(png, 1);
}
void on_warning(png_structp, png_const_charp) {}

void on_read(png_structp png, png_bytep out, size_t length) {
  auto* decoder = static_cast<Decoder*>(png_get_io_ptr(png));
  if (length > decoder->input.size() - decoder->at) png_error(png, "the file is cut short");
  std::memcpy(out, decoder->input.data() + decoder->at, length);
  decoder->at += length;
}

struct Size {
  int64_t width = 0, height = 0, channels = 0;
  int passes = 1;
};

// Reads the header and sets up the conversion to 8-bit gray or RGB.
bool read_header(Decoder& d, Size& size) {
  if (setjmp(png_jmpbuf(d.png)) != 0) return false;
  png_set_read_fn(d.png, &d, on_read);
  png_set_user_limits(d.png, 1 << 24, 1 << 24);  // our own limit is on the product
  png_read_info(d.png, d.info);
  size.width = png_get_image_width(d.png, d.info);
  size.height = png_get_image_height(d.png, d.info);
  if (size.width * size.height > kMaxPixels) png_error(d.png, "more than 2^27 pixels");
  png_set_scale_16(d.png);
  png_set_expand(d.png);  // palette to RGB, 1-, 2- and 4-bit gray to 8
  png_set_strip_alpha(d.png);
  size.passes = png_set_interlace_handling(d.png);
  png_read_update_info(d.png, d.info);
  size.channels = png_get_channels(d.png, d.info);
  if (png_get_bit_depth(d.png, d.info) != 8 || (size.channels != 1 && size.channels != 3)) {
    png_error(d.png, "an unexpected colour type");
  }
  return true;
}

bool read_rows(Decoder& d, const Size& size, png_bytep pixels) {
  if (setjmp(png_jmpbuf(d.png)) != 0) return false;
  for (int pass = 0; pass < size.passes; ++pass) {
    for (int64_t y = 0; y < size.height; ++y) {
      png_read_row(d.png, pixels + y * size.width * size.channels, nullptr);
    }
  }
  png_read_end(d.png, nullptr);
  return true;
}

struct Encoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::vector<std::byte>* output = nullptr;
  char message[sizeof Decoder::message] = "unknown error";

  ~Encoder() { png_destroy_write_struct(&png, &info); }
};

// libpng's type of callback has no const.
void on_write(png_structp png,
              png_bytep data,
              size_t length) {  // NOLINT(readability-non-const-parameter)
  auto* out = static_cast<Encoder*>(png_get_io_ptr(png))->output;
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  out->insert(out->end(), bytes, bytes + length);
}
void on_flush(png_structp) {}

bool write_all(Encoder& e, const Size& size, png_const_bytep pixels) {
  if (setjmp(png_jmpbuf(e.png)) != 0) return false;
  png_set_write_fn(e.png, &e, on_write, on_flush);
  png_set_IHDR(e.png, e.info, static_cast<png_uint_32>(size.width),
               static_cast<png_uint_32>(size.height), 8,
               size.channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(e.png, e.info);
  for (int64_t y = 0; y < size.height; ++y)
    png_write_row(e.png, pixels + y * size.width * size.channels);
  png_write_end(e.png, nullptr);
  return true;
}

}  // namespace

Tensor read_png(std::span<const std::byte> bytes) {
  Decoder d;
  d.input = bytes;
  d.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, d.message, on_error, on_warning);
  if (d.png != nullptr) d.info = png_create_info_struct(d.png);
  if (d.info == nullptr) fail(ErrorCode::kOutOfMemory, "no memory for a PNG decoder");
  Size size;
  if (!read_header(d, size))
    fail(ErrorCode::kInvalidInput, "not a readable PNG picture: {}", d.message);
  Tensor image(DType::kUint8, {size.height, size.width, size.channels});
  if (!read_rows(d, size, reinterpret_cast<png_bytep>(image.mutable_raw()))) {
    fail(ErrorCode::kInvalidInput, "not a readable PNG picture: {}", d.message);
  }
  return image;
}

void write_png_file(const std::string& path, const Tensor& image) {
  if (image.dtype() != DType::kUint8 || image.rank() != 3 || image.size() == 0 ||
      (image.dim(2) != 1 && image.dim(2) != 3)) {
    fail(ErrorCode::kInvalidInput,
         "a PNG is written from uint8 [height, width, 1 or 3], not from {} [{}]",
         to_string(image.dtype()), dims_to_string(image.dims()));
  }
  AtomicFile file(path);
  std::vector<std::byte> bytes;
  Encoder e;
  e.output = &bytes;
  e.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, e.message, on_error, on_warning);
  if (e.png != nullptr) e.info = png_create_info_struct(e.png);
  if (e.info == nullptr) fail(ErrorCode::kOutOfMemory, "no memory for a PNG encoder");
  const Size size = {image.dim(1), image.dim(0), image.dim(2)};
  if (!write_all(e, size, reinterpret_cast<png_const_bytep>(image.raw()))) {
    throw Error(ErrorCode::kIo, fmt::format("cannot encode a PNG: {}", e.message)).in_file(path);
  }
  file.append(bytes);
  file.commit();
}

}  // namespace planish::io
