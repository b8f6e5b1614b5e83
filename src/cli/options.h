// Flags that several verbs share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "io/compare.h"
#include "passes/pass.h"
#include "runtime/shapes.h"

namespace planish::cli {

// --shapes=name:1x3x224x224[,name:...] and --dim N=8, both repeatable.
struct ShapeFlags {
  std::vector<std::string> shapes, dims;
  void add(CLI::App& app);
  runtime::ShapeRequest parse() const;  // kUsage on a mistake
};

// --passes none|all and --disable-pass NAME.
struct PassFlags {
  std::string passes = "all";
  std::vector<std::string> disabled;
  void add(CLI::App& app);
  passes::Options parse() const;
};

// --rtol, --atol or --atol-rel: how far from an expected value still counts as equal.
struct ToleranceFlags {
  io::Tolerance tolerance;
  double atol = -1, atol_rel = -1;  // negative: not given
  void add(CLI::App& app);
  io::Tolerance parse() const;
};

// --strict.
void add_strict(CLI::App& app, bool& strict);

// Says which open dims became 1 because nothing set them; nothing when there are none.
void note_defaulted(const runtime::Shapes& shapes);

// "name=value" at the first '='; kUsage when there is none.
std::pair<std::string, std::string> split_assignment(const std::string& text,
                                                     std::string_view flag);
// "1x3x224x224"; "" or "scalar" is rank 0.
Dims parse_dims(std::string_view text);

}  // namespace planish::cli
