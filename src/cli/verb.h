// A verb of the command line: one file, one line in verbs.list.
//
// setup() declares flags and examples on its subcommand and returns what to do when it is chosen.
// Exit codes: 0 done, 1 the work failed (a check did not hold), 2 wrong usage or bad input.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace planish::cli {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kBadInput = 2;

struct Verb {
  std::string_view name;
  std::string_view summary;
  std::function<int()> (*setup)(CLI::App& app);
};

#define PLANISH_VERB(entry) ::planish::cli::Verb verb_##entry()

}  // namespace planish::cli
