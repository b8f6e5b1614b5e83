#include "base/hash.h"

#include <gtest/gtest.h>

#include <string>

#include "base/clock.h"
#include "base/log.h"

namespace planish {
namespace {

TEST(Hash, KnownValuesAndStreaming) {
  EXPECT_EQ(hash_text(""), 0x2D06800538D394C2u);  // the value of XXH3's own documentation
  std::string text;
  for (int i = 0; i < 5000; ++i) text += static_cast<char>(i * 7);
  for (const size_t cut :
       {size_t{0}, size_t{1}, size_t{239}, size_t{256}, size_t{4999}, text.size()}) {
    Hasher hasher;
    hasher.update(std::as_bytes(std::span(text)).first(cut));
    hasher.update(std::as_bytes(std::span(text)).subspan(cut));
    EXPECT_EQ(hasher.digest(), hash_text(text));
  }
  text[4000] ^= 1;
  EXPECT_NE(hash_text(text), hash_bytes(std::as_bytes(std::span(text)).first(4999)));
}

TEST(Hash, TextsKeepTheirBorders) {
  Hasher a, b;
  a.update_text("ab");
  a.update_text("c");
  b.update_text("a");
  b.update_text("bc");
  EXPECT_NE(a.digest(), b.digest());
}

TEST(Log, OffByDefaultAndByLevel) {
  EXPECT_EQ(log_level(), LogLevel::kOff);
  testing::internal::CaptureStderr();
  log_at(LogLevel::kError, "nobody sees {}", 1);
  set_log_level(LogLevel::kInfo);
  log_at(LogLevel::kInfo, "seen {}", 2);
  log_at(LogLevel::kDebug, "not seen {}", 3);
  set_log_level(LogLevel::kOff);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "planish info: seen 2\n");
  EXPECT_EQ(parse_log_level("warning"), LogLevel::kWarning);
  EXPECT_FALSE(parse_log_level("loud").has_value());
}

TEST(Clock, SteadyAndFake) {
  const SteadyClock steady;
  const int64_t before = steady.now_ns();
  EXPECT_GE(steady.now_ns(), before);
  FakeClock fake;
  fake.advance_ns(5);
  EXPECT_EQ(fake.now_ns(), 5);
}

}  // namespace
}  // namespace planish
