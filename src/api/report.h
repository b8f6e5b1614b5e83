// Reports of the verbs as JSON: what --json prints, and what the command line draws its tables
// from. Fields are documented in docs/reports.md; they are added, not renamed.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "passes/pass.h"
#include "runtime/shapes.h"

namespace planish::api {

using Json = nlohmann::ordered_json;

struct BuildRequest {
  std::string model;   // .onnx
  std::string output;  // .plan; empty: nothing is written
  int threads = 0;     // 0: the cores of the process, at most 8
  passes::Options passes;
  uint64_t bisect_limit = UINT64_MAX;
  std::string provider = "cpu";
  std::string require;
  bool verify = true;
  bool strict = false;  // notes on what ONNX forbids are errors
  double tolerance = 1e-3;
  uint64_t seed = 1;
  runtime::ShapeRequest shapes;
  std::function<void(std::string_view stage)> on_stage;
};

// Builds, checks and writes a plan. The report: nodes and weights before and after, rewrites by
// pass, placements and fallbacks with reasons, evidence, seconds by stage, bytes of the files.
// Throws Error; nothing is left under `output` then.
Json build(const BuildRequest& request);

// What is in an .onnx or a .plan.
Json inspect(const std::string& path);

// The operators that this build knows, by domain and name: the opsets that have each, and what runs
// it: kernels of the cpu provider, steps of the plan (control flow) or the reference alone.
Json operators();

// This machine: CPU, caches, limits; with `measure` also its peaks (about 0.3 s).
Json machine(bool measure);

}  // namespace planish::api
