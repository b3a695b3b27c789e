#include "engine/interchange/kernelbench_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace coppice::engine {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class KernelBenchFilesTest : public ::testing::Test {
 protected:
  KernelBenchFilesTest()
      : checkout_(fs::path(testing::TempDir()) /
                  ("checkout" + std::to_string(getpid()))) {
    for (const char* file :
         {"level1/23_Softmax.py", "level1/3_Batched.py", "level1/100_Loss.py",
          "level1/1_Square.py", "level1/notes.txt", "level1/readme.py",
          "KernelBench/level2/7_Conv.py"}) {
      fs::create_directories((checkout_ / file).parent_path());
      std::ofstream(checkout_ / file) << "x = 1\n";
    }
  }
  ~KernelBenchFilesTest() override { fs::remove_all(checkout_); }

  std::vector<std::string> Names(int level, const std::string& subset) const {
    const auto files = KernelBenchFiles(checkout_, level, subset);
    if (!files) return {files.error().what};
    std::vector<std::string> names;
    for (const fs::path& file : *files) names.push_back(file.filename());
    return names;
  }

  fs::path checkout_;
};

TEST_F(KernelBenchFilesTest, AreInTheOrderOfTheirNumbers) {
  EXPECT_THAT(Names(1, "all"), ElementsAre("1_Square.py", "3_Batched.py",
                                           "23_Softmax.py", "100_Loss.py"));
  EXPECT_THAT(Names(2, "all"), ElementsAre("7_Conv.py"));
}

TEST_F(KernelBenchFilesTest, ASubsetLeavesOthersOut) {
  EXPECT_THAT(Names(1, "representative"),
              ElementsAre("1_Square.py", "3_Batched.py", "23_Softmax.py"));
  EXPECT_THAT(Names(1, "representative_sound"),
              ElementsAre("1_Square.py", "3_Batched.py"));
}

TEST_F(KernelBenchFilesTest, WhatIsNotThereIsNamed) {
  EXPECT_THAT(Names(4, "all"),
              ElementsAre(checkout_.string() +
                          ": no problem of level 4 (levelN/ID_NAME.py) is "
                          "there"));
  EXPECT_THAT(Names(1, "some"),
              ElementsAre("--subset some: expected all, representative or "
                          "representative_sound"));
}

}  // namespace
}  // namespace coppice::engine
