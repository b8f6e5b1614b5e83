// Import on what is handed to the project: trained models, skeletons of big ones, and models made
// from reports of what broke other runtimes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "base/error.h"
#include "io/tensor_proto.h"
#include "onnx/constants.h"
#include "onnx/document.h"
#include "onnx/import.h"
#include "onnx/test_models.h"
#include "testing/shared.h"

namespace planish::onnx {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string outcome(const fs::path& model) {
  try {
    import_file(model.string());
    return "";
  } catch (const Error& e) {
    EXPECT_NE(e.code(), ErrorCode::kInternal) << e.what();
    EXPECT_EQ(e.file(), model.string());
    return e.what();
  }
}

void check_imported(const Model& m) {
  EXPECT_FALSE(m.graph->order().empty());
  for (const ir::NodeId id : m.graph->order()) {
    EXPECT_FALSE(m.graph->node(id).provenance.empty());
  }
  for (const ir::ValueId id : m.graph->outputs()) {
    EXPECT_NE(m.graph->value(id).type.kind, Type::Kind::kUnknown) << m.graph->value(id).name;
  }
}

std::string test_name(const ::testing::TestParamInfo<const char*>& param) {
  std::string name = param.param;
  for (char& c : name) {
    if (!isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

class TrainedModel : public ::testing::TestWithParam<const char*> {};

TEST_P(TrainedModel, Imports) {
  PLANISH_NEED_SHARED(path, std::string("models/") + GetParam());
  check_imported(import_file(path.string()));
}

INSTANTIATE_TEST_SUITE_P(Shared,
                         TrainedModel,
                         ::testing::Values("silero_vad_v5/model.onnx",
                                           "dtln_1/model.onnx",
                                           "ppocrv4_det/model.onnx",
                                           "mobilenetv2_qdq_int8/model.onnx",
                                           "sklearn_randomforest/model.onnx",
                                           "sklearn_randomforest/model_original.onnx"),
                         test_name);

// The skeletons lack their big weights. Here they get them as external data: a file with a hole, so
// that a model of hundreds of megabytes costs nothing.
class Skeleton : public ::testing::TestWithParam<const char*> {};

TEST_P(Skeleton, ImportsWithExternalWeights) {
  PLANISH_NEED_SHARED(path, std::string("zoo/") + GetParam());
  const fs::path folder =
      fs::path(::testing::TempDir()) / (std::string("planish_zoo_") + GetParam());
  fs::create_directories(folder);
  Document document = Document::open(path.string());
  int64_t size = 0;
  for (TensorProto& t : document.model().graph->initializer) {
    const auto view = io::parse_tensor_proto(std::as_bytes(std::span(t.raw)));
    if (!view.raw.empty() || view.has_typed) continue;
    ASSERT_EQ(view.dtype, DType::kFloat32);
    t.raw = document.keep(
        testing::external(std::string(text(t.name)), view.dims,
                          {{"location", "weights.bin"}, {"offset", std::to_string(size)}}));
    t.touch();
    size += byte_count(view.dtype, element_count(view.dims));
  }
  EXPECT_GT(size, 10'000'000);
  std::ofstream(folder / "weights.bin").put(0);
  fs::resize_file(folder / "weights.bin", static_cast<uintmax_t>(size));
  write_file(document.model(), (folder / "model.onnx").string());
  const Model m = import_file((folder / "model.onnx").string());
  check_imported(m);
  EXPECT_EQ(m.constants->external_files(), 1u);
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Shared,
                         Skeleton,
                         ::testing::Values("resnet18.onnx", "bert_base.onnx", "mobilenetv2.onnx"),
                         test_name);

// What the broken ones must say, beside being refused.
const std::map<std::string, std::string, std::less<>> kMessages = {
    {"case_66_external_data_bounds__missing_file", "w.bin"},
    {"case_66_external_data_bounds__negative", "negative"},
    {"case_66_external_data_bounds__offset_huge", "outside the file"},
    {"case_66_external_data_bounds__past_end", "need"},
    {"case_66_external_data_bounds__short", "its length is 4 bytes"},
    {"case_69_function_recursion__mutual", "calls itself"},
    {"case_69_function_recursion__self", "calls itself"},
    {"case_69_function_recursion__through_if", "calls itself"},
    {"case_73_bad_types__no_input_type", "has no type"},
    {"case_73_bad_types__elem_type_unknown", "none of those known"},
    {"case_73_bad_types__elem_type_negative", "none of those known"},
    {"case_81_graph_form__cycle", "cycle"},
    {"case_81_graph_form__dangling", "'nowhere'"},
    {"case_81_graph_form__duplicate_initializer", "defined twice"},
    {"case_81_graph_form__future_opset", "opset 9999"},
    {"case_81_graph_form__input_redefined", "defined twice"},
    {"case_81_graph_form__no_opset", "imports no opset"},
    {"case_81_graph_form__output_missing", "made by no node"},
    {"case_81_graph_form__self_loop", "cycle"},
    {"case_81_graph_form__shadowed_name", "defines 'k' again"},
    {"case_81_graph_form__twice_defined", "defined twice"},
    {"case_81_graph_form__unknown_attribute", "'wat'"},
    {"case_81_graph_form__unknown_op", "NoSuchOp"},
    {"case_81_graph_form__wrong_arity", "Add has 1 input"},
    {"case_83_broken_bytes__cut_1", "cut off"},
    {"case_83_broken_bytes__cut_half", "cut off"},
    {"case_83_broken_bytes__empty", "an empty file"},
    {"case_83_broken_bytes__length_lies", "asks for"},
    {"case_83_broken_bytes__no_graph", "no graph"},
    {"case_83_broken_bytes__random", "byte"},
    {"case_83_broken_bytes__text", "text"},
    {"case_83_broken_bytes__varint_endless", "does not end"},
    {"case_83_broken_bytes__wrong_wire", "wire type"},
    {"case_83_broken_bytes__zeros", "a file of zeros"},
};

TEST(SharedReports, BrokenModelsGetOneClearError) {
  PLANISH_NEED_SHARED(reports, "cases/reports");
  for (const auto& [name, message] : kMessages) {
    SCOPED_TRACE(name);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THAT(outcome(reports / name / "model.onnx"), HasSubstr(message));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  }
}

// Legal ones import; those that need operators which are not there yet are only counted.
TEST(SharedReports, OtherModelsImportOrAreRefused) {
  PLANISH_NEED_SHARED(reports, "cases/reports");
  int imported = 0, refused = 0, unknown = 0;
  for (const auto& entry : fs::directory_iterator(reports)) {
    const fs::path model = entry.path() / "model.onnx";
    SCOPED_TRACE(model);
    std::ifstream file(entry.path() / "case.json");
    std::stringstream json;
    json << file.rdbuf();
    const bool value = json.str().find("\"expect\": \"value\"") != std::string::npos;
    const std::string error = outcome(model);
    if (error.empty()) {
      ++imported;
    } else if (error.find("unknown operator") != std::string::npos) {
      ++unknown;
    } else {
      ++refused;
      if (value) ADD_FAILURE() << error;
    }
  }
  std::cout << imported << " imported, " << refused << " refused, " << unknown
            << " with unknown operators\n";
}

}  // namespace
}  // namespace planish::onnx
