// External data stays inside the model's folder, inside its file, and costs no memory.
#include "onnx/external_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "onnx/constants.h"
#include "onnx/document.h"
#include "onnx/test_models.h"

namespace planish::onnx {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ExternalData : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(::testing::TempDir()) /
            ("planish_external_" +
             std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(root_);
    folder_ = root_ / "model";
    fs::create_directories(folder_ / "sub");
    write(folder_ / "w.bin", "0123456789abcdef");
    write(folder_ / "sub" / "v.bin", "VVVV");
    write(root_ / "secret.bin", "secret of others");
  }
  void TearDown() override { fs::remove_all(root_); }

  static void write(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  std::string read(const ExternalReference& reference, int64_t needed) {
    const auto bytes = files().bytes("w", reference, needed);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::string error_of(const ExternalReference& reference, int64_t needed) {
    try {
      read(reference, needed);
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), HasSubstr("'w'"));  // the tensor
      return e.what();
    }
    return "(no error)";
  }
  ExternalFiles& files() { return files_.emplace(folder_.string()); }

  fs::path root_, folder_;
  std::optional<ExternalFiles> files_;
};

TEST_F(ExternalData, ReadsTheNamedBytes) {
  EXPECT_EQ(read({"w.bin", "4", "8"}, 8), "456789ab");
  EXPECT_EQ(read({"w.bin", "", ""}, 16), "0123456789abcdef");
  EXPECT_EQ(read({"sub/v.bin", "0", "4"}, 4), "VVVV");
  EXPECT_EQ(read({"./sub/v.bin", "1", ""}, 2), "VV");
  EXPECT_EQ(read({"w.bin", "16", "0"}, 0), "");
}

TEST_F(ExternalData, OneMappingForAllTensorsOfAFile) {
  ExternalFiles& f = files();
  const auto a = f.bytes("a", {"w.bin", "0", "4"}, 4), b = f.bytes("b", {"./w.bin", "4", "4"}, 4);
  EXPECT_EQ(a.data() + 4, b.data());
  EXPECT_EQ(f.file_count(), 1u);
}

TEST_F(ExternalData, BoundsAreThoseOfTheFile) {
  EXPECT_THAT(error_of({"w.bin", "8", "16"}, 16), HasSubstr("outside the file of 16 bytes"));
  EXPECT_THAT(error_of({"w.bin", "17", "0"}, 0), HasSubstr("outside the file"));
  EXPECT_THAT(error_of({"w.bin", "9223372036854775804", "8"}, 8), HasSubstr("outside the file"));
  EXPECT_THAT(error_of({"w.bin", "-4", "8"}, 8), HasSubstr("negative"));
  EXPECT_THAT(error_of({"w.bin", "0", "-8"}, 8), HasSubstr("negative"));
  EXPECT_THAT(error_of({"w.bin", "99999999999999999999", "8"}, 8),
              HasSubstr("not a 64-bit decimal number"));
  EXPECT_THAT(error_of({"w.bin", "4x", "8"}, 8), HasSubstr("not a 64-bit decimal number"));
  EXPECT_THAT(error_of({"w.bin", "0", "4"}, 8),
              HasSubstr("its length is 4 bytes, its type and dims need 8"));
}

TEST_F(ExternalData, LocationStaysInTheFolder) {
  EXPECT_THAT(error_of({"../secret.bin", "", ""}, 4), HasSubstr("'..' leads out"));
  EXPECT_THAT(error_of({"sub/../../secret.bin", "", ""}, 4), HasSubstr("'..' leads out"));
  EXPECT_THAT(error_of({(root_ / "secret.bin").string(), "", ""}, 4),
              HasSubstr("an absolute path"));
  EXPECT_THAT(error_of({"C:\\secret.bin", "", ""}, 4), HasSubstr("an absolute path"));
  EXPECT_THAT(error_of({"", "", ""}, 4), HasSubstr("location is empty"));
  EXPECT_THAT(error_of({std::string("w.bin\0x", 7), "", ""}, 4), HasSubstr("NUL"));
  EXPECT_THAT(error_of({"none.bin", "", ""}, 4), HasSubstr("cannot open 'none.bin'"));
  EXPECT_THAT(error_of({"sub", "", ""}, 4), HasSubstr("not a regular file"));
}

TEST_F(ExternalData, LinksMayNotLeadOut) {
  fs::create_symlink("../secret.bin", folder_ / "out.bin");
  fs::create_directory_symlink(root_, folder_ / "up");
  fs::create_symlink("w.bin", folder_ / "in.bin");
  EXPECT_THAT(error_of({"out.bin", "", ""}, 4), HasSubstr("a link leads out"));
  EXPECT_THAT(error_of({"up/secret.bin", "", ""}, 4), HasSubstr("a link leads out"));
  EXPECT_EQ(read({"in.bin", "0", "4"}, 4), "0123");
  // A folder whose name merely begins alike is outside too.
  fs::create_directories(root_ / "model2");
  write(root_ / "model2" / "x.bin", "xxxx");
  fs::create_symlink("../model2/x.bin", folder_ / "x.bin");
  EXPECT_THAT(error_of({"x.bin", "", ""}, 4), HasSubstr("a link leads out"));
}

TEST_F(ExternalData, FifoIsRefusedWithoutWaiting) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(error_of({"pipe", "", ""}, 4), HasSubstr("not a regular file"));
}

TEST_F(ExternalData, BytesHaveNoFolder) {
  ExternalFiles none(std::nullopt);
  EXPECT_THROW(none.bytes("w", {"w.bin", "", ""}, 4), Error);
}

long resident_kib() {
  long pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * 4;
}

TEST_F(ExternalData, FiveGigabytesInConstantMemory) {
  constexpr int64_t kBytes = int64_t{5} << 30;
  write(folder_ / "big.bin", "");
  fs::resize_file(folder_ / "big.bin", kBytes);  // a hole: takes no space
  const std::string bytes = testing::external("w", {kBytes / 4}, {{"location", "big.bin"}});
  const TensorProto proto = parse_tensor_leaf(bytes);
  const long before = resident_kib();
  Constants constants(bytes, ExternalFiles(folder_.string()), 0);
  const Tensor tensor = constants.tensor(proto, "w");
  EXPECT_FALSE(tensor.owns());
  EXPECT_EQ(tensor.bytes(), kBytes);
  EXPECT_EQ(static_cast<int>(tensor.raw()[kBytes - 1]), 0);
  EXPECT_LT(resident_kib() - before, 64 * 1024);
}

TEST_F(ExternalData, TensorNeedsExactlyItsBytes) {
  const auto tensor_of = [&](std::vector<int64_t> dims, const std::string& length) {
    const std::string bytes =
        testing::external("w", dims, {{"location", "w.bin"}, {"offset", "0"}, {"length", length}});
    const TensorProto proto = parse_tensor_leaf(bytes);
    Constants constants(bytes, ExternalFiles(folder_.string()), 0);
    return constants.tensor(proto, "w").size();
  };
  EXPECT_EQ(tensor_of({2, 2}, "16"), 4);
  EXPECT_THROW(tensor_of({2}, "4"), Error);
  EXPECT_THROW(tensor_of({int64_t{1} << 61}, "16"), Error);
  EXPECT_THROW(tensor_of({int64_t{1} << 40, int64_t{1} << 40}, "16"), Error);
  EXPECT_THROW(tensor_of({-1}, "16"), Error);
}

}  // namespace
}  // namespace planish::onnx
