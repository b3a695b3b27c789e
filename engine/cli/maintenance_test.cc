#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/cli/rehearsal.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class MaintenanceTest : public ::testing::Test, protected Rehearsal {};

TEST_F(MaintenanceTest, DoctorFindsASoundFileSound) {
  const Said said = Say({"doctor"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_EQ(said.out, Path() + ": sound\n");
}

TEST_F(MaintenanceTest, DoctorListsWhatIsWrongAndFails) {
  store::Damage(Path(), "UPDATE campaign SET nodes = 9");
  const Said said = Say({"doctor"});
  EXPECT_EQ(said.exit, Exit::kFailure);
  EXPECT_THAT(said.out, HasSubstr("nodes"));
  EXPECT_THAT(said.err, HasSubstr(Path() + ": 1 finding;"));
  const auto json = nlohmann::json::parse(Say({"doctor", "--json"}).out);
  EXPECT_EQ(json["sound"], false);
  EXPECT_EQ(json["findings"].size(), 1u);
}

TEST_F(MaintenanceTest, ABackupHasTheSameTree) {
  const std::string copy = File("copy.db").string();
  EXPECT_EQ(Say({"backup", copy}).exit, Exit::kDone);
  const Said of_copy = SayBare({"fingerprint", copy});
  EXPECT_THAT(of_copy.out, MatchesRegex("[0-9a-f]{64}\n"));
  EXPECT_EQ(of_copy.out, Say({"fingerprint"}).out);
}

TEST_F(MaintenanceTest, ABackupReplacesNothing) {
  const Said said = Say({"backup", Path()});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_THAT(said.err, HasSubstr("exists already"));
}

TEST_F(MaintenanceTest, APlainBackupHasTextsInItsTables) {
  const std::string copy = File("plain.db").string();
  EXPECT_EQ(Say({"backup", "--plain", copy}).exit, Exit::kDone);
  EXPECT_THAT(SayBare({"tree", "--db", copy}).err,
              HasSubstr("another program"));
}

TEST_F(MaintenanceTest, CompactingKeepsTheTree) {
  const std::string before = Say({"fingerprint"}).out;
  const Said said = Say({"compact"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_THAT(said.err, HasSubstr(" bytes before, "));
  EXPECT_EQ(Say({"fingerprint"}).out, before);
  EXPECT_EQ(Say({"doctor"}).exit, Exit::kDone);
}

TEST_F(MaintenanceTest, FingerprintsOfSeveralCampaignsHaveNames) {
  const std::string alone = Say({"fingerprint"}).out;
  store::Plant(database(), "b");
  EXPECT_THAT(Say({"fingerprint"}).out,
              MatchesRegex("[0-9a-f]{64}  a\n[0-9a-f]{64}  b\n"));
  EXPECT_EQ(Say({"fingerprint", "--campaign", "a"}).out, alone);
}

}  // namespace
}  // namespace coppice::cli
