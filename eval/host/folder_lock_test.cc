#include "eval/host/folder_lock.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;

class FolderLockTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  const fs::path folder_ = fs::path(testing::TempDir()) / "folder_lock";
};

TEST_F(FolderLockTest, IsOneHoldersUntilItIsClosed) {
  UniqueFd lock = LockFolder(folder_);
  EXPECT_TRUE(lock.valid());
  EXPECT_FALSE(LockFolder(folder_).valid());
  lock.Close();
  EXPECT_TRUE(LockFolder(folder_).valid());
}

TEST_F(FolderLockTest, OfOneFolderLeavesOthersFree) {
  fs::create_directories(folder_ / "within");
  const UniqueFd lock = LockFolder(folder_);
  EXPECT_TRUE(LockFolder(folder_ / "within").valid());
}

TEST_F(FolderLockTest, WhatIsNoFolderCannotBeLocked) {
  EXPECT_FALSE(LockFolder(folder_ / "none").valid());
  std::ofstream(folder_ / "file") << "x";
  EXPECT_FALSE(LockFolder(folder_ / "file").valid());
}

}  // namespace
}  // namespace coppice::eval
