#include "engine/inspector/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "store/scratch.h"

namespace coppice::inspector {
namespace {

using ::testing::ElementsAre;

class FilesTest : public ::testing::Test {
 protected:
  store::ScratchDirectory directory_;
  const std::filesystem::path path_ = directory_.File("x.db");
  store::Database database_ = store::NewFile(path_);
  const CampaignId campaign_ = store::Plant(database_, "a");
  Files files_{{path_}};
};

TEST_F(FilesTest, AFileGoesByItsNumber) {
  const auto none = files_.Borrow(1, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::kNotFound);
  EXPECT_EQ(none.error().what, "db=1: there are 1 databases, counted from 0");
}

// It was there when the server began, and may come back.
TEST_F(FilesTest, AFileThatIsGoneIsUnavailable) {
  Files gone({directory_.File("gone.db")});
  EXPECT_EQ(gone.Borrow(0, {}).error().code, Errc::kUnavailable);
}

TEST_F(FilesTest, WhatIsLentAgainSeesWhatWasWrittenMeanwhile) {
  const auto count = [&] {
    auto loan = store::Must(files_.Borrow(0, {}));
    EXPECT_TRUE(loan.SeesLater());
    return store::Rows(*loan, "SELECT count(*) FROM nodes");
  };
  EXPECT_THAT(count(), ElementsAre("1"));
  store::Grow(database_, campaign_, kRootNode);
  EXPECT_THAT(count(), ElementsAre("2"));
}

TEST_F(FilesTest, AConnectionOnLoanOnlyReads) {
  auto loan = store::Must(files_.Borrow(0, {}));
  EXPECT_FALSE(store::Campaigns(*loan).Create(store::SpecNamed("b")));
}

TEST_F(FilesTest, AQuestionIsGivenUpOnceItIsOver) {
  auto loan = store::Must(files_.Borrow(0, [] { return true; }));
  EXPECT_FALSE(store::Query(*loan,
                            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL "
                            "SELECT i + 1 FROM n) SELECT count(*) FROM n",
                            {}));
}

TEST_F(FilesTest, AFileThatWasReplacedIsAnother) {
  const auto loan = store::Must(files_.Borrow(0, {}));
  EXPECT_TRUE(loan.IsOfTheFile());
  std::filesystem::rename(path_, directory_.File("old.db"));
  EXPECT_FALSE(loan.IsOfTheFile());
}

TEST_F(FilesTest, AFileThatMayBeWrittenBesideIsNotReadAsItLies) {
  EXPECT_FALSE(*files_.IsReadAsItLies(0));
}

}  // namespace
}  // namespace coppice::inspector
