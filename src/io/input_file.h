// One door for the files that a user gives as a model's input.
#pragma once

#include <string>
#include <string_view>

#include "base/type.h"
#include "base/value.h"
#include "io/image.h"

namespace planish::io {

// Reads `path` by its extension: .npy, .npz, .pb, .png, .jpg or .jpeg. `expected` is the input's
// declared type: it picks the message in a .pb, names the meaning of nameless bytes in a .npy, and
// gives a picture its form. `name` picks the array of a .npz that holds several. Whether type and
// shape of what was read fit the input is for the caller to check (pictures fit by construction).
// Errors name the file; an unknown extension is kUsage.
Value read_input_file(const std::string& path,
                      const Type& expected,
                      const ImageOptions& options = {},
                      std::string_view name = {});

}  // namespace planish::io
