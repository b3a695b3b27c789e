#include "engine/own/task_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

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
