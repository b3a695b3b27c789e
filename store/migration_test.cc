#include "store/migration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "store/baselines.h"
#include "store/connection.h"
#include "store/maintenance.h"
#include "store/schema.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A file of this program's format and steps that a later one could have.
class MigrationTest : public ::testing::Test {
 protected:
  MigrationTest() { campaign_ = Plant(database_, "a"); }

  std::string Version() { return Rows(database_, "PRAGMA user_version")[0]; }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_{};
};

constexpr std::int64_t kNext = kFormatVersion + 1;
constexpr Migration kAddColumn = {
    kNext, "ALTER TABLE campaign ADD COLUMN note TEXT NOT NULL DEFAULT 'none'"};
constexpr Migration kAddTable = {kNext + 1,
                                 "CREATE TABLE device (name TEXT) STRICT;"
                                 "INSERT INTO device VALUES ('gpu0')"};

TEST_F(MigrationTest, StepsAreTakenInOrderAndKeepTheData) {
  const std::array steps = {kAddColumn, kAddTable};
  Must(Migrate(database_.connection(), steps));
  EXPECT_EQ(Version(), std::to_string(kNext + 1));
  EXPECT_THAT(Rows(database_, "SELECT name, note FROM campaign"),
              ElementsAre("a|none"));
  EXPECT_THAT(Rows(database_, "SELECT name FROM device"), ElementsAre("gpu0"));
}

TEST_F(MigrationTest, StepsThatWereTakenAreNotTakenAgain) {
  const std::array steps = {kAddColumn, kAddTable};
  Must(Migrate(database_.connection(), std::span(steps).first(1)));
  EXPECT_EQ(Version(), std::to_string(kNext));
  Must(Migrate(database_.connection(), steps));
  Must(Migrate(database_.connection(), steps));
  EXPECT_EQ(Version(), std::to_string(kNext + 1));
  EXPECT_THAT(Rows(database_, "SELECT name FROM device"), ElementsAre("gpu0"));
}

TEST_F(MigrationTest, AFailingStepLeavesTheFormatBeforeIt) {
  const std::array steps = {
      kAddColumn,
      Migration{kNext + 1, "CREATE TABLE device (name TEXT) STRICT; nonsense"}};
  EXPECT_FALSE(Migrate(database_.connection(), steps).has_value());
  EXPECT_EQ(Version(), std::to_string(kNext));
  EXPECT_THAT(
      Rows(database_, "SELECT name FROM sqlite_schema WHERE name = 'device'"),
      ElementsAre());
}

TEST_F(MigrationTest, AStepThatBreaksAReferenceIsUndone) {
  database_.connection().sqlite().exec("PRAGMA foreign_keys = OFF");
  const std::array steps = {Migration{kNext, "DELETE FROM blob"}};
  const auto done = Migrate(database_.connection(), steps);
  ASSERT_FALSE(done.has_value());
  EXPECT_THAT(done.error().what, HasSubstr("would break a reference"));
  EXPECT_EQ(Version(), std::to_string(kFormatVersion));
}

TEST_F(MigrationTest, AGapIsAnError) {
  const std::array steps = {kAddTable};
  EXPECT_FALSE(Migrate(database_.connection(), steps).has_value());
  EXPECT_EQ(Version(), std::to_string(kFormatVersion));
}

TEST_F(MigrationTest, TheStepsOfThisProgramLeadFromFormat1ToItsOwn) {
  std::int64_t version = 1;
  for (const Migration& step : Migrations()) {
    EXPECT_EQ(step.to_version, ++version);
  }
  EXPECT_EQ(version, kFormatVersion);
}

