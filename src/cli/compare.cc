#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "base/error.h"
#include "cli/model.h"
#include "cli/options.h"
#include "cli/text.h"
#include "cli/verb.h"
#include "io/compare.h"
#include "io/input_file.h"

namespace planish::cli {
namespace {

struct Flags {
  std::string a, b;
  std::vector<std::string> inputs;
  ShapeFlags shapes;
  ModelOptions options;
  ToleranceFlags tolerance;
  uint64_t seed = 1;
  bool json = false;
};

int compare(const Flags& f) {
  Model a(f.a, f.options);
  Model b(f.b, f.options);
  if (a.inputs().size() != b.inputs().size() || a.outputs().size() != b.outputs().size()) {
    fail(ErrorCode::kInvalidInput,
         "{} has {} inputs and {} outputs, {} has {} and {}: they cannot be compared", f.a,
         a.inputs().size(), a.outputs().size(), f.b, b.inputs().size(), b.outputs().size());
  }
  const runtime::Shapes shapes = runtime::resolve_shapes(a.inputs(), f.shapes.parse());
  std::vector<Value> inputs = runtime::random_inputs(a.inputs(), shapes, f.seed);
  for (const std::string& text : f.inputs) {
    const auto [name, path] = split_assignment(text, "--input");
    const size_t i = input_index(a, name);
    inputs[i] = io::read_input_file(path, parse_type(a.inputs()[i].type), {}, name);
  }
  if (f.inputs.size() < inputs.size()) note_defaulted(shapes);
  const io::Tolerance tolerance = f.tolerance.parse();
  const std::vector<Value> from_a = a.run(inputs);
  const std::vector<Value> from_b = b.run(inputs);
  for (Model* model : {&a, &b}) {
    for (const std::string& note : model->notes()) print_note(note);
    for (const std::string& note : model->run_notes()) print_note(note);
  }
  Json report;
  report["a"] = f.a;
  report["b"] = f.b;
  report["seed"] = f.seed;
  report["outputs"] = Json::array();
  bool equal = true;
  for (size_t i = 0; i < from_a.size(); ++i) {
    const io::Comparison c = io::compare_values(from_a[i], from_b[i], tolerance);
    equal = equal && c.equal;
    report["outputs"].push_back({{"name", a.outputs()[i].name},
                                 {"equal", c.equal},
                                 {"max_abs", c.max_abs},
                                 {"max_rel", c.max_rel},
                                 {"compared", c.compared},
                                 {"bad", c.bad},
                                 {"problem", c.where + c.problem}});
  }
  report["equal"] = equal;
  if (f.json) {
    print_json(report);
  } else {
    for (const auto& o : report["outputs"]) {
      fmt::print("  {}: {}  max abs {:.3g}, max rel {:.3g}, {} of {} elements out of tolerance{}\n",
                 o["name"].get<std::string>(),
                 o["equal"].get<bool>() ? "equal within tolerance" : "DIFFERENT",
                 o["max_abs"].get<double>(), o["max_rel"].get<double>(), o["bad"].get<int64_t>(),
                 o["compared"].get<int64_t>(),
                 o["problem"].get<std::string>().empty()
                     ? ""
                     : "\n    " + o["problem"].get<std::string>());
    }
  }
  return equal ? kDone : kFailed;
}

}  // namespace

PLANISH_VERB(compare) {
  return {"compare", "Run two models or plans on the same inputs and compare their outputs",
          [](CLI::App& app) -> std::function<int()> {
            auto f = std::make_shared<Flags>();
            app.add_option("a", f->a, "An .onnx or .plan")->required();
            app.add_option("b", f->b, "The other; its outputs count as expected")->required();
            app.add_option("--input", f->inputs, "name=file, repeatable; others are random");
            f->shapes.add(app);
            app.add_option("--threads", f->options.threads, "Workers")->check(CLI::Range(1, 1024));
            app.add_option("--seed", f->seed, "Of the random inputs");
            f->tolerance.add(app);
            add_strict(app, f->options.strict);
            app.add_flag("--json", f->json, "Print JSON");
            app.footer(
                "Examples:\n  planish compare model.onnx model.plan\n  planish compare a.plan "
                "b.plan --input x=x.npy --rtol 1e-4");
            return [f] { return compare(*f); };
          }};
}

}  // namespace planish::cli
