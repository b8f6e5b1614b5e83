// Operators that move elements: any dtype, strings and packed types included; bad indices.
#include "reference/movement.h"

#include "reference/test_eval.h"

namespace planish::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor grid(Dims dims) {
  Tensor t(DType::kInt64, std::move(dims));
  int64_t next = 0;
  for (int64_t& v : t.mutable_data<int64_t>()) v = next++;
  return t;
}

Attributes one(const char* name, int64_t value) { return attributes({{name, value}}); }

TEST(Movement, TransposeOfEveryKindOfElement) {
  const Attributes perm = attributes({{"perm", Ints{1, 0}}});
  EXPECT_THAT(to_ints(evaluate_one("Transpose", {grid({2, 3})}, perm)),
              ElementsAre(0, 3, 1, 4, 2, 5));
  const std::vector<int64_t> small = {0, 1, 2, 3, 4, 5};
  for (const DType type : {DType::kInt4, DType::kUint8, DType::kInt16, DType::kFloat64}) {
    const Tensor x = from_ints(type, {2, 3}, small);
    EXPECT_THAT(to_doubles(evaluate_one("Transpose", {x}, perm)), ElementsAre(0, 3, 1, 4, 2, 5))
        << to_string(type);
  }
  const Tensor text = strings({2, 2}, {"a", "b", "c", "d"});
  EXPECT_THAT(evaluate_one("Transpose", {text}).strings(), ElementsAre("a", "c", "b", "d"));
  message_of(ErrorCode::kInvalidModel,
             [] { evaluate("Transpose", {grid({2, 3})}, attributes({{"perm", Ints{0, 0}}})); });
}

TEST(Movement, ReshapeTargets) {
  EXPECT_THAT(evaluate_one("Reshape", {grid({2, 6}), ints({0, -1, 3})}).dims(),
              ElementsAre(2, 2, 3));
  EXPECT_THAT(evaluate_one("Reshape", {grid({0, 6}), ints({3, 0})}, one("allowzero", 1)).dims(),
              ElementsAre(3, 0));
  EXPECT_THAT(evaluate_one("Reshape", {grid({1}), ints({})}).dims(), ElementsAre());
  for (const std::vector<int64_t>& bad :
       {std::vector<int64_t>{-1, -1}, {5, -1}, {-2, 6}, {1, 1, 0}, {4, 4}}) {
    message_of(ErrorCode::kInvalidInput, [&] { evaluate("Reshape", {grid({2, 6}), ints(bad)}); });
  }
  // -1 of nothing could be anything.
  message_of(ErrorCode::kInvalidInput, [] { evaluate("Reshape", {grid({0, 2}), ints({0, -1})}); });
}

TEST(Movement, SliceForwardBackwardAndOutside) {
  const Tensor x = grid({5});
  const auto slice = [&](int64_t start, int64_t end, int64_t step) {
    return to_ints(evaluate_one("Slice", {x, ints({start}), ints({end}), ints({0}), ints({step})}));
  };
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max(), kMin = -kMax - 1;
  EXPECT_THAT(slice(1, -1, 1), ElementsAre(1, 2, 3));
  EXPECT_THAT(slice(0, kMax, 2), ElementsAre(0, 2, 4));
  EXPECT_THAT(slice(-1, kMin, -1), ElementsAre(4, 3, 2, 1, 0));
  EXPECT_THAT(slice(3, 0, -2), ElementsAre(3, 1));
  EXPECT_THAT(slice(-100, 2, 1), ElementsAre(0, 1));
  EXPECT_THAT(slice(4, 2, 1), ElementsAre());
  EXPECT_THAT(slice(0, 5, kMax), ElementsAre(0));
  EXPECT_THAT(slice(4, kMin, kMin), ElementsAre(4));
  EXPECT_EQ(
      evaluate_one("Slice", {grid({0}), ints({-1}), ints({kMin}), ints({0}), ints({-1})}).size(),
      0);
  message_of(ErrorCode::kInvalidInput, [&] { slice(0, 1, 0); });
}

