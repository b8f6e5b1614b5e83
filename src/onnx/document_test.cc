// Reading and writing back: identical when untouched, canonical when touched, one clear error for
// anything that is no model.
#include "onnx/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include <protozero/pbf_writer.hpp>

#include "base/error.h"
#include "testing/shared.h"

namespace planish::onnx {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

using Writer = protozero::pbf_writer;

std::string message(const std::function<void(Writer&)>& fill) {
  std::string out;
  Writer w(out);
  fill(w);
  return out;
}

Document parse(const std::string& bytes) {
  return Document::parse(std::as_bytes(std::span(bytes)));
}

std::string error_of(const std::string& bytes) {
  try {
    parse(bytes);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidModel);
    return e.what();
  }
  return "(no error)";
}

// x -> Relu -> y, with a weight and fields that no table knows at three levels.
std::string small_model() {
  return message([](Writer& model) {
    model.add_int64(1, 8);
    model.add_string(2, "test");
    model.add_message(7, message([](Writer& graph) {
                        graph.add_message(1, message([](Writer& node) {
                                            node.add_string(1, "x");
                                            node.add_string(2, "y");
                                            node.add_string(4, "Relu");
                                            node.add_message(5, message([](Writer& attribute) {
                                                               attribute.add_string(1, "alpha");
                                                               attribute.add_float(2, 0.0f);
                                                               attribute.add_int64(20, 1);
                                                               attribute.add_fixed64(99, 7);
                                                             }));
                                            node.add_string(500, "unknown to us");
                                          }));
                        graph.add_string(2, "g");
                        graph.add_message(5, message([](Writer& tensor) {
                                            tensor.add_int64(1, 2);
                                            tensor.add_int32(2, 1);
                                            tensor.add_string(8, "w");
                                            tensor.add_string(
                                                9, std::string("\0\0\x80\x3f\0\0\0\x40", 8));
                                          }));
                      }));
    model.add_message(8, message([](Writer& opset) { opset.add_int64(2, 13); }));
    model.add_fixed32(700, 3);
  });
}

TEST(Document, UntouchedIsIdentical) {
  const std::string bytes = small_model();
  const Document d = parse(bytes);
  EXPECT_FALSE(has_changed(d.model()));
  EXPECT_EQ(write(d.model()), bytes);
}

TEST(Document, TouchedKeepsUnknownFields) {
  const std::string bytes = small_model();
  Document d = parse(bytes);
  touch_all(d.model());
  EXPECT_TRUE(has_changed(d.model()));
  EXPECT_EQ(write(d.model()), bytes);  // it was in canonical order
}

TEST(Document, ReadsFields) {
  const std::string bytes = small_model();
  const Document d = parse(bytes);
  const GraphProto& g = *d.model().graph;
  EXPECT_EQ(d.model().ir_version, 8);
  ASSERT_EQ(g.node.size(), 1u);
  EXPECT_EQ(text(g.node[0].op_type), "Relu");
  EXPECT_EQ(g.node[0].attribute[0].f, 0.0f);
  EXPECT_FALSE(g.node[0].attribute[0].i.has_value());
  EXPECT_FALSE(g.node[0].name.has_value());
  EXPECT_EQ(g.node[0].unknown.size(), 1u);
  EXPECT_EQ(text(g.initializer[0].name), "w");
  // A view into the given bytes, not a copy.
  EXPECT_GE(g.initializer[0].raw.data(), bytes.data());
  EXPECT_LT(g.initializer[0].raw.data(), bytes.data() + bytes.size());
}

TEST(Document, OneChangeLeavesTheRest) {
  const std::string bytes = small_model();
  Document d = parse(bytes);
  NodeProto& node = d.model().graph->node[0];
  node.op_type = d.keep("Sigmoid");
  node.touch();
  const std::string changed = write(d.model());
  EXPECT_NE(changed, bytes);
  const Document again = parse(changed);
  EXPECT_EQ(text(again.model().graph->node[0].op_type), "Sigmoid");
  EXPECT_EQ(again.model().graph->initializer[0].raw, d.model().graph->initializer[0].raw);
  EXPECT_EQ(again.model().unknown.size(), 1u);
}

