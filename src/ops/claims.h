// Declared shapes that inference or a run disproved: what they are, and the one note about them.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/type.h"
#include "ir/graph.h"

namespace planish::ops {

// Gathers the values whose declared shape did not hold, each once.
class Disproved {
 public:
  // `how` goes between the two shapes of the note: "inferred as", "came out as".
  explicit Disproved(std::string_view how) : how_(how) {}
  void add(const ir::ValueDef& value, const Type& found);
  bool empty() const { return names_.empty(); }
  // Names the first ones with both shapes.
  std::string note() const;

 private:
  std::string how_;
  std::set<std::string> names_;
  std::vector<std::string> shown_;
};

}  // namespace planish::ops
