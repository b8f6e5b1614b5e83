// Messages for whoever watches a run, on stderr. Silent until set_log_level(): a library that talks
// unasked disturbs the program that uses it. Thread safe.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace planish {

enum class LogLevel : uint8_t { kTrace, kDebug, kInfo, kWarning, kError, kOff };

void set_log_level(LogLevel level);
LogLevel log_level();
// "trace", "debug", "info", "warning", "error", "off".
std::optional<LogLevel> parse_log_level(std::string_view name);

void log_text(LogLevel level, std::string_view text);

// The text is made only when someone will see it.
template <class... Args>
void log_at(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (level >= log_level()) log_text(level, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace planish
