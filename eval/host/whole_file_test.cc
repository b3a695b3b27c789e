#include "eval/host/whole_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;

class WholeFileTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(directory_); }
  void TearDown() override { fs::remove_all(directory_); }

  fs::path Write(const std::string& text) const {
    const fs::path path = directory_ / "file";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  const fs::path directory_ =
      fs::path(testing::TempDir()) /
      testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(WholeFileTest, HasEveryByte) {
  using std::string_literals::operator""s;
  // Longer than what is read at a time, and with what ends a string of C's.
  const std::string text = "a\0b\r\n"s + std::string(100'000, 'x');
  EXPECT_EQ(ReadWhole(Write(text)).value(), text);
  EXPECT_EQ(ReadWhole(Write("")).value(), "");
}

TEST_F(WholeFileTest, HasSoManyBytesAndNoMore) {
  const std::string text(1 << 20, 'x');
  EXPECT_EQ(ReadWhole(Write(text), 1 << 20).value(), text);
  const auto longer = ReadWhole(Write(text + "y"), 1 << 20);
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().code, Errc::kCorrupt);
  EXPECT_TRUE(longer.error().what.ends_with("file: more than 1 MiB"));
}

TEST_F(WholeFileTest, WhatCannotBeReadIsSaidWhy) {
  const fs::path fifo = directory_ / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);  // Nobody writes to it.
  for (const auto& [path, reason] :
       {std::pair{directory_ / "none", ": No such file or directory"},
        std::pair{directory_, ": Is a directory"},
        std::pair{fifo, ": not a regular file"}}) {
    const auto text = ReadWhole(path);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, Errc::kIo);
    EXPECT_EQ(text.error().what, path.string() + reason);
  }
}

TEST_F(WholeFileTest, WhatIsWrittenTakesTheOldOnesPlace) {
  using std::string_literals::operator""s;
  const fs::path path = Write("longer than what follows");
  ASSERT_TRUE(WriteWhole(path, "a\0b\n"s));
  EXPECT_EQ(ReadWhole(path).value(), "a\0b\n"s);
  ASSERT_TRUE(WriteWhole(path, ""));
  EXPECT_EQ(ReadWhole(path).value(), "");
}

TEST_F(WholeFileTest, WhatCannotBeWrittenIsSaidWhy) {
  const auto written = WriteWhole(directory_ / "none" / "file", "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::kIo);
  EXPECT_EQ(written.error().what, (directory_ / "none" / "file").string() +
                                      ": No such file or directory");
}

// A device that is always full.
TEST_F(WholeFileTest, AFullDiskIsToldApart) {
  const auto written = WriteWhole("/dev/full", "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::kFull);
}

}  // namespace
}  // namespace coppice::eval