// A file that the program of an older format wrote; see format_1.sql.
class OldFile {
 public:
  explicit OldFile(int format) {
    std::ifstream file(COPPICE_SOURCE_DIR "/store/format_" +
                       std::to_string(format) + ".sql");
    const std::string sql{std::istreambuf_iterator<char>(file), {}};
    SQLite::Database old(path_.string(),
                         SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    old.exec("PRAGMA journal_mode = WAL");
    old.exec(sql);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path Beside(const std::string& name) const {
    return directory_.File(name);
  }

 private:
  ScratchDirectory directory_;
  const std::filesystem::path path_ = directory_.File("old.db");
};

class OldFormatTest : public ::testing::TestWithParam<int> {
 protected:
  Database Open() {
    return Must(Database::Open(old_.path(), Access::kReadWrite));
  }

  const OldFile old_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Formats, OldFormatTest,
                         ::testing::Range(1, int{kFormatVersion}));

TEST_P(OldFormatTest, AReaderSaysHowToBringItForward) {
  const auto refused = Database::Open(old_.path(), Access::kReadOnly);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::kUsage);
  EXPECT_THAT(refused.error().what,
              HasSubstr("format " + std::to_string(GetParam()) +
                        " is older than this program's " +
                        std::to_string(kFormatVersion) +
                        ": bring it forward with `coppice db compact`"));
}

TEST_P(OldFormatTest, AWriterBringsItForwardOnce) {
  for (int i = 0; i < 2; ++i) {
    Database database = Open();
    EXPECT_THAT(Rows(database, "PRAGMA user_version"),
                ElementsAre(std::to_string(kFormatVersion)));
    EXPECT_THAT(Rows(database, "SELECT count(*) FROM nodes"),
                ElementsAre(GetParam() == 1 ? "6" : "4"));
    EXPECT_THAT(Must(Diagnose(database)), IsEmpty());
    EXPECT_EQ(database.connection()
                  .sqlite()
                  .execAndGet("PRAGMA foreign_keys")
                  .getInt(),
              1);
  }
  EXPECT_TRUE(Database::Open(old_.path(), Access::kReadOnly).has_value());
}

// Column by column, in any order; views word by word.
TEST_P(OldFormatTest, ItBecomesWhatANewFileIs) {
  Database old = Open();
  Database fresh = NewFile(old_.Beside("new.db"));
  for (const char* sql :
       {"SELECT t.name, c.name, c.type, c.\"notnull\", c.dflt_value, c.pk"
        " FROM sqlite_schema t, pragma_table_info(t.name) c"
        " WHERE t.type = 'table' ORDER BY 1, 2",
        "SELECT t.name, f.\"table\", f.\"from\", f.\"to\""
        " FROM sqlite_schema t, pragma_foreign_key_list(t.name) f"
        " WHERE t.type = 'table' ORDER BY 1, 2, 3",
        "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index'"
        " ORDER BY 1",
        "SELECT name, sql FROM sqlite_schema WHERE type = 'view' ORDER BY 1"}) {
    EXPECT_EQ(Rows(old, sql), Rows(fresh, sql)) << sql;
  }
}

class Format1Test : public ::testing::Test {
 protected:
  Database Open() {
    return Must(Database::Open(old_.path(), Access::kReadWrite));
  }

