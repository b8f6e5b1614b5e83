#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/mapped_file.h"
#include "cli/model.h"
#include "cli/options.h"
#include "cli/text.h"
#include "cli/verb.h"
#include "io/compare.h"
#include "io/value_proto.h"

namespace planish::cli {
namespace {

namespace fs = std::filesystem;

struct Flags {
  std::vector<std::string> folders;
  ModelOptions options;
  PassFlags passes;
  ToleranceFlags tolerance;
  bool expect = false, json = false, verbose = false, skip_unknown = false;
  std::string model = "model.onnx";
};

struct Outcome {
  std::string name;
  bool passed = false;
  bool skipped = false;  // an operator that Planish does not know
  std::string why;
  double max_abs = 0, max_rel = 0;
  double load_ms = 0;
  std::vector<std::string> notes;
};

// What a case.json asks for.
struct Expectation {
  std::string expect = "value";  // value, reject, survive
  std::optional<double> rtol, atol, max_load_ms;
};

Expectation read_expectation(const fs::path& file) {
  Expectation e;
  Json json;
  try {
    json = Json::parse(read_text_file(file.string()));
    e.expect = json.value("expect", "value");
    const auto number = [&](const char* key) {
      return json.contains(key) && !json[key].is_null() ? std::optional(json[key].get<double>())
                                                        : std::nullopt;
    };
    e.rtol = number("rtol");
    e.atol = number("atol");
    e.max_load_ms = number("max_load_ms");
  } catch (const Json::exception& error) {
    fail(ErrorCode::kInvalidInput, "{}: {}", file.string(), error.what());
  }
  if (e.expect != "value" && e.expect != "reject" && e.expect != "survive") {
    fail(ErrorCode::kInvalidInput, "{}: expect is '{}', not value, reject or survive",
         file.string(), e.expect);
  }
  return e;
}

// test_data_set_0, test_data_set_1, ... in order of their number.
std::vector<fs::path> data_sets(const fs::path& folder) {
  std::vector<fs::path> sets;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory() && entry.path().filename().string().starts_with("test_data_set_"))
      sets.push_back(entry.path());
  }
  std::ranges::sort(sets, [](const fs::path& a, const fs::path& b) {
    const std::string x = a.filename().string(), y = b.filename().string();
    return x.size() != y.size() ? x.size() < y.size() : x < y;
  });
  return sets;
}

std::vector<Value> read_values(const fs::path& folder,
                               const std::string& prefix,
                               const std::vector<plan::Binding>& bindings) {
  std::vector<Value> values;
  for (size_t i = 0; fs::exists(folder / fmt::format("{}_{}.pb", prefix, i)); ++i) {
    if (i >= bindings.size())
      fail(ErrorCode::kInvalidInput, "{} holds {}_{}.pb but the model has {}", folder.string(),
           prefix, i, bindings.size());
    values.push_back(io::read_value_pb((folder / fmt::format("{}_{}.pb", prefix, i)).string(),
                                       parse_type(bindings[i].type)));
  }
  return values;
}

void run_sets(Model& model,
              const fs::path& folder,
              const io::Tolerance& tolerance,
              Outcome& outcome) {
  const std::vector<fs::path> sets = data_sets(folder);
  size_t complete = 0;
  for (const fs::path& set : sets) {
    const std::string where = sets.size() > 1 ? set.filename().string() + ": " : "";
    const std::vector<Value> inputs = read_values(set, "input", model.inputs());
    if (inputs.empty() && !model.inputs().empty() && sets.size() > 1) {
      print_note(fmt::format("{} holds no inputs: left out", set.string()));
      continue;
    }
    ++complete;
    if (inputs.size() != model.inputs().size()) {
      fail(ErrorCode::kInvalidInput, "{}{} inputs are recorded, the model has {}", where,
           inputs.size(), model.inputs().size());
    }
    const std::vector<Value> expected = read_values(set, "output", model.outputs());
    const std::vector<Value> actual = model.run(inputs);
    for (std::string& note : model.run_notes()) {
      if (std::ranges::find(outcome.notes, note) == outcome.notes.end())
        outcome.notes.push_back(std::move(note));
    }
    for (size_t i = 0; i < expected.size(); ++i) {
      const io::Comparison c = io::compare_values(actual[i], expected[i], tolerance);
      outcome.max_abs = std::max(outcome.max_abs, c.max_abs);
      outcome.max_rel = std::max(outcome.max_rel, c.max_rel);
      if (!c.equal && outcome.why.empty())
        outcome.why =
            fmt::format("{}output '{}'{}: {}", where, model.outputs()[i].name, c.where, c.problem);
    }
  }
  if (complete == 0) outcome.why = "no complete test_data_set_* beside the model";
}