TEST(Movement, ConcatSplitRoundTrip) {
  const Tensor x = grid({2, 5});
  const std::vector<Value> parts = evaluate("Split", {x, ints({1, 0, 4})}, one("axis", 1), 3);
  EXPECT_THAT(to_ints(parts[2].tensor()), ElementsAre(1, 2, 3, 4, 6, 7, 8, 9));
  const Tensor back = evaluate_one("Concat", {parts[0], parts[1], parts[2]}, one("axis", -1));
  EXPECT_EQ(to_ints(back), to_ints(x));
  const std::vector<Value> equal = evaluate("Split", {grid({7})}, one("num_outputs", 3), 3);
  EXPECT_EQ(equal[0].tensor().size(), 3);
  EXPECT_EQ(equal[2].tensor().size(), 1);
  message_of(ErrorCode::kInvalidInput,
             [&] { evaluate("Split", {x, ints({4, 2})}, one("axis", 1), 2); });
}

TEST(Movement, PartsWithoutElementsMayBeOfAnyLength) {
  const Tensor x(DType::kFloat32, {int64_t{1} << 62, 0});
  message_of(ErrorCode::kInvalidInput, [&] { evaluate("Concat", {x, x}, one("axis", 0)); });
  EXPECT_EQ(evaluate_one("Concat", {x, x}, one("axis", 1)).dim(1), 0);
}

TEST(Movement, GatherNamesIndexAndBound) {
  EXPECT_THAT(to_ints(evaluate_one("Gather", {grid({3, 2}), ints({-1, 0})})),
              ElementsAre(4, 5, 0, 1));
  const Tensor text = strings({3}, {"a", "b", "c"});
  EXPECT_THAT(evaluate_one("Gather", {text, Tensor::scalar<int64_t>(-2)}).strings(),
              ElementsAre("b"));
  EXPECT_THAT(message_of(ErrorCode::kData, [] { evaluate("Gather", {grid({3}), ints({3})}); }),
              HasSubstr("index 3 is outside [-3, 3)"));
  message_of(ErrorCode::kData, [] { evaluate("Gather", {grid({0}), ints({0})}); });
  message_of(ErrorCode::kData,
             [] { evaluate("Gather", {grid({3}), ints({std::numeric_limits<int64_t>::min()})}); });
}

TEST(Movement, GatherAndScatterByElementAndByTuple) {
  const Tensor index = Tensor::of<int64_t>({1, 2}, {int64_t{1}, int64_t{0}});
  EXPECT_THAT(to_ints(evaluate_one("GatherElements", {grid({2, 2}), index})), ElementsAre(2, 1));
  const Tensor update = Tensor::of<int64_t>({1, 2}, {int64_t{10}, int64_t{20}});
  EXPECT_THAT(to_ints(evaluate_one("ScatterElements", {grid({2, 2}), index, update},
                                   attributes({{"reduction", std::string("add")}}))),
              ElementsAre(0, 21, 12, 3));
  const Tensor pair = Tensor::of<int64_t>({1, 2}, {int64_t{-1}, int64_t{0}});
  EXPECT_THAT(to_ints(evaluate_one("GatherND", {grid({2, 2}), pair})), ElementsAre(2));
  EXPECT_THAT(to_ints(evaluate_one("ScatterND", {grid({2, 2}), pair, ints({9})})),
              ElementsAre(0, 1, 9, 3));
  const Tensor far = Tensor::of<int64_t>({1, 2}, {int64_t{2}, int64_t{0}});
  message_of(ErrorCode::kData, [&] { evaluate("GatherND", {grid({2, 2}), far}); });
  message_of(ErrorCode::kData, [&] { evaluate("ScatterND", {grid({2, 2}), far, ints({9})}); });
}

TEST(Movement, ExpandAndTile) {
  EXPECT_THAT(to_ints(evaluate_one("Expand", {grid({2, 1}), ints({2, 1, 2})})),
              ElementsAre(0, 0, 1, 1, 0, 0, 1, 1));
  EXPECT_THAT(to_ints(evaluate_one("Tile", {grid({2, 2}), ints({1, 2})})),
              ElementsAre(0, 1, 0, 1, 2, 3, 2, 3));
  message_of(ErrorCode::kOutOfMemory,
             [] { evaluate("Expand", {grid({1}), ints({int64_t{1} << 50, 64})}); });
  message_of(ErrorCode::kInvalidModel,
             [] { evaluate("Tile", {grid({3, 3}), ints({int64_t{1} << 61, int64_t{1} << 61})}); });
}

