#include "api/session.h"

#include <algorithm>
#include <filesystem>

#include "backends/cpu/compile/cpu_backend.h"
#include "backends/cpu/run/steps.h"
#include "backends/reference/compile/reference_backend.h"
#include "backends/reference/run/evaluate.h"
#include "base/cpu.h"
#include "base/error.h"
#include "kernels/isa.h"

namespace planish::api {
namespace {

constexpr kernels::Isa kIsas[] = {kernels::Isa::kPortable, kernels::Isa::kAvx2};

// A plan runs where its kernels' instruction set is there; another model of CPU is worth a note.
void check_machine(const plan::Machine& built, std::vector<std::string>& notes) {
  const CpuInfo cpu = read_cpu_info();
  const auto isa = std::ranges::find_if(kIsas, [&](auto i) { return to_string(i) == built.isa; });
  if (isa == std::end(kIsas)) {
    fail(ErrorCode::kInvalidPlan, "the plan is built for the unknown instruction set '{}'",
         built.isa);
  }
  if (!kernels::machine_has(*isa)) {
    fail(ErrorCode::kInvalidPlan,
         "the plan is built for {}, which this CPU ({}) does not have; build it on this machine",
         built.isa, cpu.model);
  }
  if (built.model != cpu.model) {
    notes.push_back("the plan was built on '" + built.model + "'; it runs on '" + cpu.model +
                    "' but may not be the fastest here");
  }
}

}  // namespace

Providers::Providers()
    : cpu_(backends::cpu::make_backend()), reference_(backends::reference::make_backend()) {
  registry_.add_device(std::make_unique<runtime::HostDevice>("cpu"));
  backends::cpu::register_steps(registry_);
  backends::reference::register_steps(registry_);
}

std::vector<const backends::Backend*> Providers::order(std::string_view first) const {
  if (first == "cpu") return {cpu_.get(), reference_.get()};
  if (first == "reference") return {reference_.get()};
  fail(ErrorCode::kUsage, "unknown execution provider '{}'; there are: cpu, reference", first);
}

int default_threads() { return std::clamp(read_process_limits().cores, 1, 8); }

std::unique_ptr<Session> Session::open(const std::string& path, const LoadOptions& options) {
  std::unique_ptr<Session> session(new Session());
  session->options_ = options;
  const MappedFile file = MappedFile::open(path);
  try {
    if (plan::looks_like_plan(file.bytes())) {
      session->opened_ =
          plan::open(path, {.threads = static_cast<unsigned>(
                                options.threads > 0 ? options.threads : default_threads())});
      session->plan_ = &session->opened_->plan;
      check_machine(session->plan_->machine, session->notes_);
    } else {
      session->model_ = onnx::import_file(path, {.strict = options.strict});
      session->notes_ = session->model_.notes;
      compiler::CompileOptions compile;
      compile.threads = options.threads > 0 ? options.threads : default_threads();
      compile.passes = options.passes;
      compile.providers = session->providers_.order(options.provider);
      compile.registry = &session->providers_.registry();
      compile.verify = options.verify;
      compile.strict = options.strict;
      compile.shapes = options.shapes;
      compile.source_name = std::filesystem::path(path).filename().string();
      session->compiled_ =
          std::make_unique<compiler::Compiled>(compiler::compile(*session->model_.graph, compile));
      session->plan_ = &session->compiled_->plan;
      session->notes_.insert(session->notes_.end(), session->compiled_->notes.begin(),
                             session->compiled_->notes.end());
    }
    const int threads =
        options.threads > 0 ? options.threads : static_cast<int>(session->plan_->threads);
    session->team_ = std::make_unique<runtime::Team>(threads);
  } catch (Error& e) {
    e.in_file(path);
    throw;
  }
  return session;
}

std::unique_ptr<runtime::Context> Session::make_context() {
  runtime::ContextOptions context;
  context.team = team_.get();
  if (options_.max_memory > 0) context.max_bytes = options_.max_memory;
  context.keep_denormals = options_.keep_denormals;
  return std::make_unique<runtime::Context>(*plan_, providers_.registry(), context);
}

std::vector<Value> Session::run(std::span<const Value> inputs) {
  if (inputs.size() != plan_->inputs.size()) {
    fail(ErrorCode::kInvalidInput, "{} inputs given, the model has {}", inputs.size(),
         plan_->inputs.size());
  }
  const auto context = make_context();
  for (size_t i = 0; i < inputs.size(); ++i) context->set_input(i, inputs[i]);
  context->run();
  std::vector<Value> outputs;
  for (size_t i = 0; i < plan_->outputs.size(); ++i) outputs.push_back(owned(context->output(i)));
  return outputs;
}

}  // namespace planish::api
