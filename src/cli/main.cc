#include "cli/main.h"

#include <fmt/core.h>

#include <cstdio>
#include <new>
#include <vector>

#include "base/error.h"
#include "base/mapped_file.h"
#include "cli/verb.h"
#include "kernels/isa.h"

namespace planish::cli {

#define PLANISH_ENTRY(entry) PLANISH_VERB(entry);
#include "cli/catalog.inc"
#undef PLANISH_ENTRY

namespace {

std::vector<Verb> verbs() {
  return {
#define PLANISH_ENTRY(entry) verb_##entry(),
#include "cli/catalog.inc"
#undef PLANISH_ENTRY
  };
}

std::string version() {
  return fmt::format("planish {} ({}), kernels for {} on this CPU", PLANISH_VERSION, PLANISH_COMMIT,
                     kernels::machine_isa() == kernels::Isa::kAvx2 ? "AVX2" : "any CPU");
}

// The work failed, or the caller gave something that cannot work.
int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kMismatch:
    case ErrorCode::kInternal:
    case ErrorCode::kCancelled:
    case ErrorCode::kDeadline:
    case ErrorCode::kOutOfMemory:
      return kFailed;
    default:
      return kBadInput;
  }
}

}  // namespace

int run(int argc, char** argv) {
  remove_temporaries_on_signal();
  CLI::App app("Planish compiles trained .onnx models into verified plans and runs them.",
               "planish");
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  app.footer("Each verb has its own help with examples: planish build --help");
  std::function<int()> chosen;
  std::vector<Verb> all = verbs();
  for (const Verb& verb : all) {
    CLI::App* sub = app.add_subcommand(std::string(verb.name), std::string(verb.summary));
    auto action = verb.setup(*sub);
    sub->callback([&chosen, action] { chosen = action; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kDone : kBadInput;
  }
  try {
    return chosen();
  } catch (const Error& e) {
    fmt::print(stderr, "planish: {}\n", e.what());
    return exit_code(e.code());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "planish: out of memory\n");
    return kFailed;
  } catch (const std::exception& e) {
    fmt::print(stderr, "planish: internal error: {}\n", e.what());
    return kFailed;
  }
}

}  // namespace planish::cli
