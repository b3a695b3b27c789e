#include "config/file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace coppice::config {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "coppice-settings-XXXXXX";
    directory_ = mkdtemp(name.data());
    path_ = directory_ / "a.conf";
  }
  void TearDown() override { fs::remove_all(directory_); }

  Result<std::vector<Line>> Read(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return ReadFile(path_);
  }

  // "1:seed=3 4:db=x" of what is read; or why nothing is, less its path.
  std::string Text(const std::string& text) {
    const auto lines = Read(text);
    if (!lines) {
      EXPECT_EQ(lines.error().code, Errc::kUsage);
      const std::string& what = lines.error().what;
      EXPECT_TRUE(what.starts_with(path_.string() + ":")) << what;
      return what.substr(path_.string().size() + 1);
    }
    std::string said;
    for (const auto& [number, key, value] : *lines) {
      if (!said.empty()) said += ' ';
      said += std::to_string(number);
      said += ":" + key + "=" + value;
    }
    return said;
  }

  fs::path directory_;
  fs::path path_;
};

struct Written {
  const char* text;
  const char* read;
};

TEST_F(FileTest, ALineIsAKeyAndItsValueWithoutTheSpaceAroundThem) {
  constexpr Written kWritten[] = {
      {"", ""},
      {"\n\n", ""},
      {"seed=3", "1:seed=3"},
      {"seed = 3\n", "1:seed=3"},
      {" \tseed\t= \t3 \t\n", "1:seed=3"},
      {"seed = 3\r\ndb = x\r\n", "1:seed=3 2:db=x"},
      {"\n\nseed = 3\n\ndb = x", "3:seed=3 5:db=x"},
      // The first = parts; what follows is the value's, and so is space in it.
      {"on_done = env A=1 b\n", "1:on_done=env A=1 b"},
      {"seed =\n", "1:seed="},
      {"= 3\n", "1:=3"},
      {"a b = 3\n", "1:a b=3"},
  };
  for (const auto& [text, read] : kWritten) EXPECT_EQ(Text(text), read);
}

TEST_F(FileTest, ACommentBeginsALineOrFollowsSpace) {
  constexpr Written kWritten[] = {
      {"# seed = 3\n", ""},
      {"  # seed = 3\n", ""},
      {"seed = 3 # ours\n", "1:seed=3"},
      {"seed = 3\t# ours\n", "1:seed=3"},
      {"db = a#b.db\n", "1:db=a#b.db"},
      {"db = a#b #c\n", "1:db=a#b"},
      {"db = #3\n", "1:db="},
      {"db =#3\n", "1:db=#3"},
      {"#", ""},
  };
  for (const auto& [text, read] : kWritten) EXPECT_EQ(Text(text), read) << text;
}

TEST_F(FileTest, WhatIsNoAssignmentIsNamedWithItsLine) {
  constexpr Written kWritten[] = {
      {"seed 3\n", "1: expected: key = value"},
      {"\n# a\nseed\n", "3: expected: key = value"},
      {"seed # = 3\n", "1: expected: key = value"},
      {"seed = 3\n[search]\n", "2: expected: key = value"},
      {"seed = 3\ndb = x\n seed=3\n", "3: seed was already set in line 1"},
      {"a = 1\nA = 1\na = 2\n", "3: a was already set in line 1"},
  };
  for (const auto& [text, read] : kWritten) EXPECT_EQ(Text(text), read);
}

TEST_F(FileTest, AMebibyteIsReadAndAByteMoreIsNoSettingsFile) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  const std::string settings = "seed = 3\n#";
  EXPECT_EQ(Text(settings + std::string(kMost - settings.size(), 'x')),
            "1:seed=3");
  EXPECT_EQ(Text(settings + std::string(kMost - settings.size() + 1, 'x')),
            " over 1 MiB: no settings file");
}

// Parts of 4096 bytes are read at a time: a value lies across two of them.
TEST_F(FileTest, AValueMayLieAcrossTheParts) {
  const std::string comment = "#" + std::string(4087, 'x') + "\n";
  EXPECT_EQ(Text(comment + "db = across-the-parts\n"), "2:db=across-the-parts");
}

TEST_F(FileTest, AFileThatIsNotThereIsToldFromOneThatCannotBeRead) {
  const auto absent = ReadFile(directory_ / "absent.conf");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, Errc::kNotFound);
  const auto folder = ReadFile(directory_);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, Errc::kUsage);
  std::ofstream(path_) << "";
  const auto below_a_file = ReadFile(path_ / "a.conf");
  ASSERT_FALSE(below_a_file);
  EXPECT_EQ(below_a_file.error().code, Errc::kIo);
}

}  // namespace
}  // namespace coppice::config
