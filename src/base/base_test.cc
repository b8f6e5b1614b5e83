// Tensor, Value, Type and Attributes: ownership, bounds and messages.
#include <gtest/gtest.h>

#include <functional>

#include "base/attribute.h"
#include "base/error.h"
#include "base/type.h"
#include "base/value.h"

namespace planish {
namespace {

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Error, NamesTheInnermostCulprit) {
  Error e(ErrorCode::kData, "index 7 is outside [0, 3)");
  e.at_node("gather_1").at_node("outer").in_file("m.onnx");
  EXPECT_STREQ(e.what(), "m.onnx: node 'gather_1': index 7 is outside [0, 3)");
}

TEST(Tensor, CountsAreBounded) {
  EXPECT_EQ(element_count(Dims{2, 0, 5}), 0);
  EXPECT_THROW(element_count(Dims{2, 0, INT64_MAX}), Error);  // strides would overflow
  EXPECT_THROW(element_count(Dims{INT64_MAX, 3}), Error);
  EXPECT_THROW(element_count(Dims{-1}), Error);
  EXPECT_EQ(byte_count(DType::kInt4, 3), 2);
  EXPECT_THROW(Tensor(DType::kFloat32, {int64_t{1} << 60}), Error);
}

TEST(Tensor, CopiesOwnedElementsAndSharesBorrowedOnes) {
  Tensor a = Tensor::of<float>({2}, {1.f, 2.f});
  Tensor b = a;
  b.mutable_data<float>()[0] = 5.f;
  EXPECT_EQ(a.data<float>()[0], 1.f);
  const Tensor view = a.view();
  a.mutable_data<float>()[1] = 9.f;
  EXPECT_EQ(view.data<float>()[1], 9.f);
  EXPECT_THROW(Tensor(view).mutable_raw(), Error);
}

TEST(Tensor, MisalignedBuffersAreCopiedByAligned) {
  alignas(8) std::byte buffer[12] = {};
  const float value = 3.5f;
  std::memcpy(buffer + 1, &value, sizeof value);
  const Tensor odd = Tensor::borrow(DType::kFloat32, {1}, buffer + 1);
  EXPECT_THROW(odd.data<float>(), Error);
  EXPECT_EQ(odd.aligned().data<float>()[0], 3.5f);
}

TEST(Value, OwnedHoldsNoViewsAtAnyDepth) {
  Tensor source = Tensor::of<float>({1}, {1.f});
  Sequence inner;
  inner.push_back(source.view());
  Sequence outer;
  outer.push_back(inner);
  const Value kept = owned(Value(outer));
  source.mutable_data<float>()[0] = 2.f;
  EXPECT_EQ(kept.sequence()[0].sequence()[0].tensor().data<float>()[0], 1.f);
}

TEST(Type, PrintsWhatItParses) {
  for (const char* text :
       {"float32[N, 3, 224]", "float32[]", "int64[?]", "seq(map(int64, float32[]))",
        "optional(seq(string[?]))", "unknown", "float32[floordiv(H + 1, 2)]"}) {
    EXPECT_EQ(to_string(parse_type(text)), text);
  }
  EXPECT_THROW(parse_type("float33[1]"), Error);
  EXPECT_THROW(parse_type("float32"), Error);
}

TEST(Attributes, KindsAreChecked) {
  Attributes a;
  a.set("axis", int64_t{1});
  a.set("alpha", 0.5f);
  EXPECT_EQ(a.get_int("axis"), 1);
  EXPECT_EQ(a.get_int("missing", 7), 7);
  EXPECT_TRUE(a.get_ints("none").empty());
  EXPECT_EQ(message_of([&] { a.get_float("axis"); }),
            "attribute 'axis' must be of kind float, not int");
  EXPECT_EQ(message_of([&] { a.get_string("mode"); }), "attribute 'mode' is missing");
}

TEST(DType, NamesRoundTrip) {
  for (int i = 1; i < kDTypeCount; ++i) {
    const auto t = static_cast<DType>(i);
    EXPECT_EQ(parse_dtype(to_string(t)), t);
  }
  EXPECT_EQ(parse_dtype("tensor(double)"), DType::kFloat64);
}

}  // namespace
}  // namespace planish
