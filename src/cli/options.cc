#include "cli/options.h"

#include <fmt/format.h>

#include <charconv>

#include "base/error.h"
#include "cli/text.h"

namespace planish::cli {
namespace {

int64_t parse_int(std::string_view text, std::string_view what) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
    fail(ErrorCode::kUsage, "{}: '{}' is no whole number", what, text);
  }
  return value;
}

}  // namespace

std::pair<std::string, std::string> split_assignment(const std::string& text,
                                                     std::string_view flag) {
  const size_t at = text.find('=');
  if (at == std::string::npos || at == 0)
    fail(ErrorCode::kUsage, "{} '{}' is not of the form name=value", flag, text);
  return {text.substr(0, at), text.substr(at + 1)};
}

Dims parse_dims(std::string_view text) {
  Dims dims;
  if (text.empty() || text == "scalar") return dims;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find('x', start), text.size());
    dims.push_back(parse_int(text.substr(start, end - start), "--shapes"));
    if (dims.back() < 0) fail(ErrorCode::kUsage, "--shapes: a dim of {} cannot be", dims.back());
    start = end + 1;
  }
  return dims;
}

void ShapeFlags::add(CLI::App& app) {
  app.add_option("--shapes", shapes, "Shapes of inputs: name:1x3x224x224, several with commas")
      ->delimiter(',');
  app.add_option("--dim", dims, "Size of an open dim: N=8 (others default to 1)");
}

runtime::ShapeRequest ShapeFlags::parse() const {
  runtime::ShapeRequest request;
  for (const std::string& s : shapes) {
    const size_t at = s.rfind(':');  // names may hold colons, shapes do not
    if (at == std::string::npos || at == 0)
      fail(ErrorCode::kUsage, "--shapes '{}' is not of the form name:1x3x224x224", s);
    request.shapes[s.substr(0, at)] = parse_dims(std::string_view(s).substr(at + 1));
  }
  for (const std::string& d : dims) {
    const auto [name, value] = split_assignment(d, "--dim");
    request.dims[name] = parse_int(value, "--dim " + name);
  }
  return request;
}

void ToleranceFlags::add(CLI::App& app) {
  app.add_option("--rtol", tolerance.rtol, "Tolerance relative to each expected value (1e-3)");
  auto* absolute = app.add_option("--atol", atol, "Absolute tolerance");
  app.add_option("--atol-rel", atol_rel,
                 "Absolute tolerance as a share of the largest expected value (1e-5)")
      ->excludes(absolute);
}

io::Tolerance ToleranceFlags::parse() const {
  io::Tolerance parsed = tolerance;
  if (atol >= 0) {
    parsed.atol = atol;
    parsed.atol_relative = false;
  } else if (atol_rel >= 0) {
    parsed.atol = atol_rel;
  }
  return parsed;
}

void add_strict(CLI::App& app, bool& strict) {
  app.add_flag("--strict", strict,
               "What is accepted with a note though ONNX forbids it is an error");
}

void note_defaulted(const runtime::Shapes& shapes) {
  if (shapes.defaulted.empty()) return;
  print_note(fmt::format("open dims taken as 1: {} (set them with --shapes or --dim)",
                         fmt::join(shapes.defaulted, ", ")));
}

void PassFlags::add(CLI::App& app) {
  app.add_option("--passes", passes, "Which optimisations: all or none")
      ->check(CLI::IsMember({"all", "none"}));
  app.add_option("--disable-pass", disabled, "Leave this pass out (repeatable)");
}

passes::Options PassFlags::parse() const {
  passes::Options options;
  options.enabled = passes == "all";
  options.disabled = disabled;
  return options;
}

}  // namespace planish::cli
