// The walk that turns a Document's graphs into IR; see import.h for what it promises.
//
// Three structures:
//   Opsets   the versions that a model, or one function, imports.
//   Frame    one function call being expanded (or the main graph): attributes, opsets, name prefix.
//   Scope    the names visible in one graph, or in one function's body, with the IR graph that its
//            nodes go to. A subgraph opens a scope with a graph of its own; a function call opens
//            one that shares its caller's graph and sees none of its names.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "onnx/constants.h"
#include "onnx/functions.h"
#include "onnx/import.h"
#include "onnx/names.h"
#include "onnx/proto.h"
#include "onnx/types.h"

namespace planish::onnx {

class Opsets {
 public:
  // Of a domain imported more than once the last import counts, as ONNX's checker and ONNX Runtime
  // read it. Other domains than the default one may have any version until a node uses them.
  // kInvalidModel when the default domain has a version that does not exist.
  explicit Opsets(const std::vector<OperatorSetIdProto>& imports);
  // What of the list ONNX does not define; empty: nothing.
  const std::string& deviation() const { return deviation_; }
  // Nothing when the domain is not imported.
  std::optional<int64_t> version(Text domain) const;
  void set(Text domain, int64_t version) {
    versions_[std::string(canonical_domain(domain))] = version;
  }
  bool empty() const { return versions_.empty(); }
  auto begin() const { return versions_.begin(); }
  auto end() const { return versions_.end(); }

 private:
  std::map<std::string, int64_t, std::less<>> versions_;
  std::string deviation_;
};

class Importer {
 public:
  Importer(const Document& document, Constants& constants, const ImportOptions& options);
  std::unique_ptr<ir::Graph> run();
  std::vector<std::string> take_notes() { return std::move(notes_); }

 private:
  struct Frame {
    const FunctionProto* function = nullptr;  // null: the main graph
    const Opsets* opsets = nullptr;
    std::string prefix;  // of the names of nodes and values
    // What the function's attribute parameters stand for in this call.
    std::unordered_map<Text, const AttributeProto*> attributes;
  };

  struct Scope {
    ir::Graph& graph;
    const Frame& frame;
    Scope* outer = nullptr;                        // of a subgraph: where captured names are found
    Scope* caller = nullptr;                       // of a function's body
    std::unordered_map<Text, ir::ValueId> values;  // kNoValue: an omitted input of a function
    std::unordered_map<Text, const TypeProto*> declared;
    std::unordered_map<Text, Text> renamed;  // of a body: output to the caller's name for it
  };

  // What a new value is called in IR and in the file, and the type the file gives it.
  struct Naming {
    std::string name, onnx_name;
    const TypeProto* declared = nullptr;
  };

  // A name that a node's subgraphs read from the scope around them.
  struct Capture {
    Text name;
    ir::ValueId value;      // in the outer graph; kNoValue: an omitted input of a function
    bool repeated = false;  // a constant: made anew inside
  };

  // What a block's first inputs and outputs are.
  enum class Interface : uint8_t { kPlain, kLoopBody };

  // What the model does beyond the letter of ONNX and is read nevertheless: how often, and where
  // first.
  struct Deviation {
    int64_t count = 0;
    std::string first;
    void add(std::string_view where) {
      if (count++ == 0) first = where;
    }
  };

  // importer.cc: facts of the model, graphs, nodes.
  // Something beyond the letter of ONNX is accepted: a note, or with `strict` kInvalidModel.
  void deviate(std::string note);
  void note_facts(ir::Graph& graph);
  void note_deviations();
  void count_incomplete_types(const GraphProto& proto);
  void constants_of(const GraphProto& proto, Scope& scope);
  void declare_types(const GraphProto& proto, Scope& scope);
  void nodes(Scope& scope, const std::vector<NodeProto>& list);
  void node(Scope& scope, const NodeProto& proto, size_t index);
  void operator_node(Scope& scope, const NodeProto& proto, const std::string& name);
  void attributes_of(Scope& scope, const NodeProto& proto, ir::Node& node);
  const AttributeProto* resolve(const Frame& frame, const AttributeProto& attribute) const;
  int version_for(const Frame& frame, Text domain, Text op, const std::string& node_name);
  Naming naming(const Scope& scope, Text name) const;
  Type claim(const Naming& naming, Text name);  // unknown when nothing is declared
  // Inputs of a subgraph may hide names of the graphs around it, outputs of nodes may not.
  // Initializers may where they repeat the outer constant: else ONNX Runtime reads the outer value,
  // and whoever wrote the file meant the inner.
  enum class Hiding : uint8_t { kRefused, kIfSame, kAllowed };
  void bind(Scope& scope, Text name, ir::ValueId id, Hiding hiding = Hiding::kRefused);
  ir::ValueId new_value(Scope& scope, Text name);
  ir::ValueId new_constant(Scope& scope,
                           Text name,
                           Tensor tensor,
                           Hiding hiding = Hiding::kRefused);
  // The value a name stands for; kInvalidModel when nothing defines it.
  ir::ValueId read(const Scope& scope, Text name) const;
  std::string node_name(const Scope& scope, const NodeProto& proto, size_t index) const;

  // import_constant.cc: Constant in all its forms.
  void constant_node(Scope& scope, const NodeProto& proto);

  // import_block.cc: subgraphs.
  void blocks_of(Scope& scope, const NodeProto& proto, ir::Node& node);
  std::vector<Capture> captures_of(Scope& scope, const NodeProto& proto);
  std::unique_ptr<ir::Graph> block(Scope& outer,
                                   const GraphProto& proto,
                                   const std::vector<Capture>& captures,
                                   Interface interface);
  // `value`: what bears the name now.
  void check_hiding(const Scope& outer, Text name, const ir::ValueDef& value, Hiding hiding);

  // import_claims.cc: what is declared against what is inferred.
  void check_claims(const ir::Graph& graph);

  // import_function.cc: calls of model-local functions.
  void call(Scope& scope,
            const NodeProto& proto,
            const FunctionProto& function,
            const std::string& name);

  const ModelProto& model_;
  Constants& constants_;
  const ImportOptions& options_;
  Opsets opsets_;
  Functions functions_;
  std::unordered_map<const FunctionProto*, Opsets> function_opsets_;
  OuterNames outer_;
  Symbols symbols_;
  std::vector<std::string> notes_;
  std::map<std::string, Deviation> odd_versions_;  // by what to say
  Deviation hidden_, loop_vectors_, incomplete_types_;
  int64_t sorted_graphs_ = 0;
  int64_t minus_ones_ = 0;
};

}  // namespace planish::onnx
