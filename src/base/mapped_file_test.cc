#include "base/mapped_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/error.h"

namespace planish {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("planish_files_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  int entries() const {
    return static_cast<int>(std::distance(fs::directory_iterator(folder_), {}));
  }
  static void put(const std::string& file, std::string_view text) {
    std::ofstream(file, std::ios::binary) << text;
  }
  static std::string message_of(const std::function<void()>& f) {
    try {
      f();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kIo);
      return e.what();
    }
    return "no error";
  }

  fs::path folder_;
};

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST_F(Files, MapsBytesAndMoves) {
  put(path("a"), "hello");
  MappedFile a = MappedFile::open(path("a"));
  EXPECT_EQ(text_of(a), "hello");
  EXPECT_EQ(a.size(), 5);
  EXPECT_EQ(a.path(), path("a"));
  const std::byte* data = a.bytes().data();
  MappedFile b = std::move(a);
  EXPECT_EQ(b.bytes().data(), data);
  MappedFile c;
  c = std::move(b);
  EXPECT_EQ(text_of(c), "hello");
}

TEST_F(Files, EmptyFileIsAnEmptySpan) {
  put(path("empty"), "");
  EXPECT_EQ(MappedFile::open(path("empty")).size(), 0);
}

TEST_F(Files, RefusesWhatIsNotAFile) {
  EXPECT_THAT(message_of([&] { MappedFile::open(path("none")); }),
              testing::AllOf(testing::HasSubstr("none"), testing::HasSubstr("No such file")));
  EXPECT_THAT(message_of([&] { MappedFile::open(folder_.string()); }),
              testing::HasSubstr("is a directory"));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(message_of([&] { MappedFile::open(path("pipe")); }), testing::HasSubstr("is a pipe"));
  EXPECT_THAT(message_of([&] { MappedFile::open("/dev/null"); }),
              testing::HasSubstr("is a device"));
  EXPECT_THAT(message_of([&] { AtomicFile f(folder_.string()); }),
              testing::HasSubstr("is a directory"));
  EXPECT_THAT(message_of([&] { AtomicFile f("/dev/null"); }), testing::HasSubstr("is a device"));
  EXPECT_THAT(message_of([&] { AtomicFile f(path("no/where")); }),
              testing::HasSubstr("cannot create"));
}

TEST_F(Files, CommitReplacesAtOnce) {
  put(path("out"), "old");
  {
    AtomicFile file(path("out"));
    file.append("new");
    EXPECT_EQ(text_of(MappedFile::open(path("out"))), "old");
    file.commit();
    EXPECT_THROW(file.commit(), Error);
  }
  EXPECT_EQ(text_of(MappedFile::open(path("out"))), "new");
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, WithoutCommitNothingStays) {
  put(path("out"), "old");
  {
    AtomicFile(path("out")).append("half");
  }
  EXPECT_EQ(text_of(MappedFile::open(path("out"))), "old");
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, LinksAreFollowed) {
  put(path("real"), "old");
  fs::create_symlink("real", path("link"));
  AtomicFile file(path("link"));
  file.append("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(text_of(MappedFile::open(path("real"))), "new");
}

TEST_F(Files, OffsetsPaddingAndHoles) {
  AtomicFile file(path("out"));
  file.append("head");
  file.pad_to(64);
  EXPECT_EQ(file.position(), 64);
  std::string big(3 << 20, '\0');
  big.front() = 'a';
  big.back() = 'z';
  file.append(big);
  file.write_at(0, std::as_bytes(std::span(std::string_view("HE"))));
  // Zeros over written bytes must be written, not skipped.
  const std::string zeros(200 << 10, '\0');
  file.write_at(64, std::as_bytes(std::span(zeros)));
  const int64_t far = (int64_t{5} << 30) + 7;
  file.write_at(far, std::as_bytes(std::span(std::string_view("end"))));
  file.commit();

  const MappedFile read = MappedFile::open(path("out"));
  ASSERT_EQ(read.size(), far + 3);
  const std::string_view text = text_of(read);
  EXPECT_EQ(text.substr(0, 4), "HEad");
  EXPECT_EQ(text.substr(4, 200), std::string(200, '\0'));
  EXPECT_EQ(text[64 + big.size() - 1], 'z');
  EXPECT_EQ(text.substr(static_cast<size_t>(far)), "end");
  struct stat status = {};
  ASSERT_EQ(::stat(path("out").c_str(), &status), 0);
  EXPECT_LT(status.st_blocks * 512, 2 << 20) << "holes were written out";
}

TEST_F(Files, TrailingZerosCount) {
  AtomicFile file(path("out"));
  file.append(std::string(1 << 20, '\0'));
  file.append(std::string(1 << 20, '\0'));
  file.commit();
  EXPECT_EQ(MappedFile::open(path("out")).size(), 2 << 20);
}

TEST_F(Files, ASignalRemovesTemporaries) {
  const pid_t child = ::fork();
  if (child == 0) {
    remove_temporaries_on_signal();
    AtomicFile file(path("out"));
    file.append(std::string(2 << 20, 'x'));
    ::raise(SIGTERM);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
  EXPECT_EQ(entries(), 0);
}

TEST_F(Files, TextFiles) {
  put(path("t"), "a\nb");
  EXPECT_EQ(read_text_file(path("t")), "a\nb");
  EXPECT_THAT(message_of([&] { read_text_file(path("t"), 2); }),
              testing::HasSubstr("larger than 2"));
  EXPECT_FALSE(read_text_file("/proc/self/status").empty());
}

}  // namespace
}  // namespace planish