  const OldFile old_{1};
};

// Samples 1, 2, 3, 4, 8; the root's 10, 10, 10, 20, 30.
TEST_F(Format1Test, QuartilesComeFromTheSamples) {
  Database database = Open();
  EXPECT_THAT(
      Rows(database,
           "SELECT lower_quartile_s, median_s, upper_quartile_s,"
           " root_lower_quartile_s, root_median_s, root_upper_quartile_s,"
           " samples FROM workload_results WHERE node = 1"),
      ElementsAre("2|3|4|10|10|20|5"));
  // Of the root's only sample.
  EXPECT_THAT(
      Rows(database,
           "SELECT lower_quartile_s = runtime_s, upper_quartile_s = runtime_s"
           " FROM workload_results JOIN samples USING (campaign, node)"
           " WHERE node = 0"),
      ElementsAre("1|1"));
  // It failed before it was timed.
  EXPECT_THAT(Rows(database,
                   "SELECT median_s, discarded_samples, floor_s"
                   " FROM workload_results WHERE node = 2 AND ordinal = 1"),
              ElementsAre("-|0|-"));
}

TEST_F(Format1Test, WhatAnEvaluationRefutedIsInQuarantine) {
  Database database = Open();
  EXPECT_THAT(Rows(database, "SELECT node, verdict, ordinal FROM quarantined"),
              ElementsAre("2|wrong_output|1"));
  EXPECT_THAT(Rows(database, "SELECT rank, node FROM leaderboard ORDER BY 1"),
              ElementsAre("1|1", "2|0"));
}

// The event table is made anew: nothing is lost, and it takes the new kind.
TEST_F(Format1Test, ItsHistoryGoesOn) {
  Database database = Open();
  EXPECT_THAT(Rows(database, "SELECT count(*), max(event_id) FROM event"),
              ElementsAre("9|9"));
  Must(Nodes(database).AddEvaluation(
      CampaignId{1}, NodeId{1}, EvaluationOf(Verdict::kCrashed, {}), 2000.0));
  EXPECT_THAT(Rows(database,
                   "SELECT kind, subject, detail FROM event"
                   " WHERE event_id > 9"),
              ElementsAre("evaluated|1|", "quarantined|1|crashed"));
  EXPECT_THAT(Rows(database, "SELECT rank, node FROM leaderboard"),
              ElementsAre("1|0"));
}

// The evaluation table is made anew: what referred to it still does, and it
// takes what is of no node.
TEST(Format2Test, ItsEvaluationsGoOn) {
  const OldFile old(2);
  Database database = Must(Database::Open(old.path(), Access::kReadWrite));
  EXPECT_THAT(Rows(database,
                   "SELECT node, ordinal, tier, verdict,"
                   " round(speedup, 2) FROM evaluations"),
              ElementsAre("0|0|fast|passed|1", "1|0|fast|passed|4.74",
                          "1|1|full|inconclusive|-", "2|0|fast|passed|4.11",
                          "2|1|full|inconclusive|-", "3|0|fast|passed|0.99",
                          "3|1|full|passed|1.07", "3|2|full|wrong_output|-"));
  EXPECT_THAT(Rows(database,
                   "SELECT count(*), count(device_s), count(profile_blob)"
                   " FROM evaluation"),
              ElementsAre("8|7|5"));
  EXPECT_THAT(Rows(database, "SELECT node, verdict, ordinal FROM quarantined"),
              ElementsAre("3|wrong_output|2"));
  Must(AddBaselineEvaluation(database, CampaignId{1}, kExpertBaseline,
                             EvaluationOf(Verdict::kPassed, 0.5), 2000.0));
  EXPECT_THAT(Rows(database, "SELECT speedup, best_node FROM experts"),
              ElementsAre("8|-"));
}

// Its expert becomes a baseline of that name; what was cut is counted once.
TEST(Format3Test, ItsExpertIsABaseline) {
  const OldFile old(3);
  Database database = Must(Database::Open(old.path(), Access::kReadWrite));
  EXPECT_THAT(
      Rows(database, "SELECT baseline, count(*) FROM evaluations GROUP BY 1"),
      ElementsAre("-|6", "expert|1"));
  EXPECT_THAT(Rows(database,
                   "SELECT baseline, verdict, best_over_baseline,"
                   " (SELECT best_over_expert FROM experts) FROM baselines"),
              ElementsAre("expert|passed|0.5|0.5"));
  Must(AddBaselineEvaluation(database, CampaignId{1}, "torch",
                             EvaluationOf(Verdict::kPassed, 0.5), 2000.0));
  EXPECT_THAT(Rows(database, "SELECT baseline FROM baselines ORDER BY 1"),
              ElementsAre("expert", "torch"));
  EXPECT_THAT(
      Rows(database, "SELECT cost_usd, unsettled_usd FROM improvement_costs"),
      ElementsAre("0.125|0.375"));
}

}  // namespace
}  // namespace coppice::store
