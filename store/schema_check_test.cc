#include "store/schema_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/connection.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SchemaCheckTest : public ::testing::Test {
 protected:
  std::vector<std::string> After(const std::string& sql) {
    const auto path = directory_.File(std::to_string(++files_) + ".db");
    { NewFile(path); }
    Damage(path, sql);
    Database database = Must(Database::Open(path, Access::kReadOnly));
    return FindStrange(database.connection());
  }
  // SQLite itself lets nobody have such a name.
  static std::string Renamed(const std::string& from, const std::string& to) {
    const std::string names = "'" + from + "', '" + to + "')";
    return "; PRAGMA writable_schema = ON; UPDATE sqlite_schema SET"
           " name = replace(name, " +
           names + ", tbl_name = replace(tbl_name, " + names +
           ", sql = replace(sql, " + names;
  }
  // In the text of an object.
  std::vector<std::string> AfterReplacing(const std::string& name,
                                          const std::string& from,
                                          const std::string& to) {
    return After(
        "PRAGMA writable_schema = ON;"
        "UPDATE sqlite_schema SET sql = replace(sql, '" +
        from + "', '" + to + "') WHERE name = '" + name + "'");
  }

  ScratchDirectory directory_;
  int files_ = 0;
};

TEST_F(SchemaCheckTest, WhatCoppiceMakesIsNotStrange) {
  EXPECT_THAT(After(""), IsEmpty());
  EXPECT_THAT(After("ANALYZE"), IsEmpty());
}

TEST_F(SchemaCheckTest, OnlyThePlannersStatisticsAreExempt) {
  EXPECT_THAT(After("CREATE UNIQUE INDEX claims_once ON event (campaign_id)" +
                    Renamed("claims_once", "sqlite_stat_x")),
              ElementsAre("index sqlite_stat_x is none of coppice's"));
  EXPECT_THAT(
      After("CREATE TABLE other (x)" + Renamed("other", "sqlite_stat1")),
      ElementsAre("table sqlite_stat1 is none of coppice's"));
  EXPECT_THAT(
      After("CREATE VIEW other AS SELECT 1" + Renamed("other", "sqlite_stat4")),
      ElementsAre("view sqlite_stat4 is none of coppice's"));
}

TEST_F(SchemaCheckTest, CommentsAndSpacesMayDiffer) {
  EXPECT_THAT(AfterReplacing("campaign", "-- As JSON.", "-- in JSON"),
              IsEmpty());
  EXPECT_THAT(AfterReplacing("claims", "SELECT", "SELECT\n "), IsEmpty());
}

TEST_F(SchemaCheckTest, WordsMayNot) {
  EXPECT_THAT(AfterReplacing("campaign", "task_level >= 0", "task_level >= 1"),
              ElementsAre("table campaign is not as coppice defines it"));
  EXPECT_THAT(AfterReplacing("node_undecided", "= 7", "= 6"),
              ElementsAre("index node_undecided is not as coppice defines it"));
  // Two spaces in a text are not one.
  EXPECT_THAT(AfterReplacing("nodes", "''-''", "''  ''"),
              ElementsAre("view nodes is not as coppice defines it"));
}

TEST_F(SchemaCheckTest, WhatIsMissingAndWhatIsAdded) {
  EXPECT_THAT(After("DROP VIEW claims; CREATE TABLE claims (x)"),
              ElementsAre("table claims is none of coppice's",
                          "view claims is missing"));
}

TEST_F(SchemaCheckTest, NamesOfStoredNumbers) {
  EXPECT_THAT(After("UPDATE verdict SET name = 'pasSed' WHERE verdict = 0"),
              ElementsAre("the names in table verdict are not coppice's"));
  EXPECT_THAT(After("INSERT INTO stage VALUES (9, 'x')"),
              ElementsAre("the names in table stage are not coppice's"));
}

}  // namespace
}  // namespace coppice::store
