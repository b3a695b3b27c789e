#include "store/migration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>

#include "store/connection.h"
#include "store/schema.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

}  // namespace
}  // namespace coppice::store
