// Feeds any bytes to the Document and to import. An untouched Document must come back identical;
// its canonical form must be stable. Whatever is refused must be refused by an Error, and never by
// one that blames Planish itself.
#include "onnx/document.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "onnx/import.h"

namespace {

using planish::onnx::Document;

std::string_view text(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

void check_document(const uint8_t* data, size_t size) {
  Document document = Document::parse(std::as_bytes(std::span(data, size)));
  if (write(document.model()) != text(data, size)) std::abort();
  touch_all(document.model());
  const std::string canonical = write(document.model());
  Document again = Document::parse(std::as_bytes(std::span(canonical)));
  touch_all(again.model());
  if (write(again.model()) != canonical) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    check_document(data, size);
    planish::onnx::ImportOptions options;
    options.max_nodes = 2000;  // a fuzzer looks for crashes, not for slow legal models
    options.max_attribute_bytes = 1 << 20;
    options.max_sparse_bytes = 1 << 20;
    planish::onnx::import_bytes(std::as_bytes(std::span(data, size)), options);
  } catch (const planish::Error& e) {
    if (e.code() == planish::ErrorCode::kInternal) {
      std::fprintf(stderr, "%s\n", e.what());
      std::abort();
    }
  }
  return 0;
}
