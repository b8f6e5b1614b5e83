#include "compiler/evidence.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "io/compare.h"
#include "ops/claims.h"
#include "ops/op.h"
#include "runtime/executor.h"
#include "runtime/shapes.h"

namespace planish::compiler {
void gather_evidence(const ir::Graph& model,
                     const CompileOptions& options,
                     plan::Plan& plan,
                     std::vector<std::string>& notes) {
  const runtime::Shapes shapes = runtime::resolve_shapes(plan.inputs, options.shapes);
  if (!shapes.defaulted.empty()) {
    notes.push_back(
        fmt::format("open dims taken as 1 for the check: {} (set them with --shapes or --dim)",
                    fmt::join(shapes.defaulted, ", ")));
  }
  const std::vector<Value> inputs = runtime::random_inputs(plan.inputs, shapes, options.seed);
  std::vector<const Value*> pointers;
  for (const Value& v : inputs) pointers.push_back(&v);

  runtime::Team team(options.threads);
  ops::InterpretOptions interpret;
  interpret.callbacks.parallel_for = [&](int64_t count,
                                         const std::function<void(int64_t, int64_t)>& body) {
    struct Job {
      int64_t count;
      int workers;
      const std::function<void(int64_t, int64_t)>& body;
      std::vector<std::exception_ptr> errors;
    } job{count, team.workers(), body,
          std::vector<std::exception_ptr>(static_cast<size_t>(team.workers()))};
    team.run(
        [](void* argument, int worker) noexcept {
          auto& j = *static_cast<Job*>(argument);
          try {
            j.body(j.count * worker / j.workers, j.count * (worker + 1) / j.workers);
          } catch (...) {
            j.errors[static_cast<size_t>(worker)] = std::current_exception();
          }
        },
        &job);
    for (const auto& e : job.errors) {
      if (e) std::rethrow_exception(e);
    }
  };
  plan::Evidence& evidence = plan.evidence;
  evidence.seed = options.seed;
  evidence.tolerance = options.tolerance;
  // Sizes that inference leaves open, this run tells: the last word on what is declared of them.
  ops::Disproved disproved("came out as");
  interpret.on_value = [&](const ir::Graph&, const ir::ValueDef& def, const Value& value) {
    if (!value.is_tensor() || !def.declared.has_shape() || contradicts(def.declared, def.type))
      return;
    const Dims& dims = value.tensor().dims();
    const Type found = Type::tensor(value.tensor().dtype(), Shape(dims.begin(), dims.end()));
    if (contradicts(def.declared, found)) disproved.add(def, found);
  };
  std::vector<Value> expected;
  std::string reference_error;
  try {
    expected = ops::interpret(model, pointers, interpret);
  } catch (const Error& e) {
    // Random data may leave a model's domain (an index or a run-time axis out of range, an empty
    // sequence): then the plan must refuse the same data.
    if (e.code() != ErrorCode::kData && e.code() != ErrorCode::kInvalidInput &&
        e.code() != ErrorCode::kInvalidModel)
      throw;
    reference_error = e.what();
  }
  if (!disproved.empty()) {
    if (options.strict) fail(ErrorCode::kInvalidModel, "{} (--strict)", disproved.note());
    notes.push_back(disproved.note());
  }
  runtime::Context context(plan, *options.registry, {.team = &team, .keep_denormals = true});
  for (size_t i = 0; i < inputs.size(); ++i) context.set_input(i, inputs[i]);
  if (!reference_error.empty()) {
    try {
      context.run();
    } catch (const Error&) {
      evidence.how = "not compared: the reference cannot run seeded inputs of these sizes";
      notes.push_back(fmt::format(
          "not compared with the reference, which cannot run seeded inputs of these sizes: {}",
          reference_error));
      return;
    }
    fail(ErrorCode::kMismatch, "the reference refuses the seeded inputs ({}), the plan does not",
         reference_error);
  }
  context.run();
  for (size_t i = 0; i < expected.size(); ++i) {
    // Kernels sum in other orders than the reference: the largest value is the measure.
    const io::Comparison c =
        io::compare_values(context.output(i), expected[i],
                           {.rtol = 0, .atol = options.tolerance, .atol_relative = true});
    if (!c.equal) {
      fail(ErrorCode::kMismatch, "output '{}' differs from the reference: {}", plan.outputs[i].name,
           c.problem);
    }
    evidence.max_abs = std::max(evidence.max_abs, c.max_abs);
    evidence.max_rel = std::max(evidence.max_rel, c.max_of_largest);
  }
  evidence.done = true;
  evidence.outputs = static_cast<uint32_t>(expected.size());
  evidence.how = fmt::format("end to end on seeded inputs, seed {}", options.seed);
}

}  // namespace planish::compiler
