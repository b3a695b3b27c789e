#include "store/migration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>

#include "store/care/maintenance.h"
#include "store/connection.h"
#include "store/records/evaluation.h"
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

  // As on opening: before anything is sealed.
  Result<void> Take(std::span<const Migration> steps) {
    const std::string path = directory_.File("x.db").string();
    Connection connection(SQLite::Database(path, SQLite::OPEN_READWRITE), path,
                          std::make_shared<Waiting>(path, nullptr));
    return Migrate(connection, steps);
  }
  std::string Version() { return Rows(database_, "PRAGMA user_version")[0]; }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_{};
};

constexpr std::int64_t kNext = kFormatVersion + 1;
constexpr Migration::Reading kNoted[] = {
    {"campaign", "SELECT *, 'none' AS note FROM before.campaign"}};
constexpr Migration kAddColumn = {
    kNext, "ALTER TABLE campaign ADD COLUMN note TEXT NOT NULL DEFAULT 'none'",
    kNoted};
// A table, and once more a column of the other.
constexpr Migration::Reading kDevices[] = {
    {"device", "SELECT 'gpu0' AS name"},
    {"campaign", "SELECT *, note || '!' AS remark FROM before.campaign"}};
constexpr Migration kAddTable = {kNext + 1,
                                 "CREATE TABLE device (name TEXT) STRICT;"
                                 "INSERT INTO device VALUES ('gpu0');"
                                 "ALTER TABLE campaign ADD COLUMN remark TEXT;"
                                 "UPDATE campaign SET remark = note || '!'",
                                 kDevices};

TEST_F(MigrationTest, StepsAreTakenInOrderAndKeepTheData) {
  const std::array steps = {kAddColumn, kAddTable};
  Must(Take(steps));
  EXPECT_EQ(Version(), std::to_string(kNext + 1));
  EXPECT_THAT(Rows(database_, "SELECT name, note FROM campaign"),
              ElementsAre("a|none"));
  EXPECT_THAT(Rows(database_, "SELECT name FROM device"), ElementsAre("gpu0"));
}

TEST_F(MigrationTest, StepsThatWereTakenAreNotTakenAgain) {
  const std::array steps = {kAddColumn, kAddTable};
  Must(Take(std::span(steps).first(1)));
  EXPECT_EQ(Version(), std::to_string(kNext));
  Must(Take(steps));
  Must(Take(steps));
  EXPECT_EQ(Version(), std::to_string(kNext + 1));
  EXPECT_THAT(Rows(database_, "SELECT name FROM device"), ElementsAre("gpu0"));
}

TEST_F(MigrationTest, AFailingStepLeavesTheFormatBeforeIt) {
  const std::array steps = {
      kAddColumn,
      Migration{kNext + 1, "CREATE TABLE device (name TEXT) STRICT; nonsense"}};
  EXPECT_FALSE(Take(steps).has_value());
  EXPECT_EQ(Version(), std::to_string(kNext));
  EXPECT_THAT(
      Rows(database_, "SELECT name FROM sqlite_schema WHERE name = 'device'"),
      ElementsAre());
}

TEST_F(MigrationTest, AStepThatBreaksAReferenceIsUndone) {
  const std::array steps = {Migration{kNext, "DELETE FROM blob"}};
  const auto done = Take(steps);
  ASSERT_FALSE(done.has_value());
  EXPECT_THAT(done.error().what, HasSubstr("would break a reference"));
  EXPECT_EQ(Version(), std::to_string(kFormatVersion));
}

TEST_F(MigrationTest, AGapIsAnError) {
  const std::array steps = {kAddTable};
  EXPECT_FALSE(Take(steps).has_value());
  EXPECT_EQ(Version(), std::to_string(kFormatVersion));
}

// Whatever is asked of an older file has the answer that it has of a migrated
// one, and not a byte of it has changed.
TEST_F(MigrationTest, AnOlderFileIsReadAsIfTheStepsHadBeenTaken) {
  const std::array steps = {kAddColumn, kAddTable};
  Grow(database_, campaign_, kRootNode, {.runtime_s = 2.0});
  const auto copy = directory_.File("copy.db");
  Must(Backup(database_, copy));
  const auto bytes = [&copy] {
    std::ifstream in(copy, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  const std::string before = bytes();
  Must(Take(steps));
  Database old = Must(Database::Open(copy, Access::kReadOnly));
  Must(ReadForward(old.connection(), steps));
  for (const char* sql :
       {"SELECT name, note, remark FROM campaign", "SELECT name FROM device",
        "SELECT node, verdict, runtime_s FROM nodes",
        "SELECT decision, node, policy FROM attempts",
        "SELECT campaign, attempts, best_speedup FROM improvement_costs",
        "SELECT campaign, node, speedup FROM trials"}) {
    EXPECT_EQ(Rows(old, sql), Rows(database_, sql)) << sql;
  }
  EXPECT_EQ(Must(Fingerprint(old, campaign_)),
            Must(Fingerprint(database_, campaign_)));
  EXPECT_THAT(Must(Diagnose(old)), IsEmpty());
  EXPECT_THAT(Rows(old, "PRAGMA user_version"),
              ElementsAre(std::to_string(kFormatVersion)));
  EXPECT_EQ(bytes(), before);
}

TEST_F(MigrationTest, AStepWithoutReadingsMustBeTaken) {
  constexpr Migration kMute = {kNext + 1, "DROP TABLE claim"};
  const std::array steps = {kAddColumn, kMute};
  const auto read = ReadForward(database_.connection(), steps);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, Errc::kUsage);
  EXPECT_THAT(read.error().what, HasSubstr("`coppice db compact`"));
}

TEST_F(MigrationTest, TheStepsOfThisProgramLeadFromFormat1ToItsOwn) {
  std::int64_t version = 1;
  for (const Migration& step : Migrations()) {
    EXPECT_EQ(step.to_version, ++version);
  }
  EXPECT_EQ(version, kFormatVersion);
}

// The first of them is that which made the file's own format.
TEST_F(MigrationTest, AFileIsReadByTheStepsThatItHasNotTaken) {
  constexpr Migration kTaken = {kFormatVersion, "DROP TABLE claim"};
  const std::array steps = {kTaken, kAddColumn, kAddTable};
  const auto copy = directory_.File("copy.db");
  Must(Backup(database_, copy));
  Database old = Must(Database::Open(copy, Access::kReadOnly));
  Must(ReadForward(old.connection(), steps));
  EXPECT_THAT(Rows(old, "SELECT note, remark FROM campaign"),
              ElementsAre("none|none!"));
}

}  // namespace
}  // namespace coppice::store
