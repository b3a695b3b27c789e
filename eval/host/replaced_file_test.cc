#include "eval/host/replaced_file.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "eval/host/whole_file.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;

class ReplacedFileTest : public testing::Test {
 protected:
  ReplacedFileTest() { fs::remove_all(folder_); }
  ~ReplacedFileTest() override { fs::remove_all(folder_); }

  static std::size_t FilesIn(const fs::path& folder) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& each : fs::directory_iterator(folder)) {
      ++count;
    }
    return count;
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / "replaced_file_test";
  const fs::path path_ = folder_ / "within" / "file";
};

TEST_F(ReplacedFileTest, TheNewOneTakesTheOldOnesPlaceAlone) {
  ASSERT_TRUE(ReplaceWhole(path_, "longer than what follows"));
  ASSERT_TRUE(ReplaceWhole(path_, "new"));
  EXPECT_EQ(ReadWhole(path_).value(), "new");
  EXPECT_EQ(FilesIn(path_.parent_path()), 1u);
}

// Its name has 255 bytes, more than which no name may have.
TEST_F(ReplacedFileTest, ANameMayBeAsLongAsNamesCanBe) {
  EXPECT_TRUE(ReplaceWhole(folder_ / std::string(255, 'x'), "new"));
}

// A folder that is not empty is replaced by no file.
TEST_F(ReplacedFileTest, WhatCannotBeReplacedIsAsBeforeAndSaidWhy) {
  ASSERT_TRUE(ReplaceWhole(path_, "kept"));
  const auto replaced = ReplaceWhole(path_.parent_path(), "new");
  ASSERT_FALSE(replaced);
  EXPECT_EQ(replaced.error().code, Errc::kIo);
  EXPECT_EQ(replaced.error().what,
            path_.parent_path().string() + ": Is a directory");
  EXPECT_EQ(ReadWhole(path_).value(), "kept");
  EXPECT_EQ(FilesIn(folder_), 1u);
}

TEST_F(ReplacedFileTest, WhoReadsMeanwhileReadsOneOfThemWhole) {
  const std::vector<std::string> texts = {std::string(100'000, 'a'),
                                          std::string(50'000, 'b')};
  ASSERT_TRUE(ReplaceWhole(path_, texts[0]));
  std::atomic<int> writing = 2;
  std::vector<std::jthread> writers;
  for (const std::string& text : texts) {
    writers.emplace_back([&] {
      for (int time = 0; time < 50; ++time) {
        EXPECT_TRUE(ReplaceWhole(path_, text));
      }
      --writing;
    });
  }
  while (writing > 0) {
    const std::string text = ReadWhole(path_).value();
    EXPECT_TRUE(text == texts[0] || text == texts[1]) << text.size();
  }
}

}  // namespace
}  // namespace coppice::eval
