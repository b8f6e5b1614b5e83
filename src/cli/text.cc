#include "cli/text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace planish::cli {
namespace {

std::string scaled(double value, const std::vector<std::string_view>& units, double step) {
  size_t i = 0;
  while (std::fabs(value) >= step && i + 1 < units.size()) {
    value /= step;
    ++i;
  }
  const std::string unit = units[i].empty() ? "" : " " + std::string(units[i]);
  return i == 0 ? fmt::format("{:.0f}{}", value, unit)
                : fmt::format("{:.{}f}{}", value, value < 10 ? 2 : 1, unit);
}

}  // namespace

std::string human_bytes(double bytes) { return scaled(bytes, {"B", "kB", "MB", "GB", "TB"}, 1000); }
std::string human_count(double count) { return scaled(count, {"", "k", "M", "G", "T"}, 1000); }
std::string human_seconds(double s) {
  if (s >= 1) return fmt::format("{:.2f} s", s);
  if (s >= 1e-3) return fmt::format("{:.{}f} ms", s * 1e3, s < 1e-2 ? 2 : 1);
  return fmt::format("{:.0f} µs", s * 1e6);
}

std::string table(const std::vector<std::pair<std::string, std::string>>& rows) {
  size_t width = 0;
  for (const auto& [left, right] : rows) width = std::max(width, left.size());
  std::string text;
  for (const auto& [left, right] : rows) text += fmt::format("  {:<{}}  {}\n", left, width, right);
  return text;
}

void print_json(const Json& json) {
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

void print_note(std::string_view note) { fmt::print(stderr, "note: {}\n", note); }

Progress::Progress(bool wanted) : on_(wanted && isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (on_ && width_ > 0) fmt::print(stderr, "\r{:{}}\r", "", width_);
}

void Progress::show(std::string_view what) {
  if (!on_) return;
  fmt::print(stderr, "\r{:<{}}\r{}", "", width_, what);
  std::fflush(stderr);
  width_ = what.size();
}

}  // namespace planish::cli