Outcome run_case(const fs::path& folder, const Flags& f) {
  Outcome outcome;
  outcome.name = folder.string();
  Expectation expectation;
  io::Tolerance tolerance = f.tolerance.parse();
  try {
    if (f.expect && fs::exists(folder / "case.json")) {
      expectation = read_expectation(folder / "case.json");
      if (expectation.rtol) tolerance.rtol = *expectation.rtol;
      if (expectation.atol) {
        tolerance.atol = *expectation.atol;
        tolerance.atol_relative = false;
      }
    }
    const auto start = std::chrono::steady_clock::now();
    Model model((folder / f.model).string(), f.options);
    outcome.load_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    outcome.notes = model.notes();
    run_sets(model, folder, tolerance, outcome);
    if (outcome.why.empty() && expectation.max_load_ms &&
        outcome.load_ms > *expectation.max_load_ms) {
      outcome.why = fmt::format("loading took {:.0f} ms, at most {:.0f} are allowed",
                                outcome.load_ms, *expectation.max_load_ms);
    }
    outcome.passed = outcome.why.empty();
    if (expectation.expect == "reject") {
      outcome.passed = false;
      outcome.why = "accepted, but must be refused";
    }
  } catch (const Error& e) {
    outcome.skipped = f.skip_unknown && e.code() == ErrorCode::kUnsupported;
    // A broken promise inside Planish is never the right answer.
    outcome.passed = expectation.expect != "value" && e.code() != ErrorCode::kInternal;
    outcome.why = e.what();
    return outcome;
  } catch (const std::exception& e) {
    outcome.passed = false;
    outcome.why = e.what();
    return outcome;
  }
  if (expectation.expect == "survive") outcome.passed = true;
  return outcome;
}

std::vector<fs::path> find_cases(const Flags& f) {
  std::vector<fs::path> cases;
  for (const std::string& root : f.folders) {
    if (!fs::is_directory(root)) fail(ErrorCode::kUsage, "{}: no such folder", root);
    if (fs::exists(fs::path(root) / f.model)) cases.emplace_back(root);
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.is_directory() && fs::exists(entry.path() / f.model)) cases.push_back(entry.path());
    }
  }
  std::ranges::sort(cases);
  cases.erase(std::unique(cases.begin(), cases.end()), cases.end());
  return cases;
}

int test(Flags f) {
  f.options.optimise = f.passes.parse().enabled;
  const std::vector<fs::path> cases = find_cases(f);
  if (cases.empty())
    fail(ErrorCode::kUsage, "no folder with a {} under the folders given", f.model);
  int passed = 0, failed = 0, skipped = 0;
  Json report;
  report["cases"] = Json::array();
  for (const fs::path& folder : cases) {
    const Outcome o = run_case(folder, f);
    ++(o.passed ? passed : o.skipped ? skipped : failed);
    if (f.json) {
      report["cases"].push_back({{"case", o.name},
                                 {"passed", o.passed},
                                 {"skipped", o.skipped},
                                 {"message", o.why},
                                 {"max_abs", o.max_abs},
                                 {"max_rel", o.max_rel},
                                 {"load_ms", o.load_ms},
                                 {"notes", o.notes}});
    } else if (!o.passed && o.skipped) {
      if (f.verbose) fmt::print("skip {}: {}\n", o.name, o.why);
    } else if (!o.passed) {
      fmt::print("FAIL {}: {}\n", o.name, o.why);
    } else if (f.verbose) {
      fmt::print("ok   {}{}\n", o.name,
                 o.why.empty()
                     ? fmt::format(" (max abs {:.3g}, max rel {:.3g})", o.max_abs, o.max_rel)
                     : ": " + o.why);
    }
    if (f.verbose && !f.json) {
      for (const std::string& note : o.notes) fmt::print("     note: {}\n", note);
    }
  }
  report["passed"] = passed;
  report["failed"] = failed;
  report["skipped"] = skipped;
  if (skipped > 0 && !f.json)
    fmt::print("{} skipped: they use operators that Planish does not know\n", skipped);
  f.json ? print_json(report) : fmt::print("{} passed, {} failed\n", passed, failed);
  return failed == 0 ? kDone : kFailed;
}

}  // namespace

PLANISH_VERB(test) {
  return {"test", "Run test cases in ONNX's layout (model.onnx, test_data_set_*)",
          [](CLI::App& app) -> std::function<int()> {
            auto f = std::make_shared<Flags>();
            app.add_option("folder", f->folders, "Folders to search for cases, recursively")
                ->required();
            app.add_option("--threads", f->options.threads, "Workers")->check(CLI::Range(1, 1024));
            f->tolerance.add(app);
            app.add_flag("--expect", f->expect,
                         "Obey a case.json beside the model (value, reject, survive; tolerances)");
            app.add_option("--model", f->model, "File name of the model in each folder");
            app.add_option("--provider", f->options.provider,
                           "First choice for .onnx files: cpu or reference");
            add_strict(app, f->options.strict);
            app.add_flag("--skip-unknown", f->skip_unknown,
                         "Count models with operators that Planish does not know as skipped");
            f->passes.add(app);
            app.add_flag("-v,--verbose", f->verbose, "Name the cases that pass too");
            app.add_flag("--json", f->json, "Print JSON");
            app.footer(
                "Examples:\n  planish test cases/\n  planish test models/ --atol-rel 1e-3 "
                "--threads 2\n  planish test reports/ --expect");
            return [f] { return test(*f); };
          }};
}

}  // namespace planish::cli
