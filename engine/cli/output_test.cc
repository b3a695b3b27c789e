#include "engine/cli/output.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "engine/documents/input.h"
#include "engine/documents/row_sheet.h"
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

// What a device or a pipe has is no file to replace.
TEST(WriteFileTest, ADeviceStaysOne) {
  ASSERT_TRUE(WriteFile("/dev/null", "text"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(WriteFileTest, AFileKeepsWhoMayReadIt) {
  using std::filesystem::perms;
  const store::ScratchDirectory directory;
  const auto path = directory.File("x.txt");
  ASSERT_TRUE(WriteFile(path, "first"));
  std::filesystem::permissions(path, perms::owner_read | perms::owner_write);
  ASSERT_TRUE(WriteFile(path, "second"));
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            perms::owner_read | perms::owner_write);
}

TEST(MakeDirectoryTest, FoldersAboveAreMadeAndThoseThereStay) {
  const store::ScratchDirectory directory;
  const auto path = directory.File("a/b");
  ASSERT_TRUE(MakeDirectory(path));
  ASSERT_TRUE(WriteFile(path / "x.txt", "kept"));
  ASSERT_TRUE(MakeDirectory(path));
  EXPECT_EQ(ReadFile((path / "x.txt").string()), "kept");
}

TEST(MakeDirectoryTest, BelowAFileThereIsNone) {
  const store::ScratchDirectory directory;
  const auto file = directory.File("x.txt");
  ASSERT_TRUE(WriteFile(file, "text"));
  const auto made = MakeDirectory(file / "below");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::kIo);
  EXPECT_EQ(made.error().what, (file / "below").string() + ": Not a directory");
}

TEST(WriteCsvTest, ASheetIsAFileOfItsName) {
  const store::ScratchDirectory directory;
  const auto folder = directory.File("out");
  ASSERT_TRUE(MakeDirectory(folder));
  const RowSheet sheet{"scores", {"policy", "score"}, {{"a,b", 2}, {"c", 3}}};
  ASSERT_TRUE(WriteCsv(sheet, folder));
  EXPECT_EQ(ReadFile((folder / "scores.csv").string()),
            "policy,score\n\"a,b\",2\nc,3\n");
}

}  // namespace
}  // namespace coppice::cli
