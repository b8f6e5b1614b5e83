// The file format: what is written is read back; every damaged byte is noticed; what the structure
// cannot promise the verifier refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "base/error.h"
#include "plan/file.h"
#include "plan/format.h"

namespace planish::plan {
namespace {

using ::testing::HasSubstr;

// y = w + x with an If below it: exercises every table of the format.
Plan small_plan() {
  Plan p;
  p.planish_version = "0";
  p.machine = {"portable", "cpu", 1, 2, 3};
  p.source_name = "m.onnx";
  p.options = {{"passes", "all"}};
  p.metadata = {{"author", "x"}};
  p.providers = {"reference"};
  p.inputs = {{"x", "float32[N, 2]", 0}};
  p.outputs = {{"y", "float32[N, 2]", 0, "float32[M, 2]"}};
  p.placements = {{"add", "Add", "reference", "reference", "why", true, {"a", "b"}}};
  p.decisions = {{1, "fold", true, "n", "did", {"a"}}};
  p.evidence = {true, "seed", 1, 1, 0.5, 0.25, 1e-3};
  p.facts = {3, 2, 1, 8, 8};
  p.recipes = "graph";
  Program main;
  main.name = "main";
  Slot x, w, y;
  x.name = "x";
  x.dtype = DType::kFloat32;
  x.dims = {{0, 0}, {2, kNone}};
  x.storage = Storage::kInput;
  w = x;
  w.name = "w";
  w.storage = Storage::kConstant;
  w.dims = {{1, kNone}, {2, kNone}};
  w.bytes = 8;
  y = x;
  y.name = "y";
  y.storage = Storage::kArena;
  y.first_step = 0;
  y.last_step = 1;
  main.slots = {x, w, y};
  main.inputs = {0};
  main.outputs = {2};
  main.registers = 2;
  main.symbols = {{"N", 0, 0, 0, false, kNone, 0, 1, 100}};
  main.sizes = {{kNone, {{SizeOp::kAdd, 1, 0, 0, 0}}}};
  Step add;
  add.kernel = "reference";
  add.inputs = {1, 0};
  add.outputs = {2};
  add.name = "add";
  add.provenance = {"a", "b"};
  add.args.set("@op", std::string("Add"));
  add.args.set("f", 0.5f);
  add.args.set("i", int64_t{-3});
  add.args.set("is", Ints{1, 2});
  add.args.set("fs", Floats{1.5f});
  add.args.set("ss", Strings{"p", std::string("q\0r", 3)});
  add.args.set("t", Tensor::of<int64_t>({2}, {7, 8}));
  add.args.set("ts", Tensors{Tensor::from_strings({1}, {"s"})});
  add.args.set("ty", parse_type("seq(float32[N])"));
  main.steps = {add};
  p.programs = {main};
  p.weights_bytes = 8;
  p.weights.push_back({0, Tensor::of<float>({2}, {1.f, 2.f})});
  return p;
}

std::string refusal(const std::function<void(Plan&)>& damage) {
  Plan p = small_plan();
  damage(p);
  try {
    verify(p);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidPlan);
    return e.what();
  }
  return "accepted";
}

TEST(PlanFile, IsReadBackAsWritten) {
  const auto bytes = serialize(small_plan());
  const Plan back = read(bytes);
  EXPECT_EQ(serialize(back), bytes);
  const Step& step = back.programs[0].steps[0];
  EXPECT_EQ(step.args.get_strings("ss")[1], std::string("q\0r", 3));
  EXPECT_EQ(step.args.get_tensor("t")->data<int64_t>()[1], 8);
  EXPECT_EQ(std::get<Type>(*step.args.find("ty")), parse_type("seq(float32[N])"));
  EXPECT_EQ(back.programs[0].symbols[0].max, 100);
  EXPECT_EQ(back.evidence.max_rel, 0.25);
  EXPECT_EQ(reinterpret_cast<const float*>(back.weights[0].data.raw())[1], 2.f);
  EXPECT_TRUE(back.placements[0].fallback);
}

TEST(PlanFile, EveryChangedByteIsNoticed) {
  const auto bytes = serialize(small_plan());
  for (size_t i = 0; i < bytes.size(); ++i) {
    auto damaged = bytes;
    damaged[i] ^= std::byte{0x10};
    EXPECT_THROW(read(damaged), Error) << "byte " << i;
  }
}

TEST(PlanFile, EveryCutIsNoticed) {
  const auto bytes = serialize(small_plan());
  for (size_t n = 0; n < bytes.size(); n += 7) {
    EXPECT_THROW(read(std::span(bytes).first(n)), Error) << n << " bytes";
  }
  auto longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_THROW(read(longer), Error);
}

TEST(PlanFile, OtherVersionsAndOtherFilesAreNamed) {
  auto bytes = serialize(small_plan());
  FileHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.format_version = 99;
  header.header_hash = header_hash(header);
  std::memcpy(bytes.data(), &header, sizeof header);
  try {
    read(bytes);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("version 99"));
  }
  EXPECT_FALSE(looks_like_plan(std::as_bytes(std::span("ONNX", 4))));
}

