#include "store/partial_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "store/scratch.h"

namespace coppice::store {
namespace {

namespace fs = std::filesystem;

class PartialFileTest : public ::testing::Test {
 protected:
  static void WriteTo(const fs::path& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  static std::string Read(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  ScratchDirectory directory_;
  const fs::path path_ = directory_.File("a.db");
  const fs::path partial_ = directory_.File("a.db.partial");
};

TEST_F(PartialFileTest, HasItsNameOnceItIsWhole) {
  PartialFile file = Must(PartialFile::Begin(path_));
  EXPECT_EQ(file.path(), partial_);
  WriteTo(file.path(), "all");
  EXPECT_FALSE(fs::exists(path_));
  Must(file.Finish());
  EXPECT_EQ(Read(path_), "all");
  EXPECT_FALSE(fs::exists(partial_));
}

TEST_F(PartialFileTest, WhatIsFinishedStays) {
  {
    PartialFile file = Must(PartialFile::Begin(path_));
    WriteTo(file.path(), "all");
    Must(file.Finish());
  }
  EXPECT_EQ(Read(path_), "all");
}

TEST_F(PartialFileTest, WhatIsNotFinishedIsRemoved) {
  {
    const PartialFile file = Must(PartialFile::Begin(path_));
    WriteTo(file.path(), "half");
  }
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_FALSE(fs::exists(partial_));
}

TEST_F(PartialFileTest, NothingIsOverwritten) {
  WriteTo(path_, "before");
  const auto begun = PartialFile::Begin(path_);
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().code, Errc::kUsage);
  EXPECT_EQ(begun.error().what,
            path_.string() + ": exists already: give another path");
  EXPECT_EQ(Read(path_), "before");
}

// It is of a process that was killed.
TEST_F(PartialFileTest, WhatWasLeftHalfIsBegunAnew) {
  WriteTo(partial_, "half");
  const PartialFile file = Must(PartialFile::Begin(path_));
  EXPECT_EQ(Read(partial_), "");
}

TEST_F(PartialFileTest, OneAtATimeWritesIt) {
  {
    PartialFile first = Must(PartialFile::Begin(path_));
    WriteTo(first.path(), "half");
    const auto second = PartialFile::Begin(path_);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Errc::kBusy);
    EXPECT_EQ(second.error().what,
              path_.string() + ": another process is writing it");
    EXPECT_EQ(Read(partial_), "half");
  }
  Must(Must(PartialFile::Begin(path_)).Finish());
}

// Its target is another's.
TEST_F(PartialFileTest, NoLinkIsFollowed) {
  const fs::path other = directory_.File("other");
  WriteTo(other, "kept");
  fs::create_symlink(other, partial_);
  EXPECT_EQ(PartialFile::Begin(path_).error().code, Errc::kIo);
  EXPECT_EQ(Read(other), "kept");
}

TEST_F(PartialFileTest, OnlyTheOneThatItWasMovedToRemovesIt) {
  std::optional<PartialFile> first = Must(PartialFile::Begin(path_));
  WriteTo(first->path(), "all");
  PartialFile second = std::move(*first);
  first.reset();
  EXPECT_TRUE(fs::exists(partial_));
  Must(second.Finish());
  EXPECT_EQ(Read(path_), "all");
}

TEST_F(PartialFileTest, WhatCannotBeNamedIsAnErrorThatNamesIt) {
  PartialFile file = Must(PartialFile::Begin(path_));
  fs::remove(partial_);
  const auto finished = file.Finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, Errc::kIo);
  EXPECT_EQ(finished.error().what,
            path_.string() + ": No such file or directory");
}

}  // namespace
}  // namespace coppice::store
