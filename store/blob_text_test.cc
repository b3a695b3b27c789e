#include "store/blob_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "store/connection.h"
#include "store/read/query.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class BlobTextTest : public ::testing::Test {
 protected:
  std::string ErrorOf(const std::string& sql) {
    const auto answer = Query(database_, sql, {});
    return answer ? "" : answer.error().what;
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
};

TEST_F(BlobTextTest, ATextIsGivenByItsNumber) {
  EXPECT_THAT(Rows(database_, "SELECT blob_text(source_blob) FROM nodes"),
              ElementsAre("root kernel"));
  EXPECT_THAT(Rows(database_,
                   "SELECT count(*) FROM blob WHERE"
                   " length(blob_text(blob_id)) <> raw_bytes"),
              ElementsAre("0"));
}

TEST_F(BlobTextTest, OfNothingThereIsNoText) {
  EXPECT_THAT(Rows(database_, "SELECT blob_text(NULL)"), ElementsAre("-"));
}

TEST_F(BlobTextTest, ATextThatIsNotThereIsAnError) {
  EXPECT_THAT(ErrorOf("SELECT blob_text(999)"),
              HasSubstr("blob 999 is missing"));
  EXPECT_THAT(ErrorOf("SELECT blob_text('nine')"),
              HasSubstr("blob 0 is missing"));
}

TEST_F(BlobTextTest, ADamagedTextIsAnErrorAndNoOtherText) {
  Damage(directory_.File("x.db"),
         "UPDATE blob SET bytes = CAST('rOOt kernel' AS BLOB) WHERE blob_id ="
         " (SELECT source_blob FROM node)");
  database_ = Must(Database::Open(directory_.File("x.db"), Access::kReadOnly));
  EXPECT_THAT(ErrorOf("SELECT blob_text(source_blob) FROM nodes"),
              HasSubstr("has not the hash it is stored under"));
}

// A stranger's file could have a view that reads what nobody asked for.
TEST_F(BlobTextTest, AViewOfTheFileDoesNotCallIt) {
  Damage(directory_.File("x.db"),
         "CREATE VIEW stranger AS SELECT blob_text(1) AS text");
  EXPECT_THAT(ErrorOf("SELECT text FROM stranger"),
              HasSubstr("unsafe use of blob_text()"));
}

}  // namespace
}  // namespace coppice::store
