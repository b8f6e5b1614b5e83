#include "compiler/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/elements.h"
#include "base/error.h"
#include "ops/op.h"
#include "runtime/executor.h"
#include "runtime/shapes.h"

namespace planish::compiler {
namespace {

struct Difference {
  double max_abs = 0;
  double max_rel = 0;  // of the largest reference magnitude
  std::string why;     // a difference that no tolerance covers
};

Difference compare(const Tensor& a, const Tensor& b) {
  Difference d;
  if (a.dtype() != b.dtype() || a.dims() != b.dims()) {
    d.why = fmt::format("{} of shape {} against {} of shape {}", to_string(a.dtype()),
                        dims_to_string(a.dims()), to_string(b.dtype()), dims_to_string(b.dims()));
    return d;
  }
  if (a.dtype() == DType::kString) {
    if (a.strings() != b.strings()) d.why = "strings differ";
    return d;
  }
  if (is_complex(a.dtype())) return d;
  double largest = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    const double x = load_double(a, i);
    const double y = load_double(b, i);
    if (std::isnan(x) && std::isnan(y)) continue;
    if (x == y) {
      if (std::isfinite(y)) largest = std::max(largest, std::fabs(y));
      continue;
    }
    if (!std::isfinite(x) || !std::isfinite(y)) {
      d.why = fmt::format("element {} is {} against {}", i, x, y);
      return d;
    }
    largest = std::max(largest, std::fabs(y));
    d.max_abs = std::max(d.max_abs, std::fabs(x - y));
  }
  d.max_rel = d.max_abs == 0 ? 0 : d.max_abs / largest;
  return d;
}

Difference compare(const Value& a, const Value& b) {
  Difference worst;
  const auto take = [&](Difference d) {
    worst.max_abs = std::max(worst.max_abs, d.max_abs);
    worst.max_rel = std::max(worst.max_rel, d.max_rel);
    if (worst.why.empty()) worst.why = std::move(d.why);
  };
  if (a.held.index() != b.held.index()) return {0, 0, "values of different kinds"};
  if (a.is_tensor()) return compare(a.tensor(), b.tensor());
  if (a.is_sequence()) {
    if (a.sequence().size() != b.sequence().size()) return {0, 0, "sequences of different lengths"};
    for (size_t i = 0; i < a.sequence().size(); ++i)
      take(compare(a.sequence()[i], b.sequence()[i]));
  } else if (a.is_map()) {
    take(compare(a.map().keys, b.map().keys));
    take(compare(a.map().values, b.map().values));
  }
  return worst;
}

}  // namespace

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
  std::vector<Value> expected;
  std::string reference_error;
  try {
    expected = ops::interpret(model, pointers, interpret);
  } catch (const Error& e) {
    // Random data may leave a model's domain (an index out of range, an empty sequence): then the
    // plan must refuse the same data.
    if (e.code() != ErrorCode::kData && e.code() != ErrorCode::kInvalidInput) throw;
    reference_error = e.what();
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
    const Difference d = compare(context.output(i), expected[i]);
    if (!d.why.empty() || d.max_rel > options.tolerance) {
      fail(ErrorCode::kMismatch, "output '{}' differs from the reference: {}", plan.outputs[i].name,
           d.why.empty() ? fmt::format("error {:.3g}, {:.3g} of the largest value; allowed {:.3g}",
                                       d.max_abs, d.max_rel, options.tolerance)
                         : d.why);
    }
    evidence.max_abs = std::max(evidence.max_abs, d.max_abs);
    evidence.max_rel = std::max(evidence.max_rel, d.max_rel);
  }
  evidence.done = true;
  evidence.outputs = static_cast<uint32_t>(expected.size());
  evidence.how = fmt::format("end to end on seeded inputs, seed {}", options.seed);
}

}  // namespace planish::compiler
