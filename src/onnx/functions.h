// Model-local functions, and the survey of a model before any of it is imported: what is unknown,
// what calls itself, how far functions expand.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "onnx/names.h"
#include "onnx/proto.h"

namespace planish::onnx {

// "ai.onnx" and "" are one domain, written "" here.
Text canonical_domain(Text domain);
// "Conv", "com.acme.Foo": for messages.
std::string operator_name(Text domain, Text op);

class Functions {
 public:
  // kInvalidModel when two functions have one identity.
  explicit Functions(const ModelProto& model);
  // The function a node calls; null when it names an operator. A function wins over an operator of
  // the same name: its body is what the author of the model means.
  const FunctionProto* find(const NodeProto& node) const;

 private:
  std::unordered_map<std::string, const FunctionProto*> by_identity_;
};

// Function calls and subgraphs inside each other; import walks them recursively.
inline constexpr int kMaxNesting = 256;

struct SurveyLimits {
  int64_t max_nodes = 1'000'000;                   // after functions are expanded
  int64_t max_attribute_bytes = int64_t{1} << 30;  // that expansion would copy
};

// Walks everything the main graph reaches. Throws kUnsupported listing all unknown operators (with
// the nearest known names), kInvalidModel for a function that calls itself (naming the ring), for
// nesting past kMaxNesting and for expansion past the limits, before anything is expanded.
void survey(const ModelProto& model,
            const Functions& functions,
            OuterNames& outer,
            const SurveyLimits& limits);

}  // namespace planish::onnx
