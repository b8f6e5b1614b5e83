// What a file that is no ONNX model seems to be, for the message.
#pragma once

#include <string>
#include <string_view>

namespace planish::onnx {

// "a PNG image", "a Git LFS pointer: fetch the file itself with `git lfs pull`", ...; empty when
// nothing is recognised. Looks at known signatures and at the first bytes only. Call it after the
// bytes failed to parse: a real model is never asked.
std::string describe_foreign(std::string_view bytes);

}  // namespace planish::onnx
