#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/elements.h"
#include "base/error.h"
#include "cli/model.h"
#include "cli/options.h"
#include "cli/text.h"
#include "cli/verb.h"
#include "io/input_file.h"
#include "io/npy.h"
#include "io/value_proto.h"

namespace planish::cli {
namespace {

struct Flags {
  std::string model, output_dir, labels, layout = "auto", resize;
  std::vector<std::string> inputs;
  std::vector<float> mean, std, scale;
  PassFlags passes;
  ShapeFlags shapes;
  ModelOptions options;
  uint64_t seed = 1;
  int top = 5;
  bool json = false, bgr = false;
};

io::ImageOptions image_options(const Flags& f) {
  io::ImageOptions o;
  if (!f.mean.empty()) o.mean = f.mean;
  if (!f.std.empty()) o.std = f.std;
  if (!f.scale.empty()) o.scale = f.scale;
  o.bgr = f.bgr;
  o.layout = f.layout == "nchw"   ? io::ImageOptions::Layout::kNchw
             : f.layout == "nhwc" ? io::ImageOptions::Layout::kNhwc
                                  : io::ImageOptions::Layout::kAuto;
  if (!f.resize.empty()) {
    const Dims size = parse_dims(f.resize);
    if (size.size() != 2)
      fail(ErrorCode::kUsage, "--resize '{}' is not of the form 224x224 (width x height)",
           f.resize);
    o.resize = {size[0], size[1]};
  }
  return o;
}

// A classifier: one float output row of 2 to 100,000 scores a sample.
bool looks_like_scores(const Tensor& t) {
  return is_floating(t.dtype()) && t.rank() == 2 && t.dim(0) >= 1 && t.dim(0) <= 64 &&
         t.dim(1) >= 2 && t.dim(1) <= 100000;
}

std::vector<int64_t> top_of(const std::vector<double>& row, int count) {
  std::vector<int64_t> order(row.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  const auto n = std::min<size_t>(static_cast<size_t>(count), order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end(),
                    [&](int64_t a, int64_t b) {
                      const double x = row[static_cast<size_t>(a)], y = row[static_cast<size_t>(b)];
                      return x != y ? x > y : a < b;
                    });
  order.resize(n);
  return order;
}

std::vector<std::string> read_labels(const std::string& path) {
  std::vector<std::string> labels;
  std::ifstream in(path);
  if (!in) fail(ErrorCode::kIo, "{}: cannot be read", path);
  for (std::string line; std::getline(in, line);) labels.push_back(line);
  return labels;
}

Json summary(const plan::Binding& b, const Value& value) {
  Json out;
  out["name"] = b.name;
  if (value.is_tensor()) {
    const Tensor& t = value.tensor();
    out["dtype"] = to_string(t.dtype());
    out["shape"] = t.dims();
    if (is_floating(t.dtype()) && t.size() > 0) {
      double low = INFINITY, high = -INFINITY, sum = 0;
      for (int64_t i = 0; i < t.size(); ++i) {
        const double x = load_double(t, i);
        low = std::min(low, x);
        high = std::max(high, x);
        sum += x;
      }
      // JSON knows no infinity or NaN: those become null.
      out["min"] = low;
      out["max"] = high;
      out["mean"] = sum / static_cast<double>(t.size());
    }
    constexpr int64_t kShown = 8;
    Json first = Json::array();
    for (int64_t i = 0; i < std::min(t.size(), kShown); ++i) {
      if (t.dtype() == DType::kString) {
        first.push_back(t.strings()[static_cast<size_t>(i)]);
      } else if (is_floating(t.dtype())) {
        first.push_back(load_double(t, i));
      } else if (!is_complex(t.dtype())) {
        first.push_back(load_int(t, i));
      }
    }
    out["first"] = first;
  } else {
    out["kind"] = value.is_sequence() ? "sequence" : value.is_map() ? "map" : "empty";
    if (value.is_sequence()) out["length"] = value.sequence().size();
  }
  return out;
}

std::string file_name(const std::string& name) {
  std::string safe = name;
  for (char& c : safe) {
    if (c == '/' || c == '\\' || c == '\0') c = '_';
  }
  return safe.empty() || safe == "." || safe == ".." ? "output" : safe;
}

void write_outputs(const Flags& f, const Model& model, const std::vector<Value>& outputs) {
  std::error_code error;
  std::filesystem::create_directories(f.output_dir, error);
  if (error) fail(ErrorCode::kIo, "{}: {}", f.output_dir, error.message());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::filesystem::path base =
        std::filesystem::path(f.output_dir) / file_name(model.outputs()[i].name);
    if (outputs[i].is_tensor()) {
      io::write_npy_file(base.string() + ".npy", outputs[i].tensor());
    } else {
      io::write_value_pb(base.string() + ".pb", outputs[i], parse_type(model.outputs()[i].type),
                         model.outputs()[i].name);
    }
  }
}

int run(const Flags& f) {
  ModelOptions options = f.options;
  options.optimise = f.passes.parse().enabled;
  Model model(f.model, options);
  for (const auto& note : model.notes()) print_note(note);

  std::vector<std::optional<Value>> given(model.inputs().size());
  const io::ImageOptions image = image_options(f);
  runtime::ShapeRequest request = f.shapes.parse();
  for (const std::string& text : f.inputs) {
    const auto [name, path] = split_assignment(text, "--input");
    const size_t i = input_index(model, name);
    const Type type = parse_type(model.inputs()[i].type);
    given[i] = io::read_input_file(path, type, image, name);
    // What files say settles open dims for the inputs that are made up.
    if (type.has_shape() && given[i]->is_tensor() &&
        given[i]->tensor().dims().size() == type.shape->size()) {
      for (size_t d = 0; d < type.shape->size(); ++d) {
        if ((*type.shape)[d].is_symbol())
          request.dims.emplace((*type.shape)[d].to_string(), given[i]->tensor().dims()[d]);
      }
    }
  }
  std::vector<Value> inputs;
  if (std::ranges::all_of(given, [](const auto& g) { return g.has_value(); })) {
    for (auto& g : given) inputs.push_back(std::move(*g));
  } else {
    const runtime::Shapes shapes = runtime::resolve_shapes(model.inputs(), request);
    inputs = runtime::random_inputs(model.inputs(), shapes, f.seed);
    std::string made;
    for (size_t i = 0; i < given.size(); ++i) {
      if (given[i]) {
        inputs[i] = std::move(*given[i]);
      } else {
        made += (made.empty() ? "" : ", ") + model.inputs()[i].name;
      }
    }
    print_note(fmt::format("random values (seed {}) for: {}", f.seed, made));
    note_defaulted(shapes);
  }
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Value> outputs = model.run(inputs);
  for (const auto& note : model.run_notes()) print_note(note);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!f.output_dir.empty()) write_outputs(f, model, outputs);

