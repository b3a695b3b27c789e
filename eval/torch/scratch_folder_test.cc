#include "eval/torch/scratch_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "eval/host/folder_lock.h"

namespace coppice::eval::torch {
namespace {

namespace fs = std::filesystem;

class ScratchFolderTest : public testing::Test {
 protected:
  ScratchFolderTest()
      : parent_(fs::path(testing::TempDir()) /
                ("scratch" + std::to_string(getpid()))) {
    fs::create_directories(parent_);
  }
  ~ScratchFolderTest() override { fs::remove_all(parent_); }

  static void Write(const fs::path& file, std::size_t bytes) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << std::string(bytes, 'x');
  }

  std::size_t Folders() const {
    return static_cast<std::size_t>(std::distance(
        fs::directory_iterator(parent_), fs::directory_iterator()));
  }

  fs::path parent_;
};

TEST_F(ScratchFolderTest, IsGoneWithItsOwner) {
  fs::path path;
  {
    const auto made = ScratchFolder::Create(parent_);
    ASSERT_TRUE(made) << made.error().what;
    path = made->path();
    EXPECT_EQ(path.parent_path(), parent_);
    Write(path / "deep" / "er" / "file", 3);
    fs::permissions(path / "deep" / "er", fs::perms::none);
    fs::permissions(path / "deep", fs::perms::owner_read);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(ScratchFolderTest, NoTwoHaveOneName) {
  const auto first = ScratchFolder::Create(parent_);
  const auto second = ScratchFolder::Create(parent_);
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->path(), second->path());
  EXPECT_TRUE(fs::exists(first->path()));
}

// A killed owner's lock is given back by the kernel, and nobody has this one.
TEST_F(ScratchFolderTest, WhatAKilledOwnerLeftIsRemovedByTheNext) {
  Write(parent_ / ".built-abcdef" / "file", 3);
  Write(parent_ / "other" / "file", 3);
  Write(parent_ / ".built-held" / "file", 3);
  const UniqueFd held = LockFolder(parent_ / ".built-held");
  ASSERT_TRUE(held.valid());
  const auto made = ScratchFolder::Create(parent_);
  ASSERT_TRUE(made);
  EXPECT_FALSE(fs::exists(parent_ / ".built-abcdef"));
  EXPECT_TRUE(fs::exists(parent_ / "other" / "file"));
  EXPECT_TRUE(fs::exists(parent_ / ".built-held" / "file"));
}

TEST_F(ScratchFolderTest, HasOneOwnerWhoeverThatIs) {
  auto made = ScratchFolder::Create(parent_);
  ASSERT_TRUE(made);
  const fs::path path = made->path();
  {
    ScratchFolder owner;
    EXPECT_TRUE(owner.path().empty());
    owner = std::move(*made);
    ScratchFolder next = std::move(owner);
    EXPECT_EQ(next.path(), path);
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(ScratchFolderTest, ItsParentIsMade) {
  const auto made = ScratchFolder::Create(parent_ / "not" / "yet");
  ASSERT_TRUE(made);
  EXPECT_TRUE(fs::is_directory(parent_ / "not" / "yet"));
}

TEST_F(ScratchFolderTest, AParentThatIsAFileIsNamed) {
  Write(parent_ / "file", 1);
  const auto made = ScratchFolder::Create(parent_ / "file");
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().what.find((parent_ / "file").string()),
            std::string::npos);
  EXPECT_EQ(Folders(), 1U);
}

// 3 + 5; the link leads to 100 bytes that are not in it.
TEST_F(ScratchFolderTest, LinksCountNothing) {
  Write(parent_ / "in" / "a", 3);
  Write(parent_ / "in" / "deep" / "b", 5);
  Write(parent_ / "out" / "c", 100);
  fs::create_symlink(parent_ / "out" / "c", parent_ / "in" / "link");
  fs::create_directory_symlink(parent_ / "out", parent_ / "in" / "links");
  fs::create_symlink(parent_ / "nowhere", parent_ / "in" / "broken");
  EXPECT_EQ(BytesIn(parent_ / "in"), 8U);
  EXPECT_EQ(BytesIn(parent_ / "nowhere"), 0U);
}

}  // namespace
}  // namespace coppice::eval::torch
