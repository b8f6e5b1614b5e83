// Words for files that are not as they should be: what a file that is no model seems to be, and
// text from a file in a form that a message can carry.
#pragma once

#include <string>
#include <string_view>

namespace planish::onnx {

// "a PNG image", "a Git LFS pointer: fetch the file itself with `git lfs pull`", ...; empty when
// nothing is recognised. Looks at known signatures and at the first bytes only. Call it after the
// bytes failed to parse: a real model is never asked.
std::string describe_foreign(std::string_view bytes);

// Text from a file made fit for a message: control characters and bytes that are no UTF-8 as \xNN,
// the middle left out past `limit` bytes. Names in a file may be anything.
std::string printable(std::string_view text, size_t limit = 4000);

}  // namespace planish::onnx
