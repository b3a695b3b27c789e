#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class DbTest : public ::testing::Test, protected Rehearsal {};

TEST_F(DbTest, DoctorFindsASoundFileSound) {
  const Said said = Say({"db", "doctor"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_EQ(said.out, Path() + ": sound\n");
}

// What it finds here, a sandbox and a compiler, other tests need as well.
TEST_F(DbTest, DoctorLooksAtTheMachineWithoutADatabase) {
  surroundings.environment["COPPICE_CACHE_DIRECTORY"] = File("cache").string();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"db", "doctor", "--machine"},
        {"doctor", "--machine"}}) {
    const Said said = SayBare(words);
    EXPECT_EQ(said.exit, Exit::kDone) << said.err;
    EXPECT_THAT(said.out, HasSubstr("\nsandbox       yes"));
    EXPECT_THAT(said.out, HasSubstr("\nGPU"));
  }
  const auto json = nlohmann::json::parse(
      SayBare({"db", "doctor", "--machine", "--json"}).out);
  EXPECT_EQ(json["can_run"], true);
  EXPECT_EQ(json["machine"][1]["part"], "C++ compiler");
  EXPECT_EQ(SayBare({"db", "doctor", "--machine", "--repair"}).exit,
            Exit::kUsage);
}

TEST_F(DbTest, DoctorWithoutAFileSaysWhatElseThereIs) {
  const Said said = SayBare({"db", "doctor", "--db", File("no.db").string()});
  EXPECT_THAT(said.err, HasSubstr("no such file; --machine looks at this "
                                  "machine"));
}

TEST_F(DbTest, DoctorListsWhatIsWrongAndFails) {
  store::Damage(Path(), "UPDATE campaign SET nodes = 9");
  const Said said = Say({"db", "doctor"});
  EXPECT_EQ(said.exit, Exit::kFailure);
  EXPECT_EQ(said.out,
            "rows of campaign (campaign_id 0 to 63) are not as coppice wrote "
            "them\ncampaign a counts 9 nodes but has 4\n");
  EXPECT_THAT(said.err, HasSubstr(Path() + ": 2 findings;"));
  const auto json = nlohmann::json::parse(Say({"db", "doctor", "--json"}).out);
  EXPECT_EQ(json["sound"], false);
  EXPECT_EQ(json["findings"].size(), 2u);
}

