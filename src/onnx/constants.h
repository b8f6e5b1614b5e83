// TensorProto and SparseTensorProto to Tensor.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <unordered_map>

#include "base/tensor.h"
#include "onnx/external_data.h"
#include "onnx/proto.h"

namespace planish::onnx {

// Turns the file's tensors into views: of the mapped model, of a mapped external file, or of a
// tensor converted once and stored here (values that lie in typed fields, sparse tensors). Views
// are free to copy and stay valid while this object and the mapping live; tensors of strings are
// copies. Errors are kInvalidModel (or kIo for external files) and name the tensor. Not thread
// safe.
class Constants {
 public:
  // `max_sparse_bytes`: what all sparse tensors together may expand to; their dense size is a claim
  // that the file's own size does not back.
  // `file` is the model's bytes: offsets in errors count from there.
  Constants(std::string_view file, ExternalFiles external, int64_t max_sparse_bytes)
      : file_(file), external_(std::move(external)), sparse_budget_(max_sparse_bytes) {}

  // `where` names the tensor when it has no name of its own.
  Tensor tensor(const TensorProto& proto, std::string_view where);
  Tensor sparse(const SparseTensorProto& proto, std::string_view where);
  // A view of a tensor made by the importer itself, kept here.
  Tensor keep(Tensor tensor);

  size_t external_files() const { return external_.file_count(); }

 private:
  Tensor read(const TensorProto& proto, std::string_view where);

  std::string_view file_;
  ExternalFiles external_;
  int64_t sparse_budget_;
  std::deque<Tensor> made_;
  std::unordered_map<const Message*, const Tensor*> known_;
};

}  // namespace planish::onnx
