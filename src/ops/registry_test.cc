// The catalogue as a whole: twins, sane schemas, suggestions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ops/op.h"

namespace planish::ops {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string full_name(std::string_view domain, std::string_view name) {
  return domain.empty() ? std::string(name) : fmt::format("{}::{}", domain, name);
}

// What is left here is not evaluated under its own name: older forms that `upgrade` turns into
// other operators.
bool turns_into_another(const OpDef& def) { return def.removed != 0; }

TEST(Registry, EveryOperatorHasAReferenceTwin) {
  std::vector<std::string> missing;
  for (const OpDef& def : all()) {
    if (turns_into_another(def)) continue;
    if (reference::find(def.domain, def.name) == nullptr) {
      missing.push_back(full_name(def.domain, def.name));
    }
  }
  EXPECT_THAT(missing, IsEmpty())
      << "in ops/operators/operators.list, but not in reference/operators/operators.list";
  missing.clear();
  for (const reference::Operator& op : reference::all()) {
    if (find(op.domain, op.name) == nullptr) missing.push_back(full_name(op.domain, op.name));
  }
  EXPECT_THAT(missing, IsEmpty())
      << "in reference/operators/operators.list, but not in ops/operators/operators.list";
}

TEST(Registry, EvaluationsAreThere) {
  for (const reference::Operator& op : reference::all()) EXPECT_NE(op.eval, nullptr) << op.name;
}

void check_formals(const OpDef& def, const std::vector<Formal>& formals) {
  std::set<std::string_view> names;
  bool optional = false;
  for (size_t i = 0; i < formals.size(); ++i) {
    const Formal& formal = formals[i];
    EXPECT_FALSE(formal.name.empty());
    EXPECT_TRUE(names.insert(formal.name).second) << formal.name << " twice";
    EXPECT_EQ(formal.types & ~kAnyTensor, 0u) << formal.name << ": bits that are no dtype";
    if (formal.arity == Arity::kVariadic) {
      EXPECT_EQ(i + 1, formals.size()) << formal.name << ": variadic, but not last";
    }
    // An optional one before a required one can only be skipped by name: legal, and rare.
    optional |= formal.arity == Arity::kOptional;
    if (optional && formal.arity == Arity::kRequired) {
      EXPECT_THAT((std::vector<std::string_view>{"RoiAlign"}), Contains(def.name));
    }
  }
}

TEST(Registry, SchemasAreSane) {
  for (const OpDef& def : all()) {
    SCOPED_TRACE(full_name(def.domain, def.name));
    EXPECT_FALSE(def.name.empty());
    EXPECT_NE(def.domain, "ai.onnx") << "the default domain is the empty one";
    EXPECT_NE(def.infer, nullptr);
    const int newest = def.domain == "ai.onnx.ml" ? kNewestMlOpset : kNewestOpset;
    EXPECT_GE(def.since, 1);
    if (def.domain.empty() || def.domain == "ai.onnx.ml") {
      EXPECT_LE(def.since, newest);
    }
    if (def.removed != 0) {
      EXPECT_GT(def.removed, def.since);
      EXPECT_LE(def.removed, newest);
    }
    check_formals(def, def.inputs);
    check_formals(def, def.outputs);
    EXPECT_FALSE(def.outputs.empty());
    std::set<std::string_view> names;
    for (const AttrSpec& spec : def.attributes) {
      EXPECT_FALSE(spec.name.empty());
      EXPECT_TRUE(names.insert(spec.name).second) << spec.name << " twice";
    }
    for (const std::string_view legacy : def.legacy_attributes) {
      EXPECT_TRUE(names.insert(legacy).second) << legacy << " is both legacy and canonical";
      EXPECT_NE(def.upgrade, nullptr) << "nobody consumes the legacy attribute " << legacy;
    }
    for (const std::string_view block : def.blocks) EXPECT_TRUE(names.insert(block).second);
    if (def.epilogue) {
      EXPECT_GE(def.inputs.size(), 1u);
      EXPECT_EQ(def.outputs.size(), 1u);
      EXPECT_TRUE(def.deterministic);
      EXPECT_TRUE(def.blocks.empty());
    }
  }
}

TEST(Registry, FindsByDomainAndName) {
  ASSERT_FALSE(all().empty());
  for (const OpDef& def : all()) EXPECT_EQ(find(def.domain, def.name), &def);
  EXPECT_EQ(find("", "NoSuchOperator"), nullptr);
  EXPECT_EQ(find("no.such.domain", "Conv"), nullptr);
  EXPECT_EQ(find("ai.onnx", "Conv"), find("", "Conv"));
  EXPECT_NE(find("", "Conv"), nullptr);
}

TEST(Registry, SuggestsNearNames) {
  EXPECT_EQ(nearest("", "Covn").at(0), "Conv");
  EXPECT_EQ(nearest("", "maxpool").at(0), "MaxPool");
  EXPECT_EQ(nearest("", "Linear").at(0), "Gemm");
  EXPECT_EQ(nearest("", "Conv2d").at(0), "Conv");
  EXPECT_LE(nearest("", "Softmaxx", 1).size(), 1u);
  EXPECT_THAT(nearest("", "Zyxwvutsrqponm"), IsEmpty());
  EXPECT_THAT(nearest("", std::string(1 << 20, 'x')), IsEmpty());
  EXPECT_THAT(nearest("com.example", "Conv", 1), ElementsAre("Conv of domain 'ai.onnx'"));

  ir::Node node;
  node.op = "Covn";
  node.name = "first";
  try {
    definition(node);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_EQ(error.node(), "first");
    EXPECT_THAT(error.message(), HasSubstr("nearest: Conv"));
  }
}

}  // namespace
}  // namespace planish::ops
