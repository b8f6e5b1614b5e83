// libjpeg reports errors by longjmp: see png.cc.
#include <cstddef>
#include <cstdio>
// jpeglib.h needs the two above.
#include <jerror.h>
#include <jpeglib.h>

#include <csetjmp>

#include "base/error.h"
#include "io/image.h"

namespace planish::io {
namespace {

struct Decoder {
  jpeg_decompress_struct jpeg = {};
  jpeg_error_mgr errors = {};
  jpeg_progress_mgr progress = {};
  std::jmp_buf jump = {};
  char message[JMSG_LENGTH_MAX] = "";

  ~Decoder() { jpeg_destroy_decompress(&jpeg); }
};

Decoder& decoder_of(j_common_ptr info) { return *static_cast<Decoder*>(info->client_data); }

[[noreturn]] void on_error(j_common_ptr info) {
  Decoder& d = decoder_of(info);
  info->err->format_message(info, d.message);
  std::longjmp(d.jump, 1);
}

// libjpeg fills what is missing with gray and warns; a picture that is half gray is not the input
// that was meant. Other warnings (stray bytes between segments) are harmless.
void on_message(j_common_ptr info, int level) {
  const int code = info->err->msg_code;
  if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)) on_error(info);
}

// A progressive file may hold any number of scans, each as dear as the picture.
void on_progress(j_common_ptr info) {
  constexpr int kMaxScans = 200;
  if (decoder_of(info).jpeg.input_scan_number > kMaxScans) {
    Decoder& d = decoder_of(info);
    std::snprintf(d.message, sizeof d.message, "more than %d scans", kMaxScans);
    std::longjmp(d.jump, 1);
  }
}

bool read_header(Decoder& d, std::span<const std::byte> bytes) {
  if (setjmp(d.jump) != 0) return false;
  jpeg_create_decompress(&d.jpeg);
  d.jpeg.client_data = &d;
  d.progress.progress_monitor = on_progress;
  d.jpeg.progress = &d.progress;
  jpeg_mem_src(&d.jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&d.jpeg, TRUE);
  const int64_t pixels = int64_t{d.jpeg.image_width} * d.jpeg.image_height;
  if (pixels > kMaxPixels) {
    std::snprintf(d.message, sizeof d.message, "more than 2^27 pixels");
    return false;
  }
  switch (d.jpeg.jpeg_color_space) {
    case JCS_GRAYSCALE:
      d.jpeg.out_color_space = JCS_GRAYSCALE;
      break;
    case JCS_CMYK:
    case JCS_YCCK:
      d.jpeg.out_color_space = JCS_CMYK;
      break;
    default:
      d.jpeg.out_color_space = JCS_RGB;
      break;
  }
  jpeg_start_decompress(&d.jpeg);
  return true;
}

// `line` is room for one row of the decoder's own channels.
bool read_rows(Decoder& d, unsigned char* pixels, unsigned char* line) {
  if (setjmp(d.jump) != 0) return false;
  const bool cmyk = d.jpeg.out_color_space == JCS_CMYK;
  const bool inverted = d.jpeg.saw_Adobe_marker != 0;  // Adobe stores ink as 255 - ink
  const size_t width = d.jpeg.output_width;
  const size_t channels = cmyk ? 3 : static_cast<size_t>(d.jpeg.output_components);
  while (d.jpeg.output_scanline < d.jpeg.output_height) {
    unsigned char* out = pixels + d.jpeg.output_scanline * width * channels;
    JSAMPROW row = cmyk ? line : out;
    jpeg_read_scanlines(&d.jpeg, &row, 1);
    if (!cmyk) continue;
    for (size_t x = 0; x < width; ++x) {
      const auto light = [&](size_t k) {
        return inverted ? line[4 * x + k] : 255 - line[4 * x + k];
      };
      for (size_t c = 0; c < 3; ++c) {
        out[3 * x + c] = static_cast<unsigned char>((light(c) * light(3) + 127) / 255);
      }
    }
  }
  jpeg_finish_decompress(&d.jpeg);
  return true;
}

}  // namespace

Tensor read_jpeg(std::span<const std::byte> bytes) {
  Decoder d;
  d.jpeg.err = jpeg_std_error(&d.errors);
  d.jpeg.client_data = &d;  // an error may come before the header is read
  d.errors.error_exit = on_error;
  d.errors.emit_message = on_message;
  const auto refuse = [&] {
    fail(ErrorCode::kInvalidInput, "not a readable JPEG picture: {}", d.message);
  };
  if (!read_header(d, bytes)) refuse();
  const bool cmyk = d.jpeg.out_color_space == JCS_CMYK;
  Tensor image(DType::kUint8,
               {d.jpeg.output_height, d.jpeg.output_width, cmyk ? 3 : d.jpeg.output_components});
  std::vector<unsigned char> line(cmyk ? size_t{4} * d.jpeg.output_width : 0);
  if (!read_rows(d, reinterpret_cast<unsigned char*>(image.mutable_raw()), line.data())) refuse();
  return image;
}

}  // namespace planish::io
