// From IR back to an .onnx that other runtimes can run.
//
// Written in the canonical form at opset ops::kNewestOpset. Epilogues become nodes again, blocks
// become subgraphs that read captured values under their outer names, constants become
// initializers (folded ones as their values). Names of inputs and outputs are kept; inner names
// too, made unique over all subgraphs.
#pragma once

#include "ir/graph.h"
#include "onnx/document.h"

namespace planish::onnx {

struct ExportOptions {
  // 13 came with opset 26 and is the least that may carry it.
  int64_t ir_version = 13;
};

// A document of its own that borrows nothing. kUnsupported when a tensor passes protobuf's 2 GB.
Document export_graph(const ir::Graph& graph, const ExportOptions& options = {});

}  // namespace planish::onnx
