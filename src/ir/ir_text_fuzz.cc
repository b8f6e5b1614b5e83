// Any text either is refused with kInvalidModel or prints to a text that reads back the same.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "ir/graph.h"

using planish::Error;
using planish::ErrorCode;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::unique_ptr<planish::ir::Graph> graph;
  try {
    graph = planish::ir::parse_graph(text);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidModel) {
      std::fprintf(stderr, "unexpected error: %s\n", error.what());
      std::abort();
    }
    return 0;
  }
  try {
    planish::ir::verify(*graph);
  } catch (const Error&) {
    return 0;  // readable, but no legal graph: nothing more is promised
  }
  const planish::ir::PrintOptions all{.max_constant_elements = INT64_MAX, .provenance = true};
  const std::string once = planish::ir::print(*graph, all);
  const std::string twice = planish::ir::print(*planish::ir::parse_graph(once), all);
  if (once != twice) {
    std::fprintf(stderr, "not the same:\n%s\n%s\n", once.c_str(), twice.c_str());
    std::abort();
  }
  planish::ir::verify(*graph->clone());
  return 0;
}
