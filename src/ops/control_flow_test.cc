// Types through If, Loop and Scan: what branches and iterations agree on stays, the rest opens.
#include "ops/test_graphs.h"

namespace planish::ops {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST(ControlFlow, BranchesKeepWhatTheyShare) {
  const auto g =
      inferred(R"(graph g(%c: bool[], %a: float32[N, 4], %b: float32[N, 5], %s: float32[3]) {
    %y, %z = If(%c; %a, %b, %s) with {
      graph then(%a: float32[N, 4], %b: float32[N, 5], %s: float32[3]) { %y = Relu(%a) %z = Relu(%s) return %y, %z }
      graph else(%a: float32[N, 4], %b: float32[N, 5], %s: float32[3]) { %y = Relu(%b) %z = Relu(%b) return %y, %z }
    }
    return %y, %z
  })");
  EXPECT_THAT(type_of(*g, "y"), MatchesRegex("float32\\[N, d[0-9]+\\]"));
  EXPECT_EQ(type_of(*g, "z"), "float32[?]");
}

TEST(ControlFlow, BranchesMustAgreeInElementType) {
  EXPECT_THAT(message_of(ErrorCode::kInvalidModel,
                         [] {
                           inferred(R"(graph g(%c: bool[], %a: float32[2], %b: int64[2]) {
      %y = If(%c; %a, %b) with {
        graph then(%a: float32[2], %b: int64[2]) { %y = Identity(%a) return %y }
        graph else(%a: float32[2], %b: int64[2]) { %y = Identity(%b) return %y }
      }
      return %y
    })");
                         }),
              HasSubstr("output 0 is float32[2] or int64[2]"));
}

TEST(ControlFlow, ADimThatGrowsByIterationIsUnknownInsideAndOutside) {
  const auto g = inferred(R"(graph g(%x: float32[1, 3]) {
    %m = constant int64[] {4}
    %y, %sizes = Loop(%m, -, %x; %x) with {
      graph body(%i: int64[], %c: bool[], %v: float32[?], %x: float32[1, 3]) {
        %next = Concat(%v, %x) {axis = 0}
        %size = Shape(%next)
        return %c, %next, %size
      }
    }
    return %y, %sizes
  })");
  EXPECT_THAT(type_of(*g, "y"), MatchesRegex("float32\\[d[0-9]+, 3\\]"));
  EXPECT_EQ(type_of(*g, "sizes"), "int64[4, 2]");  // M alone decides the number of iterations
  const auto out = run(*g, {Tensor::of<float>({1, 3}, {1, 2, 3})});
  EXPECT_EQ(out[0].tensor().dims(), (Dims{5, 3}));
  EXPECT_EQ(ints_of(out[1]), (std::vector<int64_t>{2, 3, 3, 3, 4, 3, 5, 3}));
}

TEST(ControlFlow, ScanStacksAlongTheNamedAxis) {
  const auto g = inferred(R"(graph g(%s: float32[2], %x: float32[2, T]) {
    %last, %all = Scan(%s, %x) {num_scan_inputs = 1, scan_input_axes = [1], scan_output_axes = [-1]} with {
      graph body(%s: float32[?], %e: float32[?]) { %sum = Add(%s, %e) return %sum, %sum }
    }
    return %last, %all
  })");
  EXPECT_EQ(type_of(*g, "last"), "float32[2]");
  EXPECT_EQ(type_of(*g, "all"), "float32[2, T]");
  const auto out =
      run(*g, {Tensor::of<float>({2}, {0, 1}), Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})});
  EXPECT_EQ(floats_of(out[1]), (std::vector<float>{1, 3, 6, 5, 10, 16}));
  EXPECT_EQ(floats_of(out[0]), (std::vector<float>{6, 16}));
}

TEST(ControlFlow, ALoopThatNeverRunsKeepsTheTypesOfItsOutputs) {
  const auto g = inferred(R"(graph g(%m: int64[], %x: int64[2]) {
    %yes = constant bool[] {true}
    %y, %all = Loop(%m, %yes, %x) with {
      graph body(%i: int64[], %c: bool[], %v: int64[2]) { %n = Add(%v, %v) return %c, %n, %n }
    }
    return %y, %all
  })");
  const auto out = run(*g, {Tensor::scalar<int64_t>(0), Tensor::of<int64_t>({2}, {3, 4})});
  EXPECT_EQ(ints_of(out[0]), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(out[1].tensor().dims(), (Dims{0, 2}));
  EXPECT_EQ(out[1].tensor().dtype(), DType::kInt64);
}

TEST(ControlFlow, ABodyThatReturnsTooLittleIsRefused) {
  EXPECT_THAT(message_of(ErrorCode::kInvalidModel,
                         [] {
                           inferred(R"(graph g(%m: int64[], %x: int64[2]) {
      %y, %all = Loop(%m, -, %x) with { graph body(%i: int64[], %c: bool[], %v: int64[2]) { return %c, %v } }
      return %y
    })");
                         }),
              HasSubstr("2 values"));
}

}  // namespace
}  // namespace planish::ops
