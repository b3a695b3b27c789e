#include "engine/cli/output.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>

#include "engine/documents/input.h"
#include "store/scratch.h"

namespace coppice::cli {
namespace {

TEST(WriteFileTest, TheTextTakesThePlaceOfWhatWasThere) {
  const store::ScratchDirectory directory;
  const auto path = directory.File("x.txt");
  ASSERT_TRUE(WriteFile(path, "a longer text"));
  ASSERT_TRUE(WriteFile(path, "short"));
  EXPECT_EQ(ReadFile(path.string()), "short");
}

TEST(WriteFileTest, ALinkStaysOneAndNothingElseIsLeft) {
  const store::ScratchDirectory directory;
  const auto path = directory.File("x.txt");
  const auto link = directory.File("link");
  std::filesystem::create_symlink(path, link);
  ASSERT_TRUE(WriteFile(link, "first"));
  ASSERT_TRUE(WriteFile(link, "second"));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(ReadFile(path.string()), "second");
  EXPECT_EQ(std::distance(
                std::filesystem::directory_iterator(path.parent_path()), {}),
            2);
}

TEST(WriteFileTest, ADatabaseIsLeftAsItIs) {
  const store::ScratchDirectory directory;
  const auto path = directory.File("x.db");
  store::NewFile(path);
  const auto before = ReadFile(path.string());
  ASSERT_TRUE(before);
  const auto over = WriteFile(path, "text");
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, Errc::kUsage);
  EXPECT_EQ(over.error().what,
            path.string() + ": holds a database: give another path");
  EXPECT_EQ(ReadFile(path.string()), *before);
}

TEST(WriteFileTest, WhatCannotBeWrittenIsNamed) {
  const auto full = WriteFile("/dev/full", "text");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, Errc::kIo);
  EXPECT_EQ(full.error().what, "/dev/full: cannot be written");
  EXPECT_FALSE(WriteFile("/nowhere/x.txt", "text"));
}

}  // namespace
}  // namespace coppice::cli
