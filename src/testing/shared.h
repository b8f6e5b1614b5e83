// Where the tests find the trained models and cases that are handed to the project and do not lie
// in the repository: the environment variable PLANISH_SHARED, else the folder set at configure time
// (`-DPLANISH_SHARED=`, by default `../shared` beside the checkout).
//
//   TEST(Models, Vad) {
//     PLANISH_NEED_SHARED(folder, "models/silero_vad_v5");
//     load(folder / "model.onnx");
//   }
//
// A missing folder skips the test with the reason, so that a checkout alone can be tested. Under
// CI=true it fails instead: there nothing may be left out unseen.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace planish::testing {

inline std::filesystem::path shared_root() {
  if (const char* given = std::getenv("PLANISH_SHARED"); given != nullptr && *given != '\0')
    return given;
#ifdef PLANISH_SHARED_DEFAULT
  return PLANISH_SHARED_DEFAULT;
#else
  return {};
#endif
}

inline bool under_ci() {
  const char* ci = std::getenv("CI");
  return ci != nullptr && std::string_view(ci) == "true";
}

// Empty when `name` is there, else why it is not.
inline std::string why_no_shared(std::string_view name) {
  std::error_code error;
  const auto path = shared_root() / name;
  if (std::filesystem::exists(path, error)) return {};
  return path.string() +
         " is not there; set PLANISH_SHARED to the folder with the models and cases";
}

}  // namespace planish::testing

// Declares `variable` as the path of `name` in the shared folder, or ends the test.
#define PLANISH_NEED_SHARED(variable, name)                                       \
  if (const auto why_ = ::planish::testing::why_no_shared(name); !why_.empty()) { \
    if (::planish::testing::under_ci()) FAIL() << why_;                           \
    GTEST_SKIP() << why_;                                                         \
  }                                                                               \
  const std::filesystem::path variable = ::planish::testing::shared_root() / (name)
