#include "eval/formats/set_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::StartsWith;

class SetFilesTest : public testing::Test {
 protected:
  SetFilesTest()
      : file_(fs::path(testing::TempDir()) /
              ("set_file" + std::to_string(getpid()) + ".jsonl")) {}
  ~SetFilesTest() override { fs::remove(file_); }

  void Write(const std::string& text) const {
    std::ofstream(file_, std::ios::binary) << text;
  }

  // Every line's value, and then what was wrong, both without the file's name.
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    const auto done =
        ForEachLine(file_, [&](const Cursor& line) -> Result<void> {
          lines.push_back(line.Value().dump());
          TRY(text, line.String());
          if (text == "stop") return line.Wrong("stopped");
          return {};
        });
    if (!done) lines.push_back(done.error().what.substr(file_.string().size()));
    return lines;
  }

  fs::path file_;
};

TEST_F(SetFilesTest, BlankLinesAreNone) {
  Write("\"a\"\n\n  \t\r\n\"b\"\r\n\"c\"");
  EXPECT_THAT(Lines(), ElementsAre("\"a\"", "\"b\"", "\"c\""));
  Write("");
  EXPECT_THAT(Lines(), ElementsAre());
}

// They count, and nothing behind a line that is wrong is read.
TEST_F(SetFilesTest, AWrongLineIsNamedByItsNumber) {
  Write("\"a\"\n\n3\n\"b\"\n");
  EXPECT_THAT(Lines(), ElementsAre("\"a\"", "3", ":3: expected a string"));
  Write("\"stop\"\n{\n");
  EXPECT_THAT(Lines(), ElementsAre("\"stop\"", ":1: stopped"));
  Write("\"a\"\n{\"b\":\n");
  EXPECT_THAT(Lines(), ElementsAre("\"a\"", StartsWith(":2: not JSON: parse")));
  Write(std::string("\"a\"\n\"\0\"\n", 8));
  EXPECT_THAT(Lines(),
              ElementsAre("\"a\"", ":2: not JSON: it has a zero byte"));
}

TEST_F(SetFilesTest, AFileThatIsNoJsonIsNamed) {
  Write("{\"a\": 1} 2");
  EXPECT_THAT(ReadJson(file_).error().what,
              StartsWith(file_.string() + ": not JSON: parse error at line 1"));
  EXPECT_EQ(ReadJson(file_).error().code, Errc::kCorrupt);
  Write("\xef\xbb\xbf[1]");  // A mark of its byte order.
  EXPECT_EQ(ReadJson(file_)->dump(), "[1]");
}

TEST_F(SetFilesTest, WhatIsNotThereIsNamed) {
  const auto gone = ReadJson(file_);
  ASSERT_FALSE(gone);
  EXPECT_THAT(gone.error().what, StartsWith(file_.string() + ": "));
  EXPECT_THAT(Lines(), ElementsAre(": No such file or directory"));
}

// 256 MiB are read, and no byte more.
TEST_F(SetFilesTest, WhatIsTooLargeIsNotRead) {
  Write("1");
  fs::resize_file(file_, (256 << 20) + 1);
  const auto large = ReadJson(file_);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, Errc::kCorrupt);
  EXPECT_THAT(large.error().what, StartsWith(file_.string() + ": "));
}

}  // namespace
}  // namespace coppice::eval
