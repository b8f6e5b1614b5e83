// How the command line writes for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace planish::cli {

using Json = nlohmann::ordered_json;

std::string human_bytes(double bytes);  // "1.2 MB" (decimal), "512 B"
std::string human_count(double count);  // "11.7 M", "842"
std::string human_seconds(double s);    // "1.24 s", "3.5 ms", "12 µs"

// Left column as wide as its longest entry.
std::string table(const std::vector<std::pair<std::string, std::string>>& rows);

// To stdout, followed by a newline. Bytes that are no UTF-8 are replaced.
void print_json(const Json& json);
// Notes go to stderr, so that stdout stays what was asked for.
void print_note(std::string_view note);

// Progress on stderr when it is a terminal: one line, rewritten.
class Progress {
 public:
  explicit Progress(bool wanted);
  ~Progress();
  void show(std::string_view what);

 private:
  bool on_;
  size_t width_ = 0;
};

}  // namespace planish::cli