TEST(PlanFile, LargeWeightsHaveManyChecksums) {
  Plan p = small_plan();
  const int64_t floats = 3 * (static_cast<int64_t>(kWeightChunk) / 4) + 5;
  Tensor big(DType::kFloat32, {floats});
  big.mutable_data<float>()[static_cast<size_t>(floats) - 1] = 3.f;
  p.programs[0].slots[1].dims = {{floats, kNone}};
  p.programs[0].slots[1].bytes = static_cast<uint64_t>(floats) * 4;
  p.weights_bytes = p.programs[0].slots[1].bytes;
  p.weights[0].data = std::move(big);
  auto bytes = serialize(p);
  EXPECT_NO_THROW(read(bytes, {.threads = 2}));
  bytes[bytes.size() - 1] ^= std::byte{1};
  EXPECT_THROW(read(bytes, {.threads = 2}), Error);
}

TEST(PlanFile, WritingReplacesTheWholeFileOrNothing) {
  const auto path = std::filesystem::temp_directory_path() / "planish_plan_test.plan";
  write(small_plan(), path.string());
  EXPECT_EQ(open(path.string())->plan.source_name, "m.onnx");
  Plan broken = small_plan();
  broken.programs[0].outputs = {9};
  EXPECT_THROW(write(broken, path.string()), Error);
  EXPECT_EQ(open(path.string())->plan.source_name, "m.onnx") << "the old plan is still there";
  std::filesystem::remove(path);
}

TEST(PlanVerifier, RefusesWhatTheExecutorReliesOn) {
  EXPECT_EQ(refusal([](Plan&) {}), "accepted");
  EXPECT_THAT(refusal([](Plan& p) { p.programs.clear(); }), HasSubstr("no program"));
  EXPECT_THAT(refusal([](Plan& p) { p.threads = 0; }), HasSubstr("0 threads"));
  EXPECT_THAT(refusal([](Plan& p) { p.programs[0].steps[0].inputs[0] = 7; }),
              HasSubstr("names slot 7"));
  EXPECT_THAT(refusal([](Plan& p) { p.programs[0].steps[0].inputs[0] = 2; }),
              HasSubstr("before it is made"));
  EXPECT_THAT(refusal([](Plan& p) { p.programs[0].steps[0].outputs[0] = 1; }),
              HasSubstr("not writable"));
  EXPECT_THAT(refusal([](Plan& p) { p.programs[0].steps.push_back(p.programs[0].steps[0]); }),
              HasSubstr("a second time"));
  EXPECT_THAT(refusal([](Plan& p) { p.programs[0].steps[0].provider = 4; }),
              HasSubstr("provider 4"));
  EXPECT_THAT(refusal([](Plan& p) { p.programs[0].slots[2].last_step = 0; }),
              HasSubstr("lives in steps"));
  EXPECT_THAT(refusal([](Plan& p) { p.programs[0].slots[1].offset = 64; }),
              HasSubstr("outside the weights"));
  EXPECT_THAT(refusal([](Plan& p) { p.programs[0].slots[1].bytes = 4; }),
              HasSubstr("holds 4 bytes"));
  EXPECT_THAT(refusal([](Plan& p) { p.programs[0].slots[2].dims[0].reg = 5; }),
              HasSubstr("unset register 5"));
  EXPECT_THAT(refusal([](Plan& p) { p.programs[0].slots[2].dims[1].constant = -1; }),
              HasSubstr("the dim -1"));
  EXPECT_THAT(refusal([](Plan& p) { p.programs[0].sizes[0].code[0].a = 1; }),
              HasSubstr("before it is set"));
  EXPECT_THAT(refusal([](Plan& p) { p.programs[0].sizes[0].code[0].dst = 0; }),
              HasSubstr("written twice"));
  EXPECT_THAT(refusal([](Plan& p) { p.programs[0].symbols[0].index = 5; }),
              HasSubstr("reads dim 5"));
  EXPECT_THAT(refusal([](Plan& p) { p.programs[0].symbols[0].max = -1; }),
              HasSubstr("empty range"));
  EXPECT_THAT(refusal([](Plan& p) { p.programs[0].steps[0].programs = {0}; }),
              HasSubstr("calls program 0"));
  EXPECT_THAT(refusal([](Plan& p) { p.programs.push_back(p.programs[0]); }),
              HasSubstr("called from 0 places"));
  EXPECT_THAT(refusal([](Plan& p) { p.programs[0].slots[2].layout.permutation = {0, 0}; }),
              HasSubstr("no permutation"));
  EXPECT_THAT(refusal([](Plan& p) { p.programs[0].slots[2].storage = Storage::kAlias; }),
              HasSubstr("alias"));
  EXPECT_THAT(refusal([](Plan& p) { p.inputs.clear(); }), HasSubstr("0 inputs"));
  EXPECT_THAT(refusal([](Plan& p) { p.programs[0].registers = 0xfffffff0u; }),
              HasSubstr("registers"));
}

}  // namespace
}  // namespace planish::plan