TEST(Document, RemovedMessageNeedsItsParentTouched) {
  const std::string bytes = small_model();
  Document d = parse(bytes);
  d.model().graph->initializer.clear();
  d.model().graph->touch();
  const std::string changed = write(d.model());
  EXPECT_TRUE(parse(changed).model().graph->initializer.empty());
}

TEST(Document, FieldsOutOfOrderAreKeptAndCanonicalWhenTouched) {
  // Opset import before the IR version; ints packed.
  const std::string bytes = message([](Writer& model) {
    model.add_message(8, message([](Writer& opset) { opset.add_int64(2, 13); }));
    model.add_int64(1, 8);
    model.add_message(7, message([](Writer& graph) {
                        graph.add_message(1, message([](Writer& node) {
                                            node.add_message(
                                                5, message([](Writer& attribute) {
                                                  const int64_t values[] = {1, -2, 300};
                                                  attribute.add_packed_int64(8, values, values + 3);
                                                  const float floats[] = {1.5f, -2.0f};
                                                  attribute.add_packed_float(7, floats, floats + 2);
                                                }));
                                          }));
                      }));
  });
  Document d = parse(bytes);
  EXPECT_THAT(d.model().graph->node[0].attribute[0].ints, ::testing::ElementsAre(1, -2, 300));
  EXPECT_THAT(d.model().graph->node[0].attribute[0].floats, ::testing::ElementsAre(1.5f, -2.0f));
  EXPECT_EQ(write(d.model()), bytes);
  touch_all(d.model());
  const std::string canonical = write(d.model());
  EXPECT_NE(canonical, bytes);
  Document again = parse(canonical);
  EXPECT_THAT(again.model().graph->node[0].attribute[0].ints, ::testing::ElementsAre(1, -2, 300));
  EXPECT_EQ(again.model().opset_import.at(0).version, 13);
  touch_all(again.model());
  EXPECT_EQ(write(again.model()), canonical);
}

