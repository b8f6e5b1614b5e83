// The manager and the counter: order, names, refusals, records.
#include "passes/test_util.h"

namespace planish::passes {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Four identities in a row, one rewrite each.
constexpr std::string_view kChain = R"(graph main(%x: float32[4]) {
  %a = Identity(%x)
  %b = Identity(%a)
  %c = Identity(%b)
  %d = Identity(%c)
  %y = Relu(%d)
  return %y
})";

size_t identities(const ir::Graph& graph) {
  size_t count = 0;
  for (const ir::NodeId id : graph.order()) count += graph.node(id).op == "Identity";
  return count;
}

TEST(Manager, EveryPassHasANameAndASummaryOfItsOwn) {
  std::set<std::string_view> names;
  for (const Pass& pass : all()) {
    EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
    EXPECT_FALSE(pass.summary.empty()) << pass.name;
    EXPECT_NE(pass.run, nullptr);
  }
  EXPECT_GE(names.size(), 10u);
}

TEST(Manager, UnknownNameIsRefusedWithTheNearest) {
  const auto graph = ir::parse_graph(kChain);
  Context context;
  Options options;
  options.disabled = {"fold_batchnrom"};
  try {
    run(*graph, context, options);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("'fold_batchnorm'"));
  }
}

TEST(Manager, DisabledPassesStayAway) {
  Options options;
  options.disabled = {"eliminate_identity"};
  EXPECT_EQ(identities(*optimise(kChain, options).after), 4u);
  options.enabled = false;
  const Result off = optimise(kChain, options);
  EXPECT_TRUE(off.report.decisions.empty());
  EXPECT_EQ(identities(*off.after), 4u);
}

TEST(Manager, TimesEveryPassAndCountsItsRewrites) {
  const Result r = optimise(kChain);
  ASSERT_EQ(r.report.timings.size(), all().size());
  for (const PassTiming& timing : r.report.timings) {
    EXPECT_GE(timing.runs, 1u) << timing.pass;
    EXPECT_EQ(timing.rewrites, timing.pass == "eliminate_identity" ? 4u : 0u) << timing.pass;
    EXPECT_GE(timing.seconds, 0) << timing.pass;
  }
  EXPECT_EQ(r.report.rewrites, 4u);
}

TEST(Manager, BisectLimitStopsAtTheNumber) {
  for (uint64_t limit = 0; limit <= 5; ++limit) {
    Context context;
    context.bisect_limit = limit;
    const Result r = optimise(kChain, {}, 0, context);
    EXPECT_EQ(identities(*r.after), 4 - std::min<uint64_t>(limit, 4)) << limit;
    EXPECT_EQ(r.report.rewrites, std::min<uint64_t>(limit, 4));
    uint64_t next = 1;
    for (const Decision& d : r.report.decisions) {
      if (d.fired) {
        EXPECT_EQ(d.sequence, next++);
      }
    }
  }
}

TEST(Manager, LimitZeroLeavesTheGraphUntouched) {
  const std::string_view text = R"(graph main(%x: float32[1, 2, 4, 4]) {
  %w = constant float32[2, 2, 1, 1] {1, 2, 3, 4}
  %s = constant float32[2] {1, 2}
  %one = constant float32[] {1}
  %m = Mul(%s, %one)
  %a = Conv(%x, %w)
  %b = BatchNormalization(%a, %m, %s, %s, %s)
  %c = Relu(%b)
  %d = Relu(%b)
  %n = Neg(%c)
  %e = Add(%c, %d)
  return %e
})";
  Context context;
  context.bisect_limit = 0;
  const Result r = optimise(text, {}, 0, context);
  EXPECT_EQ(ir::print(*r.after), ir::print(*r.before));
  EXPECT_EQ(r.report.rewrites, 0u);
}

TEST(Manager, OneRewriteLeftOutStaysOut) {
  // Rounds to the fixed point must not ask again under a new number.
  for (uint64_t out = 1; out <= 4; ++out) {
    Context context;
    context.left_out = {out};
    const Result r = optimise(kChain, {}, 0, context);
    ASSERT_EQ(identities(*r.after), 1u) << out;
    EXPECT_EQ(r.report.rewrites, 3u);
    ASSERT_EQ(r.report.decisions.size(), 4u);
    const Decision& refused = r.report.decisions[out - 1];
    EXPECT_FALSE(refused.fired);
    EXPECT_EQ(refused.sequence, out);
    EXPECT_THAT(refused.what, HasSubstr("left out"));
  }
}

