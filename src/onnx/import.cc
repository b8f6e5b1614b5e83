#include "onnx/import.h"

#include <filesystem>

#include "base/error.h"
#include "onnx/constants.h"
#include "onnx/document.h"
#include "onnx/foreign.h"
#include "onnx/importer.h"

namespace planish::onnx {

Model::Model() = default;
Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&& other) noexcept {
  // The graph borrows from the owners, so it goes first.
  graph = std::move(other.graph);
  constants = std::move(other.constants);
  document = std::move(other.document);
  notes = std::move(other.notes);
  return *this;
}

namespace {

Model import_document(Document document,
                      std::optional<std::string> folder,
                      const ImportOptions& options) {
  Model model;
  model.document = std::make_unique<Document>(std::move(document));
  const std::string_view bytes = model.document->bytes();
  if (!model.document->model().graph) {
    const std::string foreign = describe_foreign(bytes);
    if (foreign.empty())
      fail(ErrorCode::kInvalidModel, "the file holds no graph: it is no ONNX model");
    fail(ErrorCode::kInvalidModel, "the file holds no graph; it seems to be {}", foreign);
  }
  model.constants = std::make_unique<Constants>(bytes, ExternalFiles(std::move(folder)),
                                                options.max_sparse_bytes);
  Importer importer(*model.document, *model.constants, options);
  model.graph = importer.run();
  model.notes = importer.take_notes();
  ir::verify(*model.graph);
  return model;
}

// Messages quote names of the file, which may hold any bytes.
template <class Import>
Model with_clean_errors(const std::string& path, Import import) {
  try {
    return import();
  } catch (const Error& e) {
    Error clean(e.code(), printable(e.message()));
    clean.at_node(printable(e.node(), 400));
    throw clean.in_file(e.file().empty() ? path : e.file());
  }
}

}  // namespace

Model import_file(const std::string& path, const ImportOptions& options) {
  return with_clean_errors(path, [&] {
    return import_document(Document::open(path), std::filesystem::path(path).parent_path().string(),
                           options);
  });
}

Model import_bytes(std::span<const std::byte> bytes,
                   const ImportOptions& options,
                   std::optional<std::string> folder) {
  return with_clean_errors(
      "", [&] { return import_document(Document::parse(bytes), std::move(folder), options); });
}

}  // namespace planish::onnx
