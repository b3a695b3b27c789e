#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/care/maintenance.h"
#include "store/connection.h"
#include "store/read/plain_export.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Backup, plain export and compaction of one small campaign.
class CopiesTest : public ::testing::Test {
 protected:
  CopiesTest() {
    Grow(database_, campaign_, NodeId{0},
         {.source = "kernel \"one\"", .runtime_s = 2.0});
    Grow(database_, campaign_, NodeId{1}, {.verdict = Verdict::kCrashed});
  }
  // A value out of any SQLite file, by SQLite alone.
  static std::string Plainly(const std::filesystem::path& path,
                             const std::string& sql) {
    return SQLite::Database(path.string()).execAndGet(sql).getString();
  }

  ScratchDirectory directory_;
  const std::filesystem::path copy_ = directory_.File("copy.db");
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
};

TEST_F(CopiesTest, ABackupIsTheSameSoundTree) {
  Must(Backup(database_, copy_));
  Database copy = Must(Database::Open(copy_, Access::kReadWrite));
  EXPECT_THAT(Must(Diagnose(copy)), IsEmpty());
  EXPECT_EQ(Must(Fingerprint(copy, campaign_)),
            Must(Fingerprint(database_, campaign_)));
}

TEST_F(CopiesTest, ABackupIsOneMomentWhileOthersWrite) {
  Database writer =
      Must(Database::Open(directory_.File("x.db"), Access::kReadWrite));
  const std::string before = Must(Fingerprint(database_, campaign_));
  writer.connection().sqlite().exec("BEGIN IMMEDIATE");
  writer.connection().sqlite().exec("UPDATE campaign SET nodes = 99");
  Must(Backup(database_, copy_));
  writer.connection().sqlite().exec("ROLLBACK");
  Database copy = Must(Database::Open(copy_, Access::kReadOnly));
  EXPECT_EQ(Must(Fingerprint(copy, campaign_)), before);
  EXPECT_EQ(Must(Campaigns(copy).List())[0].nodes, 3);
}

// SQLite cannot copy from within a transaction that writes.
TEST_F(CopiesTest, ABackupThatIsLockedOutLeavesNoFile) {
  const auto locked =
      database_.connection().Write([&] { return Backup(database_, copy_); });
  ASSERT_FALSE(locked.has_value());
  EXPECT_EQ(locked.error().code, Errc::kBusy);
  EXPECT_FALSE(std::filesystem::exists(copy_));
  EXPECT_FALSE(std::filesystem::exists(copy_.string() + ".partial"));
}

TEST_F(CopiesTest, NothingIsOverwritten) {
  Must(Backup(database_, copy_));
  for (const auto& again :
       {Backup(database_, copy_), ExportPlain(database_, copy_)}) {
    ASSERT_FALSE(again.has_value());
    EXPECT_EQ(again.error().code, Errc::kUsage);
    EXPECT_EQ(again.error().what,
              copy_.string() + ": exists already: give another path");
  }
}

TEST_F(CopiesTest, AFailedCopyLeavesNoFile) {
  const std::filesystem::path nowhere = directory_.File("no") / "copy.db";
  for (const auto& done :
       {Backup(database_, nowhere), ExportPlain(database_, nowhere)}) {
    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().code, Errc::kIo);
    EXPECT_THAT(done.error().what, HasSubstr(nowhere.string()));
  }
  // The text of node 1 cannot be read.
  Damage(directory_.File("x.db"),
         "UPDATE blob SET sha256 = zeroblob(32) WHERE blob_id ="
         " (SELECT source_blob FROM node WHERE number = 1)");
  database_.connection().blobs().Forget();
  const auto exported = ExportPlain(database_, copy_);
  ASSERT_FALSE(exported.has_value());
  EXPECT_EQ(exported.error().code, Errc::kCorrupt);
  EXPECT_FALSE(std::filesystem::exists(copy_));
  EXPECT_FALSE(std::filesystem::exists(copy_.string() + ".partial"));
}

TEST_F(CopiesTest, APlainCopyHoldsTheTextsThemselves) {
  Must(ExportPlain(database_, copy_));
  EXPECT_EQ(Plainly(copy_, "SELECT source FROM nodes WHERE node = 1"),
            "kernel \"one\"");
  EXPECT_EQ(Plainly(copy_, "SELECT typeof(source) FROM nodes WHERE node = 1"),
            "text");
  EXPECT_EQ(Plainly(copy_, "SELECT log FROM nodes WHERE node = 2"),
            "log: crashed");
  EXPECT_EQ(Plainly(copy_, "SELECT user_prompt FROM calls LIMIT 1"),
            "Do what an agent does.");
  EXPECT_EQ(Plainly(copy_, "SELECT verdict FROM nodes WHERE node = 2"),
            "crashed");
  EXPECT_EQ(Plainly(copy_, "SELECT speedup FROM leaderboard WHERE rank = 1"),
            "2.0");
}

// All views, and as many rows in each.
TEST_F(CopiesTest, APlainCopyHasWhatTheViewsHave) {
  Must(ExportPlain(database_, copy_));
  const std::vector<std::string> views =
      Rows(database_, "SELECT name FROM sqlite_schema WHERE type = 'view'");
  EXPECT_EQ(views.size(), 45u);
  for (const std::string& view : views) {
    EXPECT_EQ(Plainly(copy_, "SELECT count(*) FROM " + view),
              Rows(database_, "SELECT count(*) FROM " + view)[0])
        << view;
  }
  EXPECT_EQ(Plainly(copy_,
                    "SELECT group_concat(ancestor) FROM lineage"
                    " WHERE campaign = 'a' AND node = 2"),
            "0,1,2");
}

TEST_F(CopiesTest, CompactingChangesNoContent) {
  const std::string before = Must(Fingerprint(database_, campaign_));
  Must(Compact(database_));
  EXPECT_EQ(Must(Fingerprint(database_, campaign_)), before);
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
  EXPECT_THAT(Rows(database_, "SELECT count(*) FROM nodes"), ElementsAre("3"));
  EXPECT_EQ(std::filesystem::file_size(directory_.File("x.db-wal")), 0u);
  Grow(database_, campaign_, NodeId{0});  // And life goes on.
}

// What a reader still sees cannot be moved out of the log.
TEST_F(CopiesTest, CompactingSaysThatSomebodyReads) {
  Database reader =
      Must(Database::Open(directory_.File("x.db"), Access::kReadOnly));
  SQLite::Database& sqlite = reader.connection().sqlite();
  sqlite.exec("BEGIN");
  sqlite.execAndGet("SELECT count(*) FROM node");
  database_.connection().sqlite().setBusyTimeout(0);
  const auto compacted = Compact(database_);
  ASSERT_FALSE(compacted.has_value());
  EXPECT_EQ(compacted.error().code, Errc::kBusy);
  sqlite.exec("ROLLBACK");
  Must(Compact(database_));
}

}  // namespace
}  // namespace coppice::store
