// Feeds any bytes to the Document, to import and to export. An untouched Document must come back
// identical; its canonical form must be stable. Whatever is refused must be refused by an Error,
// and never by one that blames Planish itself.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/error.h"
#include "onnx/document.h"
#include "onnx/export.h"
#include "onnx/import.h"

namespace {

namespace fs = std::filesystem;
using namespace planish::onnx;  // NOLINT

std::span<const std::byte> bytes_of(const std::string& s) { return std::as_bytes(std::span(s)); }

void check_document(std::span<const std::byte> bytes) {
  Document document = Document::parse(bytes);
  if (write(document.model()) != document.bytes()) std::abort();
  touch_all(document.model());
  const std::string canonical = write(document.model());
  Document again = Document::parse(bytes_of(canonical));
  touch_all(again.model());
  if (write(again.model()) != canonical) std::abort();
}

// A folder for external data, of this process alone: w.bin, a folder and a link out.
class Folder {
 public:
  Folder()
      : path_(fs::temp_directory_path() /
              ("planish_onnx_fuzz_" + std::to_string(std::random_device()()))) {
    fs::create_directories(path_ / "model" / "sub");
    std::ofstream(path_ / "model" / "w.bin") << std::string(64, '\1');
    std::ofstream(path_ / "outside") << "outside";
    fs::create_symlink("../outside", path_ / "model" / "link");
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string model() const { return (path_ / "model").string(); }

 private:
  fs::path path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Folder folder;
  const auto bytes = std::as_bytes(std::span(data, size));
  ImportOptions options;
  options.max_nodes = 2000;  // a fuzzer looks for crashes, not for slow legal models
  options.max_attribute_bytes = 1 << 20;
  options.max_sparse_bytes = 1 << 20;
  try {
    check_document(bytes);
    const Model model = import_bytes(bytes, options, folder.model());
    const std::string exported = write(export_graph(*model.graph).model());
    import_bytes(bytes_of(exported), options);
  } catch (const planish::Error& e) {
    if (e.code() == planish::ErrorCode::kInternal) {
      std::fprintf(stderr, "%s\n", e.what());
      std::abort();
    }
  }
  return 0;
}
