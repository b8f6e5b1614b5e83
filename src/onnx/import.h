// From an .onnx to IR.
//
// What import settles, so that nothing after it needs to know ONNX's file format:
//   * every node in the canonical form of the newest opset (ops/upgrade.h), in topological order;
//   * initializers, Constant nodes and sparse initializers as constants: views into the mapped
//   files;
//   * subgraphs as blocks, outer values they read as explicit captures (constants are repeated
//   inside
//     the block instead: a view costs nothing, and inference sees their content);
//   * model-local functions expanded; nodes from them are named "call/inner";
//   * open dims as symbols: dim_param of inputs where there is one, else "input_axis";
//   * of the types that a file declares for inner values and outputs, kind and element type bind;
//     shapes are claims (ValueDef::declared). What inference finds wins, with a note.
//
// The graph borrows weights from the Model's files: keep the Model as long as the graph or anything
// made from its constants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace planish::onnx {

class Constants;
class Document;

struct ImportOptions {
  // Nodes after functions are expanded, and bytes of attributes this copies.
  int64_t max_nodes = 1'000'000;
  int64_t max_attribute_bytes = int64_t{1} << 30;
  // What sparse tensors may take as dense ones, all together.
  int64_t max_sparse_bytes = int64_t{256} << 20;
  // What would be accepted with a note though the letter of ONNX forbids it is an error.
  bool strict = false;
};

// Move only.
struct Model {
  Model();
  ~Model();
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;

  // Owners of everything that constants borrow; declared first, destroyed last.
  std::unique_ptr<Document> document;
  std::unique_ptr<Constants> constants;

  std::unique_ptr<ir::Graph> graph;
  // What a user should know though the model is accepted, a sentence each.
  std::vector<std::string> notes;
};

// Throws Error with the file's path: kIo, kInvalidModel (a rule of ONNX is broken; names byte
// offset, node or value), kUnsupported (unknown operators, all in one message; sparse or opaque
// values).
Model import_file(const std::string& path, const ImportOptions& options = {});

// The same for bytes that outlive the Model. External data is looked for in `folder`; without one
// any is an error.
Model import_bytes(std::span<const std::byte> bytes,
                   const ImportOptions& options = {},
                   std::optional<std::string> folder = std::nullopt);

}  // namespace planish::onnx
