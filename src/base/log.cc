#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <memory>

namespace planish {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"trace",   "debug", "info",
                                                    "warning", "error", "off"};
constexpr std::array kLevels = {spdlog::level::trace, spdlog::level::debug, spdlog::level::info,
                                spdlog::level::warn,  spdlog::level::err,   spdlog::level::off};

spdlog::level::level_enum to_spdlog(LogLevel level) { return kLevels[static_cast<size_t>(level)]; }

// Lives in spdlog's registry too, so that an application can redirect it under the name "planish".
spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    if (auto existing = spdlog::get("planish")) return existing;
    auto made = spdlog::stderr_color_mt("planish");
    made->set_pattern("planish %^%l%$: %v");
    made->set_level(spdlog::level::off);
    return made;
  }();
  return *instance;
}

}  // namespace

void set_log_level(LogLevel level) { logger().set_level(to_spdlog(level)); }

LogLevel log_level() {
  const auto level = logger().level();
  for (size_t i = 0; i < kLevels.size(); ++i) {
    if (kLevels[i] == level) return static_cast<LogLevel>(i);
  }
  return LogLevel::kError;  // spdlog's "critical"
}

std::optional<LogLevel> parse_log_level(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

void log_text(LogLevel level, std::string_view text) {
  if (level == LogLevel::kOff) return;
  logger().log(to_spdlog(level), spdlog::string_view_t(text.data(), text.size()));
}

}  // namespace planish
