#include "io/input_file.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/error.h"
#include "io/npy.h"
#include "io/value_proto.h"

namespace planish::io {
namespace {

Value read_from_npz(const std::string& path, const Type& expected, std::string_view name) {
  const std::map<std::string, DType> meant = {{"", expected.dtype}};
  NamedTensors tensors = read_npz_file(path, &meant);
  auto it = tensors.find(std::string(name));
  if (it == tensors.end() && tensors.size() == 1) it = tensors.begin();
  if (it == tensors.end()) {
    std::string names;
    for (const auto& [key, tensor] : tensors) names += (names.empty() ? "" : ", ") + key;
    throw Error(ErrorCode::kInvalidInput, fmt::format("no array is called '{}'; it holds {}", name,
                                                      names.empty() ? "none" : names))
        .in_file(path);
  }
  return std::move(it->second);
}

}  // namespace

Value read_input_file(const std::string& path,
                      const Type& expected,
                      const ImageOptions& options,
                      std::string_view name) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return std::tolower(c); });
  if (extension == ".npy")
    return read_npy_file(path, expected.is_tensor() ? expected.dtype : DType::kUndefined);
  if (extension == ".npz") return read_from_npz(path, expected, name);
  if (extension == ".pb") return read_value_pb(path, expected);
  if (extension == ".png" || extension == ".jpg" || extension == ".jpeg") {
    const Tensor image = read_image_file(path);
    try {
      return image_to_input(image, expected, options);
    } catch (Error& e) {
      e.in_file(path);
      throw;
    }
  }
  throw Error(
      ErrorCode::kUsage,
      "the name does not say what it holds; known are .npy, .npz, .pb, .png, .jpg and .jpeg")
      .in_file(path);
}

}  // namespace planish::io