TEST(Manager, EveryPrefixOfTheRewritesIsRight) {
  // What bisection rests on: after any number of rewrites the graph computes the same.
  const std::string_view text = R"(graph main(%x: float32[N, 2, 4, 4], %r: float32[N, 2, 4, 4]) {
  %w = constant float32[2, 2, 1, 1] {1, 2, -3, 4}
  %s = constant float32[2] {1, 2}
  %c0 = constant float32[] {0.25}
  %one = constant float32[] {1}
  %t = Identity(%s)
  %m = Mul(%s, %c0)
  %a = Conv(%x, %w)
  %b = BatchNormalization(%a, %t, %m, %s, %s)
  %c = Add(%b, %r)
  %d = Relu(%c)
  %e = Identity(%d)
  %f = Relu(%b)
  %g = Mul(%e, %one)
  %h = MaxPool(%g) {kernel_shape = [2, 2]}
  %i = MaxPool(%e) {kernel_shape = [2, 2]}
  %j = Mul(%h, %i)
  return %j
})";
  const uint64_t total = optimise(text, {}, 1e-6).report.rewrites;
  EXPECT_GE(total, 7u);
  for (uint64_t limit = 0; limit <= total; ++limit) {
    Context context;
    context.bisect_limit = limit;
    EXPECT_EQ(optimise(text, {}, 1e-6, context).report.rewrites, limit);
  }
}

TEST(Manager, RecordsSayWhichOnnxNodes) {
  const Result r = optimise(R"(graph main(%x: float32[4]) {
  %a = Identity(%x) name "copy" from "Identity_7"
  %y = Relu(%a) from "Relu_8"
  return %y
})");
  ASSERT_EQ(r.report.decisions.size(), 1u);
  const Decision& d = r.report.decisions[0];
  EXPECT_TRUE(d.fired);
  EXPECT_EQ(d.sequence, 1u);
  EXPECT_EQ(d.pass, "eliminate_identity");
  EXPECT_EQ(d.node, "copy");
  EXPECT_THAT(d.provenance, ElementsAre("Identity_7"));
}

TEST(Manager, NearMissesComeOnce) {
  // Several rounds run: the chain of dead code needs more than one pass to settle.
  const Result r = optimise(R"(graph main(%x: float32[4], %f: bool[]) {
  %a = Identity(%x)
  %y, %mask = Dropout(%a, -, %f)
  %z = Neg(%y)
  return %z
})",
                            only({"eliminate_identity", "eliminate_dead", "fold_constants"}));
  EXPECT_THAT(r.missed(), ElementsAre(HasSubstr("training_mode is not a constant")));
}

TEST(Manager, ReachingTheBoundIsReported) {
  // A dead chain behind an identity: the phase needs a second round to see that it is done.
  Options options;
  options.max_rounds = 1;
  const Result r = optimise(kChain, options);
  EXPECT_THAT(r.missed(), Contains("manager canonicalise: still changed the graph after 1 rounds"));
}

TEST(Manager, ErrorsNameThePass) {
  Context context;
  context.evaluate = [](const ir::Node&, std::span<const Value* const>) -> std::vector<Value> {
    fail(ErrorCode::kInternal, "broken evaluator");
  };
  const auto graph = ir::parse_graph(R"(graph main() {
  %a = constant float32[1] {1}
  %y = Neg(%a)
  return %y
})");
  try {
    run(*graph, context);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInternal);
    EXPECT_THAT(error.what(), HasSubstr("in pass 'fold_constants': broken evaluator"));
  }
}

TEST(Manager, TwoRunsDecideAlike) {
  const Result a = optimise(kChain);
  const Result b = optimise(kChain);
  EXPECT_EQ(ir::print(*a.after), ir::print(*b.after));
  EXPECT_EQ(a.fired(), b.fired());
}

}  // namespace
}  // namespace planish::passes
