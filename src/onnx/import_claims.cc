// What a file declares of inner values and outputs, held against what inference found.
//
// Files in the wild declare wrong shapes: exporters guess, models are cut or get another batch. The
// operators decide; who wrote the file learns of it.
#include "base/error.h"
#include "onnx/importer.h"
#include "ops/claims.h"

namespace planish::onnx {
namespace {

void collect_claims(const ir::Graph& graph, ops::Disproved& disproved) {
  for (ir::ValueId id = 0; id < graph.value_count(); ++id) {
    const ir::ValueDef& value = graph.value(id);
    if (!contradicts(value.declared, value.type)) continue;
    if (value.rank_claimed && value.declared.shape->size() != value.type.shape->size()) {
      fail(ErrorCode::kUnsupported,
           "value '{}' is declared {} but is inferred as {}, and an operator of an old opset that "
           "reads it can only be understood by the declared rank: correct or remove the "
           "declaration, or export with a newer opset",
           value.name, to_string(value.declared), to_string(value.type));
    }
    disproved.add(value, value.type);
  }
  for (const ir::NodeId id : graph.order()) {
    for (const auto& block : graph.node(id).blocks) collect_claims(*block, disproved);
  }
}

}  // namespace

void Importer::check_claims(const ir::Graph& graph) {
  ops::Disproved disproved("inferred as");
  collect_claims(graph, disproved);
  if (!disproved.empty()) deviate(disproved.note());
}

}  // namespace planish::onnx