  Json report;
  report["model"] = f.model;
  report["threads"] = model.threads();
  report["first_run_ms"] = seconds * 1e3;
  report["outputs"] = Json::array();
  const std::vector<std::string> labels =
      f.labels.empty() ? std::vector<std::string>() : read_labels(f.labels);
  for (size_t i = 0; i < outputs.size(); ++i) {
    Json out = summary(model.outputs()[i], outputs[i]);
    if (outputs[i].is_tensor() && f.top > 0 && looks_like_scores(outputs[i].tensor())) {
      const Tensor& t = outputs[i].tensor();
      const std::vector<double> all = to_doubles(t);
      Json rows = Json::array();
      for (int64_t n = 0; n < t.dim(0); ++n) {
        const std::vector<double> row(all.begin() + n * t.dim(1), all.begin() + (n + 1) * t.dim(1));
        Json best = Json::array();
        for (const int64_t c : top_of(row, f.top)) {
          Json entry{{"index", c}, {"score", row[static_cast<size_t>(c)]}};
          if (static_cast<size_t>(c) < labels.size())
            entry["label"] = labels[static_cast<size_t>(c)];
          best.push_back(entry);
        }
        rows.push_back(best);
      }
      out["top"] = rows;
    }
    report["outputs"].push_back(out);
  }
  if (f.json) {
    print_json(report);
    return kDone;
  }
  fmt::print("ran in {} on {} threads\n", human_seconds(seconds), model.threads());
  for (const auto& out : report["outputs"]) {
    if (!out.contains("dtype")) {
      fmt::print("  {}: {}\n", out["name"].get<std::string>(), out["kind"].get<std::string>());
      continue;
    }
    std::string text = fmt::format("{}[{}]", out["dtype"].get<std::string>(),
                                   fmt::join(out["shape"].get<Dims>(), ", "));
    if (out.contains("min"))
      text += fmt::format("  min {:.5g}, max {:.5g}, mean {:.5g}", out["min"].get<double>(),
                          out["max"].get<double>(), out["mean"].get<double>());
    fmt::print("  {}: {}\n", out["name"].get<std::string>(), text);
    if (!out.contains("top")) {
      std::string first;
      for (const auto& v : out["first"])
        first +=
            (first.empty() ? "" : ", ") + v.dump(-1, ' ', false, Json::error_handler_t::replace);
      fmt::print("    first values: {}\n", first);
      continue;
    }
    for (size_t n = 0; n < out["top"].size(); ++n) {
      for (const auto& e : out["top"][n]) {
        fmt::print("    {}{:>6}  {:>10.5g}  {}\n",
                   out["top"].size() > 1 ? fmt::format("[{}] ", n) : "", e["index"].get<int64_t>(),
                   e["score"].get<double>(), e.value("label", ""));
      }
    }
  }
  if (!f.output_dir.empty()) fmt::print("outputs written to {}\n", f.output_dir);
  return kDone;
}

}  // namespace