TEST(Document, BrokenBytes) {
  const std::string good = small_model();
  EXPECT_THAT(error_of(""), HasSubstr("an empty file"));
  EXPECT_THAT(error_of(good.substr(0, good.size() / 2)), HasSubstr("cut off"));
  EXPECT_THAT(error_of(std::string("\x08", 1)), HasSubstr("cut off"));
  EXPECT_THAT(error_of("\x08\x07\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), HasSubstr("asks for"));
  EXPECT_THAT(error_of(std::string("\x08") + std::string(30, '\xff')), HasSubstr("does not end"));
  EXPECT_THAT(error_of("\x0d\x01\x02\x03\x04"), HasSubstr("wire type 32-bit, expected varint"));
  EXPECT_THAT(error_of("\x0b\x01"), HasSubstr("wire type 3, which ONNX never uses"));
  EXPECT_THAT(error_of("\x08\x07\x02\x01"), HasSubstr("field number outside"));
  // A length inside a message that reaches past its parent; the number is the offset of the field.
  EXPECT_THAT(error_of("\x08\x07\x3a\x04\x12\x7f"
                       "ab\x10\x01"),
              HasSubstr("byte 4: name of GraphProto asks for 127 bytes"));
}

TEST(Document, SaysWhatAFileSeemsToBe) {
  const auto padded = [](std::string s) { return s + std::string(64, '\x11'); };
  EXPECT_THAT(error_of(padded("\x89PNG\r\n\x1a\n")), HasSubstr("a PNG image"));
  EXPECT_THAT(error_of(padded("PK\x03\x04")), HasSubstr("a zip archive"));
  EXPECT_THAT(error_of(padded("\x1f\x8b")), HasSubstr("gzip"));
  EXPECT_THAT(error_of("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"),
              HasSubstr("git lfs pull"));
  EXPECT_THAT(error_of(std::string(100, '\0')), HasSubstr("a file of zeros"));
  EXPECT_THAT(error_of("hello, this is no model\n"), HasSubstr("text"));
  EXPECT_THAT(error_of("<!DOCTYPE html><html>"), HasSubstr("an HTML page"));
  EXPECT_THAT(error_of("{\"a\": 1}"), HasSubstr("JSON"));
  EXPECT_THAT(error_of(message([](Writer& tensor) {
                tensor.add_int64(1, 2);
                tensor.add_int32(2, 1);
                tensor.add_string(9, "12345678");
              })),
              HasSubstr("a tensor (.pb)"));
}

TEST(Document, DepthIsBounded) {
  const auto nested = [](int graphs) {
    std::string graph = message([](Writer& g) { g.add_string(2, "leaf"); });
    for (int i = 0; i < graphs; ++i) {
      graph = message([&](Writer& g) {
        g.add_message(1, message([&](Writer& n) {
                        n.add_message(5, message([&](Writer& a) { a.add_message(6, graph); }));
                      }));
      });
    }
    return message([&](Writer& m) { m.add_message(7, graph); });
  };
  EXPECT_THAT(error_of(nested(60)), HasSubstr("(no error)"));
  EXPECT_THAT(error_of(nested(200)), HasSubstr("nest more than"));
}

TEST(Document, EmptyMessagesCannotSwell) {
  // A megabyte of two-byte nodes would take 150 MB as structs.
  std::string nodes;
  for (int i = 0; i < 1'000'000; ++i) nodes += std::string("\x0a\x00", 2);
  const std::string model = message([&](Writer& m) { m.add_message(7, nodes); });
  EXPECT_THAT(error_of(model), HasSubstr("far more messages"));
}

TEST(Document, SameMessageTwiceIsRefused) {
  EXPECT_THAT(error_of(message([](Writer& m) {
                m.add_message(7, std::string());
                m.add_message(7, std::string());
              })),
              HasSubstr("graph of ModelProto stands twice"));
}

TEST(Document, OpenNamesTheFile) {
  const fs::path folder = fs::path(::testing::TempDir());
  try {
    Document::open((folder / "no_such_model.onnx").string());
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kIo);
    EXPECT_THAT(e.what(), HasSubstr("no_such_model.onnx"));
  }
  const std::string path = (folder / "document_test_text.onnx").string();
  std::ofstream(path) << "no model";
  try {
    Document::open(path);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.file(), path);
    EXPECT_THAT(e.what(), HasSubstr("seems to be text"));
  }
  fs::remove(path);
}

TEST(Document, MoreThanTwoGigabytesNamesExternalData) {
  const std::string path = (fs::path(::testing::TempDir()) / "document_test_huge.onnx").string();
  std::ofstream(path).put('\x08');
  fs::resize_file(path, uint64_t{3} << 30);  // a hole: takes no space
  try {
    Document::open(path);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("ends at 2 GB"));
    EXPECT_THAT(e.what(), HasSubstr("external data"));
  }
  fs::remove(path);
}

TEST(Document, WriteFile) {
  const std::string bytes = small_model();
  const Document d = parse(bytes);
  const std::string path = (fs::path(::testing::TempDir()) / "document_test_out.onnx").string();
  write_file(d.model(), path);
  const Document again = Document::open(path);
  EXPECT_EQ(again.bytes(), bytes);
  fs::remove(path);
}

TEST(Document, SharedModelsComeBackIdentical) {
  PLANISH_NEED_SHARED(shared, "");
  int models = 0, canonical = 0;
  for (const auto& entry : fs::recursive_directory_iterator(shared)) {
    if (entry.path().extension() != ".onnx") continue;
    const std::string path = entry.path().string();
    if (path.find("case_83_broken_bytes") != std::string::npos) continue;
    SCOPED_TRACE(path);
    Document d = Document::open(path);
    ++models;
    EXPECT_EQ(write(d.model()), d.bytes());
    touch_all(d.model());
    const std::string rewritten = write(d.model());
    if (rewritten == d.bytes()) ++canonical;
    // Rewriting is a projection: what it gives no longer changes.
    Document again = parse(rewritten);
    touch_all(again.model());
    EXPECT_EQ(write(again.model()), rewritten);
  }
  EXPECT_GT(models, 100);
  std::cout << models << " models, " << canonical << " of them in canonical form\n";
  RecordProperty("canonical", canonical);
}

}  // namespace
}  // namespace planish::onnx
