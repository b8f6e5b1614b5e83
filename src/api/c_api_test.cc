// The C interface: values in and out, errors with their text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "ir/text.h"
#include "onnx/document.h"
#include "onnx/export.h"
#include "planish/planish.h"

namespace {

using ::testing::HasSubstr;

const std::string kModel = PLANISH_SOURCE_DIR "/models/tutorial/torchscript/model.onnx";

TEST(CApi, LoadsDescribesBindsAndRuns) {
  planish_plan* plan = nullptr;
  ASSERT_EQ(planish_open(kModel.c_str(), nullptr, &plan), PLANISH_OK) << planish_last_error();
  EXPECT_EQ(planish_input_count(plan), 1u);
  EXPECT_STREQ(planish_input_name(plan, 0), "image");
  EXPECT_THAT(planish_input_type(plan, 0), HasSubstr(", 3, 32, 32]"));
  EXPECT_EQ(planish_input_name(plan, 1), nullptr);
  planish_context* context = nullptr;
  ASSERT_EQ(planish_context_create(plan, &context), PLANISH_OK);
  std::vector<float> pixels(2 * 3 * 32 * 32, 0.5f);
  const int64_t dims[] = {2, 3, 32, 32};
  planish_tensor x = {PLANISH_FLOAT32, 4, dims, pixels.data(), pixels.size() * 4};
  planish_tensor y;
  EXPECT_EQ(planish_output_tensor(context, 0, &y), PLANISH_USAGE) << "before the first run";
  ASSERT_EQ(planish_set_tensor(context, 0, &x), PLANISH_OK);
  ASSERT_EQ(planish_run(context), PLANISH_OK) << planish_last_error();
  ASSERT_EQ(planish_output_tensor(context, 0, &y), PLANISH_OK);
  EXPECT_EQ(y.rank, 2);
  EXPECT_EQ(y.dims[0], 2);
  EXPECT_EQ(y.dims[1], 10);
  EXPECT_EQ(0, std::memcmp(y.data, static_cast<float*>(y.data) + 10, 40))
      << "equal rows in, equal rows out";
  planish_context_destroy(context);
  planish_close(plan);
}

TEST(CApi, ErrorsHaveACodeAndAText) {
  planish_plan* plan = nullptr;
  EXPECT_EQ(planish_open("/nowhere/m.plan", nullptr, &plan), PLANISH_IO);
  EXPECT_THAT(planish_last_error(), HasSubstr("/nowhere/m.plan"));
  EXPECT_EQ(planish_open(nullptr, nullptr, &plan), PLANISH_USAGE);
  ASSERT_EQ(planish_open(kModel.c_str(), nullptr, &plan), PLANISH_OK);
  planish_context* context = nullptr;
  ASSERT_EQ(planish_context_create(plan, &context), PLANISH_OK);
  int64_t wrong[4] = {};
  const int64_t dims[] = {4};
  planish_tensor x = {PLANISH_INT64, 1, dims, wrong, sizeof wrong};
  ASSERT_EQ(planish_set_tensor(context, 0, &x), PLANISH_OK);
  EXPECT_EQ(planish_run(context), PLANISH_INVALID_INPUT);
  EXPECT_THAT(planish_last_error(), HasSubstr("input 'image' expects float32"));
  x.bytes = 8;
  EXPECT_EQ(planish_set_tensor(context, 0, &x), PLANISH_INVALID_INPUT);
  planish_context_destroy(context);
  planish_close(plan);
}

TEST(CApi, ValuesOfEveryKind) {
  const int64_t dims[] = {2};
  const char* const texts[] = {"a", "bc"};
  const size_t lengths[] = {1, 2};
  planish_value* strings = nullptr;
  ASSERT_EQ(planish_value_strings(1, dims, texts, lengths, &strings), PLANISH_OK);
  float numbers[] = {1.f, 2.f};
  const planish_tensor t = {PLANISH_FLOAT32, 1, dims, numbers, sizeof numbers};
  planish_value* tensor = nullptr;
  ASSERT_EQ(planish_value_tensor(&t, &tensor), PLANISH_OK);
  const planish_value* items[] = {strings, tensor};
  planish_value* sequence = nullptr;
  ASSERT_EQ(planish_value_sequence(items, 2, &sequence), PLANISH_OK);
  EXPECT_EQ(planish_value_kind(sequence), PLANISH_SEQUENCE);
  EXPECT_EQ(planish_value_count(sequence), 2u);
  const planish_value* item = nullptr;
  ASSERT_EQ(planish_value_item(sequence, 1, &item), PLANISH_OK);
  planish_tensor back;
  ASSERT_EQ(planish_value_get_tensor(item, &back), PLANISH_OK);
  EXPECT_EQ(back.data, numbers) << "a view";
  ASSERT_EQ(planish_value_item(sequence, 0, &item), PLANISH_OK);
  const char* text = nullptr;
  size_t length = 0;
  ASSERT_EQ(planish_value_string(item, 1, &text, &length), PLANISH_OK);
  EXPECT_EQ(std::string(text, length), "bc");
  EXPECT_EQ(planish_value_item(sequence, 2, &item), PLANISH_USAGE);
  EXPECT_EQ(planish_value_map(sequence, &item, &item), PLANISH_INVALID_INPUT);
  for (planish_value* v : {strings, tensor, sequence}) planish_value_destroy(v);
}

// Strings into a model and out of it, twice through one context.
TEST(CApi, StringsThroughAModel) {
  const auto graph = planish::ir::parse_graph(R"(
graph main(%words: string[N]) {
  %end = constant string[1] {"!"}
  %y: string[?] = Concat(%words, %end) {axis = 0}
  return %y
}
)");
  const std::string path = ::testing::TempDir() + "planish_strings.onnx";
  planish::onnx::write_file(planish::onnx::export_graph(*graph).model(), path);
  planish_plan* plan = nullptr;
  ASSERT_EQ(planish_open(path.c_str(), nullptr, &plan), PLANISH_OK) << planish_last_error();
  planish_context* context = nullptr;
  ASSERT_EQ(planish_context_create(plan, &context), PLANISH_OK);
  for (const int64_t n : {2, 0, 1}) {
    const char* const texts[] = {"a", "b\0c"};
    const size_t lengths[] = {1, 3};
    planish_value* words = nullptr;
    ASSERT_EQ(planish_value_strings(1, &n, texts, lengths, &words), PLANISH_OK);
    ASSERT_EQ(planish_set_value(context, 0, words), PLANISH_OK) << planish_last_error();
    ASSERT_EQ(planish_run(context), PLANISH_OK) << planish_last_error();
    const planish_value* y = nullptr;
    ASSERT_EQ(planish_output(context, 0, &y), PLANISH_OK);
    std::vector<std::string> got;
    for (int64_t i = 0; i <= n; ++i) {
      const char* text = nullptr;
      size_t length = 0;
      ASSERT_EQ(planish_value_string(y, static_cast<size_t>(i), &text, &length), PLANISH_OK);
      got.emplace_back(text, length);
    }
    std::vector<std::string> want;
    for (int64_t i = 0; i < n; ++i) want.emplace_back(texts[i], lengths[i]);
    want.emplace_back("!");
    EXPECT_EQ(got, want);
    planish_value_destroy(words);
  }
  planish_context_destroy(context);
  planish_close(plan);
  std::filesystem::remove(path);
}

}  // namespace