PLANISH_VERB(run) {
  return {
      "run", "Run a model or plan once on files or random inputs",
      [](CLI::App& app) -> std::function<int()> {
        auto f = std::make_shared<Flags>();
        app.add_option("model", f->model, "An .onnx or .plan file")->required();
        app.add_option("--input", f->inputs,
                       "name=file (.npy, .npz, .pb, .png, .jpg), repeatable; others are random");
        app.add_option("--output-dir", f->output_dir,
                       "Write each output there as NAME.npy (sequences and maps: NAME.pb)");
        app.add_option("--threads", f->options.threads, "Workers (default: as the plan was built)")
            ->check(CLI::Range(1, 1024));
        app.add_option("--max-memory", f->options.max_memory,
                       "Bytes that intermediate values may take")
            ->transform(CLI::AsSizeValue(true));
        app.add_option("--provider", f->options.provider,
                       "First choice for .onnx files: cpu or reference");
        f->passes.add(app);
        f->shapes.add(app);
        app.add_option("--seed", f->seed, "Of the random inputs");
        app.add_option("--scale", f->scale,
                       "Pictures: value = (pixel*scale - mean)/std; one number or one a channel")
            ->delimiter(',');
        app.add_option("--mean", f->mean, "Pictures: see --scale")->delimiter(',');
        app.add_option("--std", f->std, "Pictures: see --scale")->delimiter(',');
        app.add_option("--layout", f->layout, "Pictures: nchw, nhwc or auto")
            ->check(CLI::IsMember({"auto", "nchw", "nhwc"}));
        app.add_option("--resize", f->resize,
                       "Pictures: width x height where the model leaves them open, as 224x224");
        app.add_flag("--bgr", f->bgr, "Pictures: channels in the order blue, green, red");
        app.add_option("--top", f->top, "Best classes to print for each sample (0: none)");
        app.add_option("--labels", f->labels, "Text file with one class name a line");
        add_strict(app, f->options.strict);
        app.add_flag("--json", f->json, "Print JSON");
        app.footer(
            "Examples:\n  planish run model.plan\n  planish run model.onnx --input x=x.npy "
            "--output-dir out\n"
            "  planish run model.plan --input image=cat.jpg --scale 0.00392157 --mean "
            "0.485,0.456,0.406 --std 0.229,0.224,0.225");
        return [f] { return run(*f); };
      }};
}

}  // namespace planish::cli
