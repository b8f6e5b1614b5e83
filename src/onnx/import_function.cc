// Calls of model-local functions: the body's nodes take the place of the call.
//
// survey() has already refused functions that call themselves and calls that expand too far.
#include <algorithm>

#include "base/error.h"
#include "onnx/importer.h"
#include "ops/upgrade.h"

namespace planish::onnx {
namespace {

// Names inside nested calls stop growing here; IR keeps them unique.
constexpr size_t kMaxPrefix = 200;

}  // namespace

void Importer::call(Scope& scope,
                    const NodeProto& proto,
                    const FunctionProto& function,
                    const std::string& name) {
  const std::string title =
      operator_name(canonical_domain(text(function.domain)), text(function.name));
  if (proto.input.size() > function.input.size() || proto.output.size() > function.output.size()) {
    fail(ErrorCode::kInvalidModel, "function {} has {} inputs and {} outputs, this call {} and {}",
         title, function.input.size(), function.output.size(), proto.input.size(),
         proto.output.size());
  }
  Frame frame;
  frame.function = &function;
  auto opsets = function_opsets_.find(&function);
  if (opsets == function_opsets_.end()) {
    check_definitions(function);
    opsets = function_opsets_.emplace(&function, Opsets(function.opset_import)).first;
    if (const std::string& note = opsets->second.deviation(); !note.empty()) deviate(note);
  }
  frame.opsets = &opsets->second;
  frame.prefix = name.size() < kMaxPrefix ? name + "/" : scope.frame.prefix;
  for (const AttributeProto& a : function.attribute_proto) frame.attributes[text(a.name)] = &a;
  for (const AttributeProto& a : proto.attribute) {
    const Text parameter = text(a.name);
    if (std::ranges::find(function.attribute, parameter) == function.attribute.end() &&
        !frame.attributes.contains(parameter)) {
      fail(ErrorCode::kInvalidModel, "function {} has no attribute '{}'", title, parameter);
    }
    const AttributeProto* value = resolve(scope.frame, a);
    if (value == nullptr) continue;
    if (!subgraphs(*value).empty()) {
      fail(ErrorCode::kUnsupported, "function {} is given a subgraph as attribute '{}'", title,
           parameter);
    }
    frame.attributes[parameter] = value;
  }

  Scope body{scope.graph, frame, nullptr, &scope, {}, {}, {}};
  for (size_t i = 0; i < function.input.size(); ++i) {
    const Text actual = i < proto.input.size() ? proto.input[i] : Text();
    body.values[function.input[i]] = read(scope, actual);
  }
  for (size_t i = 0; i < proto.output.size(); ++i) {
    if (!proto.output[i].empty() && !body.values.contains(function.output[i])) {
      body.renamed.emplace(function.output[i], proto.output[i]);
    }
  }
  nodes(body, function.node);
  for (size_t i = 0; i < proto.output.size(); ++i) {
    const Text wanted = proto.output[i];
    // Bound already when a node of the body made it under the caller's name.
    if (wanted.empty()) continue;
    if (const auto it = body.renamed.find(function.output[i]);
        it != body.renamed.end() && it->second == wanted && body.values.contains(it->first)) {
      continue;
    }
    const auto it = body.values.find(function.output[i]);
    if (it == body.values.end() || it->second == ir::kNoValue) {
      fail(ErrorCode::kInvalidModel, "function {} never makes its output '{}'", title,
           function.output[i]);
    }
    // An input handed through, or one value under two names: the caller's name needs a node.
    ir::Node identity;
    identity.op = "Identity";
    identity.name = name + "/" + std::string(wanted);
    identity.provenance = {name};
    identity.inputs = {it->second};
    identity.outputs = {new_value(scope, wanted)};
    ops::add_upgraded(scope.graph, std::move(identity), ops::kNewestOpset);
  }
}

}  // namespace planish::onnx