TEST_F(DbTest, DoctorRepairsAndSaysWhatItDid) {
  store::Damage(Path(), "UPDATE campaign SET nodes = 9");
  EXPECT_THAT(Say({"db", "doctor"}).err,
              HasSubstr("`coppice db doctor --repair` mends"));
  const Said said = Say({"db", "doctor", "--repair"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_EQ(said.out, "repaired: campaign a counts 9 nodes but has 4\n" +
                          Path() + ": sound\n");
  EXPECT_EQ(Say({"db", "doctor", "--repair"}).out, Path() + ": sound\n");
}

TEST_F(DbTest, DoctorSaysWhatCannotBeRepaired) {
  store::Damage(Path(), "UPDATE blob SET bytes = x'00' WHERE blob_id = 2");
  const Said said = Say({"db", "doctor", "--repair"});
  EXPECT_EQ(said.exit, Exit::kFailure);
  EXPECT_THAT(said.err, HasSubstr("restore a backup, or take the rows as they "
                                  "are: `coppice db doctor --repair"));
}

TEST_F(DbTest, DoctorTakesRowsAsTheyAreIfToldTo) {
  store::Damage(Path(), "UPDATE campaign SET nodes = 9, policy = 'mine'");
  EXPECT_EQ(Say({"db", "doctor", "--repair"}).exit, Exit::kFailure);
  const Said said = Say({"db", "doctor", "--repair", "--reseal"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_EQ(said.out,
            "repaired: campaign a counts 9 nodes but has 4\n"
            "sealed anew: rows of campaign (campaign_id 0 to 63)\n" +
                Path() + ": sound\n");
  EXPECT_EQ(Say({"db", "doctor"}).exit, Exit::kDone);
}

TEST_F(DbTest, ABackupHasTheSameTree) {
  const std::string copy = File("copy.db").string();
  EXPECT_EQ(Say({"db", "backup", copy}).exit, Exit::kDone);
  const Said of_copy = SayBare({"db", "fingerprint", copy});
  EXPECT_THAT(of_copy.out, MatchesRegex("[0-9a-f]{64}\n"));
  EXPECT_EQ(of_copy.out, Say({"db", "fingerprint"}).out);
}

TEST_F(DbTest, ABackupReplacesNothing) {
  const Said said = Say({"db", "backup", Path()});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_THAT(said.err, HasSubstr("exists already"));
}

TEST_F(DbTest, APlainBackupHasTextsInItsTables) {
  const std::string copy = File("plain.db").string();
  EXPECT_EQ(Say({"db", "backup", "--plain", copy}).exit, Exit::kDone);
  EXPECT_THAT(SayBare({"tree", "--db", copy}).err,
              HasSubstr("another program"));
}

TEST_F(DbTest, CompactingKeepsTheTree) {
  const std::string before = Say({"db", "fingerprint"}).out;
  const Said said = Say({"db", "compact"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_THAT(said.err, HasSubstr(" bytes before, "));
  EXPECT_EQ(Say({"db", "fingerprint"}).out, before);
  EXPECT_EQ(Say({"db", "doctor"}).exit, Exit::kDone);
}

TEST_F(DbTest, FingerprintsOfSeveralCampaignsHaveNames) {
  const std::string alone = Say({"db", "fingerprint"}).out;
  store::Plant(database(), "b");
  EXPECT_THAT(Say({"db", "fingerprint"}).out,
              MatchesRegex("[0-9a-f]{64}  a\n[0-9a-f]{64}  b\n"));
  EXPECT_EQ(Say({"db", "fingerprint", "--campaign", "a"}).out, alone);
}

// Two machines played two seeds each: together they are as if one had played
// all four.
TEST_F(DbTest, ScoresOfOtherFilesAreMergedEachOnce) {
  const auto play = [&](const char* name, const char* seed, const char* seeds) {
    const std::string file = File(name).string();
    EXPECT_EQ(SayBare({"compare", file, "--in-memory", "--policies",
                       "stark,greedy", "--tasks", "sim:hill/1", "--budget", "4",
                       "--seed", seed, "--seeds", seeds})
                  .exit,
              Exit::kDone);
    return file;
  };
  const std::string one = play("one.db", "1", "2");
  const std::string two = play("two.db", "3", "2");
  const std::string all = play("all.db", "1", "4");
  const Said said = SayBare({"db", "merge", two, "--db", one});
  EXPECT_EQ(said.exit, Exit::kDone) << said.err;
  EXPECT_EQ(said.err, two + ": 4 scores in memory, 4 of them new\n");
  EXPECT_EQ(SayBare({"db", "fingerprint", one}).out,
            SayBare({"db", "fingerprint", all}).out);
  EXPECT_EQ(SayBare({"db", "merge", two, "--db", one}).err,
            two + ": 4 scores in memory, 0 of them new\n");
}

TEST_F(DbTest, OnlyScoresInMemoryAreMerged) {
  const std::string into = File("into.db").string();
  const Said said = SayBare({"db", "merge", Path(), "--db", into});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_THAT(said.err, HasSubstr(Path() + ": holds no campaigns in memory"));
  EXPECT_EQ(SayBare({"db", "merge", File("no.db").string(), "--db", into}).exit,
            Exit::kUsage);
  EXPECT_FALSE(std::filesystem::exists(into));
  EXPECT_EQ(Say({"db", "merge", Path()}).err,
            "coppice db merge: " + Path() + ": is the file to merge into\n");
}

TEST_F(DbTest, DoctorOfAMachineMendsNoFile) {
  for (const char* option : {"--repair", "--reseal"}) {
    EXPECT_EQ(Say({"db", "doctor", "--machine", option}).err,
              "coppice db doctor: --machine: looks at no database, so nothing "
              "is repaired\n");
  }
}

}  // namespace
}  // namespace coppice::cli
