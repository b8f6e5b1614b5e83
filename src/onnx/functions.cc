#include "onnx/functions.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "ops/op.h"

namespace planish::onnx {
namespace {

std::string identity(Text domain, Text name, Text overload) {
  // NUL stands in no real name, so that the parts cannot run together.
  std::string id(canonical_domain(domain));
  id += '\0';
  id += name;
  id += '\0';
  id += overload;
  return id;
}

// What a name that a subgraph reads from outside costs: a value of its own in every block.
constexpr int64_t kCaptureBytes = 512;

// What a piece of the model comes to once functions are expanded. Sums stop at a ceiling.
struct Weight {
  int64_t nodes = 0;
  int64_t bytes = 0;  // of attributes and names
  int depth = 0;

  static int64_t add(int64_t a, int64_t b) {
    constexpr int64_t kCeiling = int64_t{1} << 60;
    return std::min(a + b, kCeiling);
  }
  void operator+=(const Weight& other) {
    nodes = add(nodes, other.nodes);
    bytes = add(bytes, other.bytes);
    depth = std::max(depth, other.depth);
  }
};

class Surveyor {
 public:
  Surveyor(const Functions& functions, OuterNames& outer, const SurveyLimits& limits)
      : functions_(functions), outer_(outer), limits_(limits) {}

  Weight nodes(const std::vector<NodeProto>& list, int depth) {
    if (depth > kMaxNesting) fail_nesting();
    Weight total;
    for (size_t i = 0; i < list.size(); ++i) total += node(list[i], i, depth);
    return total;
  }

  void report_unknown() const {
    if (unknown_.empty()) return;
    std::string text;
    constexpr size_t kShown = 20;
    size_t shown = 0;
    for (const auto& [op, seen] : unknown_) {
      if (shown++ == kShown) {
        text += fmt::format("; and {} more", unknown_.size() - kShown);
        break;
      }
      if (!text.empty()) text += "; ";
      text += fmt::format("{} ({} node{}, first {}", operator_name(op.first, op.second), seen.count,
                          seen.count == 1 ? "" : "s", seen.first);
      const std::vector<std::string> near = ops::nearest(op.first, op.second);
      for (size_t i = 0; i < near.size(); ++i) text += (i == 0 ? "; near: " : ", ") + near[i];
      text += ")";
    }
    fail(ErrorCode::kUnsupported, "unknown operator{}: {}", unknown_.size() == 1 ? "" : "s", text);
  }

 private:
  struct Unknown {
    int64_t count = 0;
    std::string first;
  };

  Weight node(const NodeProto& n, size_t index, int depth) {
    Weight w;
    w.nodes = 1;
    w.bytes = static_cast<int64_t>(16 * (n.input.size() + n.output.size()));
    bool has_graph = false;
    for (const AttributeProto& a : n.attribute) {
      // Tensors become views; what lies inside subgraphs is counted there.
      if (!a.t && a.tensors.empty() && !a.g && a.graphs.empty()) {
        w.bytes += static_cast<int64_t>(a.raw.size());
      }
      for (const GraphProto* g : subgraphs(a)) {
        has_graph = true;
        Weight inner = nodes(g->node, depth + 1);
        inner.depth += 1;
        w += inner;
      }
    }
    if (has_graph)
      w.bytes = Weight::add(w.bytes, kCaptureBytes * static_cast<int64_t>(outer_.of(n).size()));
    if (const FunctionProto* f = functions_.find(n)) {
      w += function(*f, depth);
    } else {
      const Text domain = canonical_domain(text(n.domain)), op = text(n.op_type);
      if (!(domain.empty() && op == "Constant") && ops::find(domain, op) == nullptr) {
        Unknown& u = unknown_[{std::string(domain), std::string(op)}];
        if (u.count++ == 0) u.first = label(n, index);
      }
    }
    return w;
  }

  Weight function(const FunctionProto& f, int depth) {
    if (const auto it = weights_.find(&f); it != weights_.end()) {
      if (depth + it->second.depth > kMaxNesting) fail_nesting();
      return it->second;
    }
    if (const auto it = std::ranges::find(calling_, &f); it != calling_.end()) {
      std::string ring;
      for (auto at = it; at != calling_.end(); ++at) ring += name_of(**at) + " -> ";
      fail(ErrorCode::kInvalidModel, "function calls itself, which ONNX forbids: {}{}", ring,
           name_of(f));
    }
    calling_.push_back(&f);
    Weight w = nodes(f.node, depth + 1);
    calling_.pop_back();
    w.depth += 1;
    if (w.nodes > limits_.max_nodes || w.bytes > limits_.max_attribute_bytes) {
      fail(ErrorCode::kInvalidModel,
           "function {} expands to over {} nodes or {} bytes of attributes: more than this "
           "importer allows",
           name_of(f), limits_.max_nodes, limits_.max_attribute_bytes);
    }
    weights_.emplace(&f, w);
    return w;
  }

  static std::string name_of(const FunctionProto& f) {
    return operator_name(canonical_domain(text(f.domain)), text(f.name));
  }
  [[noreturn]] static void fail_nesting() {
    fail(ErrorCode::kInvalidModel, "function calls and subgraphs nest more than {} deep",
         kMaxNesting);
  }

  const Functions& functions_;
  OuterNames& outer_;
  const SurveyLimits& limits_;
  std::vector<const FunctionProto*> calling_;
  std::unordered_map<const FunctionProto*, Weight> weights_;
  std::map<std::pair<std::string, std::string>, Unknown> unknown_;
};

}  // namespace

Text canonical_domain(Text domain) { return domain == "ai.onnx" ? Text() : domain; }

std::string operator_name(Text domain, Text op) {
  return domain.empty() ? std::string(op) : fmt::format("{}.{}", domain, op);
}

Functions::Functions(const ModelProto& model) {
  for (const FunctionProto& f : model.functions) {
    const std::string id = identity(text(f.domain), text(f.name), text(f.overload));
    if (!by_identity_.emplace(id, &f).second) {
      fail(ErrorCode::kInvalidModel, "function {} is defined twice",
           operator_name(canonical_domain(text(f.domain)), text(f.name)));
    }
  }
}

const FunctionProto* Functions::find(const NodeProto& node) const {
  if (by_identity_.empty()) return nullptr;
  const auto it =
      by_identity_.find(identity(text(node.domain), text(node.op_type), text(node.overload)));
  return it == by_identity_.end() ? nullptr : it->second;
}

void survey(const ModelProto& model,
            const Functions& functions,
            OuterNames& outer,
            const SurveyLimits& limits) {
  Surveyor surveyor(functions, outer, limits);
  const Weight total = surveyor.nodes(model.graph->node, 1);
  if (total.nodes > limits.max_nodes && !model.functions.empty()) {
    fail(ErrorCode::kInvalidModel,
         "the model expands to {} nodes: more than the {} this importer allows", total.nodes,
         limits.max_nodes);
  }
  if (total.bytes > limits.max_attribute_bytes) {
    fail(ErrorCode::kInvalidModel, "the model carries over {} bytes of attributes",
         limits.max_attribute_bytes);
  }
  surveyor.report_unknown();
}

}  // namespace planish::onnx
