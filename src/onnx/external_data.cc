#include "onnx/external_data.h"

#include <charconv>
#include <filesystem>
#include <system_error>

#include "base/error.h"

namespace planish::onnx {
namespace {

namespace fs = std::filesystem;

template <class... Args>
[[noreturn]] void refuse(std::string_view tensor,
                         std::string_view location,
                         fmt::format_string<Args...> rule,
                         Args&&... args) {
  fail(ErrorCode::kInvalidModel, "external data of tensor '{}' in '{}': {}", tensor, location,
       fmt::format(rule, std::forward<Args>(args)...));
}

int64_t to_number(std::string_view tensor,
                  std::string_view location,
                  std::string_view what,
                  std::string_view digits) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    refuse(tensor, location, "its {} '{}' is not a 64-bit decimal number", what,
           digits.substr(0, 40));
  }
  if (value < 0) refuse(tensor, location, "its {} {} is negative", what, value);
  return value;
}

}  // namespace

const MappedFile& ExternalFiles::file(std::string_view tensor, const std::string& location) {
  if (const auto it = by_location_.find(location); it != by_location_.end()) return *it->second;
  if (!folder_) {
    refuse(tensor, location, "a model given as bytes has no folder; open it by its path instead");
  }
  if (location.empty() || location.find('\0') != std::string::npos) {
    refuse(tensor, "", "the location is empty or holds a NUL byte");
  }
  const fs::path relative(location);
  if (relative.is_absolute() || relative.has_root_name() || location[0] == '\\' ||
      (location.size() > 1 && location[1] == ':')) {
    refuse(tensor, location, "an absolute path; external data must lie in the model's folder");
  }
  for (const fs::path& part : relative) {
    if (part == "..") refuse(tensor, location, "'..' leads out of the model's folder");
  }
  std::error_code error;
  const fs::path home = fs::canonical(folder_->empty() ? "." : *folder_, error);
  if (error) {
    fail(ErrorCode::kIo, "cannot resolve the model's folder '{}': {}", *folder_, error.message());
  }
  const fs::path real = fs::canonical(home / relative, error);
  if (error) {
    fail(ErrorCode::kIo, "external data of tensor '{}': cannot open '{}' in the model's folder: {}",
         tensor, location, error.message());
  }
  // Symbolic links are resolved by now, so that comparing components tells where it really lies.
  const auto [inside, rest] = std::mismatch(home.begin(), home.end(), real.begin(), real.end());
  if (inside != home.end()) {
    refuse(tensor, location,
           "a link leads out of the model's folder (to '{}'); copy the file there instead",
           real.string());
  }
  if (!fs::is_regular_file(real, error)) refuse(tensor, location, "not a regular file");
  auto it = files_.find(real.string());
  if (it == files_.end()) it = files_.emplace(real.string(), MappedFile::open(real.string())).first;
  by_location_.emplace(location, &it->second);
  return it->second;
}

std::span<const std::byte> ExternalFiles::bytes(std::string_view tensor,
                                                const ExternalReference& reference,
                                                int64_t needed) {
  const std::string& location = reference.location;
  const int64_t offset =
      reference.offset.empty() ? 0 : to_number(tensor, location, "offset", reference.offset);
  const int64_t length =
      reference.length.empty() ? needed : to_number(tensor, location, "length", reference.length);
  if (length != needed) {
    refuse(tensor, location, "its length is {} bytes, its type and dims need {}", length, needed);
  }
  const std::span<const std::byte> all = file(tensor, location).bytes();
  const auto size = static_cast<int64_t>(all.size());
  if (offset > size || length > size - offset) {
    refuse(tensor, location, "bytes {} to {}+{} lie outside the file of {} bytes", offset, offset,
           length, size);
  }
  return all.subspan(static_cast<size_t>(offset), static_cast<size_t>(length));
}

}  // namespace planish::onnx
