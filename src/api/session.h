// A loaded model, ready to run: a plan from a file, or one built in memory from an .onnx, with the
// registry of step kernels and a team of workers. What the C interface and every verb rest on.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "onnx/import.h"
#include "plan/file.h"
#include "runtime/executor.h"

namespace planish::api {

// All providers that this build has, compile and run side. Immutable after construction.
class Providers {
 public:
  Providers();
  const runtime::Registry& registry() const { return registry_; }
  // In order of preference: "cpu" (the cpu provider, then the reference) or "reference" alone.
  // kUsage for another name.
  std::vector<const backends::Backend*> order(std::string_view first) const;

 private:
  runtime::Registry registry_;
  std::unique_ptr<backends::Backend> cpu_, reference_;
};

struct LoadOptions {
  int threads = 0;  // 0: as the plan was built; for an .onnx the cores of the process, at most 8
  int64_t max_memory = 0;  // bytes of intermediate values per context; 0: no limit
  bool keep_denormals = false;
  // For .onnx files.
  std::string provider = "cpu";
  passes::Options passes;
  bool verify = false;
  runtime::ShapeRequest shapes;
  // Of .onnx files, and of outputs that come out with another shape than declared.
  bool strict = false;
};

class Session {
 public:
  // Decides by the file's first bytes. Throws Error with the file's name.
  static std::unique_ptr<Session> open(const std::string& path, const LoadOptions& options = {});

  const plan::Plan& plan() const { return *plan_; }
  bool from_onnx() const { return compiled_ != nullptr; }
  const std::vector<std::string>& notes() const { return notes_; }
  bool strict() const { return options_.strict; }
  int threads() const { return team_->workers(); }

  std::unique_ptr<runtime::Context> make_context();
  // One run on a context of its own; outputs are owned.
  std::vector<Value> run(std::span<const Value> inputs);

 private:
  Session() = default;

  LoadOptions options_;
  Providers providers_;
  onnx::Model model_;
  std::unique_ptr<compiler::Compiled> compiled_;
  std::unique_ptr<plan::OpenPlan> opened_;
  const plan::Plan* plan_ = nullptr;
  std::unique_ptr<runtime::Team> team_;
  std::vector<std::string> notes_;
};

// Threads when the user names none: the cores this process may use, at most 8.
int default_threads();

}  // namespace planish::api