TEST(Movement, PadModes) {
  const auto pad = [](const char* mode, std::vector<int64_t> pads) {
    return to_ints(evaluate_one("Pad", {grid({4}), ints(std::move(pads))},
                                attributes({{"mode", std::string(mode)}})));
  };
  EXPECT_THAT(pad("constant", {1, 2}), ElementsAre(0, 0, 1, 2, 3, 0, 0));
  EXPECT_THAT(pad("reflect", {2, 5}), ElementsAre(2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2));
  EXPECT_THAT(pad("edge", {1, 1}), ElementsAre(0, 0, 1, 2, 3, 3));
  EXPECT_THAT(pad("wrap", {1, 6}), ElementsAre(3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1));
  // Cropped first: the filling sees what is left.
  EXPECT_THAT(pad("reflect", {-1, 2}), ElementsAre(1, 2, 3, 2, 1));
  EXPECT_THAT(pad("constant", {-2, 1}), ElementsAre(2, 3, 0));
  message_of(ErrorCode::kInvalidInput, [&] { pad("constant", {-3, -2}); });
  message_of(ErrorCode::kInvalidInput, [&] { pad("edge", {-4, 1}); });
  message_of(ErrorCode::kInvalidInput,
             [&] { pad("constant", {std::numeric_limits<int64_t>::max(), 1}); });
}

