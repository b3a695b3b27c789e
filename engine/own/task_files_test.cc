#include "engine/own/task_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

namespace coppice::engine::own {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class TaskFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "coppice_task_files";
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

Solution SolutionOf(const std::string& file, const std::string& text) {
  Solution solution;
  solution.entry_file = file;
  solution.sources = {{file, text}};
  return solution;
}

// The reference of a task in C++ is no part of its folder.
TEST(FilesOfTest, ATaskIsItsDefinitionWorkloadsRootAndOracle) {
  Task task;
  task.definition.name = "mine";
  task.definition.reference = "def run(*inputs):\n    pass\n";
  task.root = SolutionOf("root.cc", "r");
  task.oracle = SolutionOf("oracle.cc", "o");
  Workload workload;
  workload.uuid = "mine_n5";
  workload.axes = {{"n", 5}};
  task.workloads = {workload, workload};
  const NamedTexts files = FilesOf(task, "");
  ASSERT_EQ(files.size(), 4u);
  EXPECT_EQ(files[0].first, "definition.json");
  EXPECT_THAT(files[0].second, HasSubstr("\"mine\""));
  EXPECT_THAT(files[0].second, testing::Not(HasSubstr("def run")));
  EXPECT_EQ(files[1].first, "workloads.jsonl");
  EXPECT_EQ(std::ranges::count(files[1].second, '\n'), 2);
  EXPECT_THAT(files[1].second, HasSubstr("\"mine_n5\""));
  EXPECT_EQ(files[2], std::pair(std::string("root.cc"), std::string("r")));
  EXPECT_EQ(files[3], std::pair(std::string("oracle.cc"), std::string("o")));
  const NamedTexts more = FilesOf(task, "e");
  ASSERT_EQ(more.size(), 5u);
  EXPECT_EQ(more[4].first, "expert.cc");
}

TEST_F(TaskFilesTest, AFolderHasAllFiles) {
  ASSERT_TRUE(WriteFolder(folder_, {{"root.cc", "r"}, {"oracle.cc", "oo"}}));
  EXPECT_EQ(fs::file_size(folder_ / "root.cc"), 1u);
  EXPECT_EQ(fs::file_size(folder_ / "oracle.cc"), 2u);
}

// The second cannot be written, as nothing can where a disk is full.
TEST_F(TaskFilesTest, AFolderThatCannotBeWrittenAsAWholeIsNotThere) {
  const auto written =
      WriteFolder(folder_, {{"root.cc", "r"}, {"missing/oracle.cc", "o"}});
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().what, HasSubstr("missing/oracle.cc: "));
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(TaskFilesTest, WhatIsThereIsLeftAlone) {
  ASSERT_TRUE(WriteFolder(folder_, {{"root.cc", "r"}}));
  const auto written = WriteFolder(folder_, {{"other.cc", "o"}});
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().what, HasSubstr("is there already"));
  EXPECT_TRUE(fs::exists(folder_ / "root.cc"));
}

}  // namespace
}  // namespace coppice::engine::own