TEST(Movement, DepthAndSpace) {
  const Tensor x = grid({1, 8, 1, 1});
  const Attributes dcr = attributes({{"blocksize", int64_t{2}}});
  const Attributes crd = attributes({{"blocksize", int64_t{2}}, {"mode", std::string("CRD")}});
  EXPECT_THAT(to_ints(evaluate_one("DepthToSpace", {x}, dcr)), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  EXPECT_THAT(to_ints(evaluate_one("DepthToSpace", {x}, crd)), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  for (const Attributes& mode : {dcr, crd}) {
    const Tensor there = evaluate_one("DepthToSpace", {grid({2, 12, 3, 2})}, mode);
    EXPECT_EQ(to_ints(evaluate_one("SpaceToDepth", {there}, mode)), to_ints(grid({2, 12, 3, 2})));
  }
}

TEST(Movement, RangeCounts) {
  const auto number = [](int64_t v) { return Tensor::scalar<int64_t>(v); };
  EXPECT_THAT(to_ints(evaluate_one("Range", {number(3), number(9), number(3)})), ElementsAre(3, 6));
  EXPECT_THAT(to_ints(evaluate_one("Range", {number(10), number(4), number(-2)})),
              ElementsAre(10, 8, 6));
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(to_ints(evaluate_one("Range", {number(-kMax), number(kMax), number(kMax)})),
              ElementsAre(-kMax, 0));
  message_of(ErrorCode::kData, [&] { evaluate("Range", {number(0), number(1), number(0)}); });
  message_of(ErrorCode::kOutOfMemory,
             [&] { evaluate("Range", {number(0), number(kMax / 4), number(1)}); });
}

TEST(Movement, TopKTiesAndNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Value> y = evaluate("TopK", {floats({1, 3, 3, nan, 2}), ints({3})}, {}, 2);
  EXPECT_THAT(to_ints(y[1].tensor()), ElementsAre(3, 1, 2));
  const std::vector<Value> small =
      evaluate("TopK", {floats({1, 3, 3, nan, 2}), ints({2})}, one("largest", 0), 2);
  EXPECT_THAT(to_ints(small[1].tensor()), ElementsAre(0, 4));
}

TEST(Movement, SmallOnes) {
  EXPECT_THAT(to_ints(evaluate_one("Shape", {grid({2, 3, 4})}, one("start", -2))),
              ElementsAre(3, 4));
  EXPECT_THAT(to_ints(evaluate_one("NonZero", {Tensor::of<float>({2, 2}, {0.f, 1.f, 2.f, 0.f})})),
              ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(to_ints(evaluate_one("OneHot", {ints({-1, 5}), ints({3}), ints({7, 8})})),
              ElementsAre(7, 7, 8, 7, 7, 7));
  EXPECT_THAT(
      to_ints(evaluate_one("CumSum", {ints({1, 2, 3}), ints({0})},
                           attributes({{"exclusive", int64_t{1}}, {"reverse", int64_t{1}}}))),
      ElementsAre(5, 3, 0));
  EXPECT_THAT(to_ints(evaluate_one("Trilu", {grid({2, 3}), ints({1})})),
              ElementsAre(0, 1, 2, 0, 0, 5));
  EXPECT_THAT(to_ints(evaluate_one("EyeLike", {grid({2, 3})}, one("k", 1))),
              ElementsAre(0, 1, 0, 0, 0, 1));
  const std::vector<Value> u = evaluate("Unique", {ints({2, 1, 1, 3, 4, 3})}, one("sorted", 0), 4);
  EXPECT_THAT(to_ints(u[0].tensor()), ElementsAre(2, 1, 3, 4));
  EXPECT_THAT(to_ints(u[2].tensor()), ElementsAre(0, 1, 1, 2, 3, 2));
  const std::vector<Value> dropout = evaluate("Dropout", {floats({1, 2})}, {}, 2);
  EXPECT_THAT(to_doubles(dropout[0].tensor()), ElementsAre(1, 2));
  EXPECT_THAT(to_ints(dropout[1].tensor()), ElementsAre(1, 1));
}

TEST(Movement, DropoutInTrainingFollowsTheSeed) {
  // 0.549, 0.715, 0.603, 0.545, 0.424 are drawn.
  const std::vector<Value> y = evaluate(
      "Dropout", {floats({1, 2, 3, 4, 5}), Tensor::scalar<float>(0.5f), Tensor::scalar<bool>(true)},
      one("seed", 0), 2);
  EXPECT_THAT(to_doubles(y[0].tensor()), ElementsAre(2, 4, 6, 8, 0));
  EXPECT_THAT(to_ints(y[1].tensor()), ElementsAre(1, 1, 1, 1, 0));
}

TEST(Sequences, PartsOfNothingAreBounded) {
  const Tensor x(DType::kFloat32, {int64_t{1} << 40, 0});
  message_of(ErrorCode::kOutOfMemory, [&] { evaluate("SplitToSequence", {x}); });
}

TEST(Sequences, InsertEraseAndConcat) {
  const Value s = evaluate("SequenceConstruct", {ints({1}), ints({2, 3})})[0];
  const Value more = evaluate("SequenceInsert", {s, ints({9}), Tensor::scalar<int64_t>(-1)})[0];
  EXPECT_THAT(to_ints(evaluate_one("ConcatFromSequence", {more}, one("axis", 0))),
              ElementsAre(1, 9, 2, 3));
  const Value less = evaluate("SequenceErase", {more, Tensor::scalar<int64_t>(0)})[0];
  EXPECT_THAT(to_ints(evaluate_one("SequenceLength", {less})), ElementsAre(2));
  message_of(ErrorCode::kData, [&] { evaluate("SequenceAt", {s, Tensor::scalar<int64_t>(2)}); });
  const Value parts = evaluate("SplitToSequence", {grid({5}), Tensor::scalar<int64_t>(2)})[0];
  EXPECT_EQ(parts.sequence().size(), 3u);
  const Value none = evaluate("Optional", {std::nullopt})[0];
  EXPECT_THAT(to_ints(evaluate_one("OptionalHasElement", {none})), ElementsAre(0));
  message_of(ErrorCode::kData, [&] { evaluate("OptionalGetElement", {none}); });
}

TEST(Strings, SplitNormalizeMatchConcat) {
  const std::vector<Value> y = evaluate("StringSplit", {strings({2}, {"a  b c", " x "})}, {}, 2);
  EXPECT_THAT(y[0].tensor().strings(), ElementsAre("a", "b", "c", "x", "", ""));
  EXPECT_THAT(to_ints(y[1].tensor()), ElementsAre(3, 1));
  const Attributes comma = attributes({{"delimiter", std::string(",")}, {"maxsplit", int64_t{1}}});
  EXPECT_THAT(evaluate("StringSplit", {strings({1}, {"a,,b"})}, comma, 2)[0].tensor().strings(),
              ElementsAre("a", ",b"));
  const Attributes upper =
      attributes({{"case_change_action", std::string("UPPER")}, {"stopwords", Strings{"Monday"}}});
  EXPECT_THAT(
      evaluate_one("StringNormalizer", {strings({3}, {"monday", "Ölçü", "яж"})}, upper).strings(),
      ElementsAre("ÖLÇÜ", "ЯЖ"));
  const Attributes pattern = attributes({{"pattern", std::string("a.c")}});
  EXPECT_THAT(to_ints(evaluate_one("RegexFullMatch", {strings({2}, {"abc", "abcd"})}, pattern)),
              ElementsAre(1, 0));
  message_of(ErrorCode::kInvalidModel, [] {
    evaluate("RegexFullMatch", {strings({}, {"a"})}, attributes({{"pattern", std::string("(")}}));
  });
  EXPECT_THAT(
      evaluate_one("StringConcat", {strings({2}, {"a", "b"}), strings({}, {"!"})}).strings(),
      ElementsAre("a!", "b!"));
}

}  // namespace
}  // namespace planish::reference
