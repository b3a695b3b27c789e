#include "engine/cli/looking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/cli/rehearsal.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

class LookingTest : public ::testing::Test, protected Rehearsal {
 protected:
  // Of `coppice tree`, which needs one campaign.
  std::string Complaint(const std::string& file,
                        const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"tree", "--db", file};
    words.insert(words.end(), more.begin(), more.end());
    const Said said = SayBare(words);
    EXPECT_EQ(said.exit, Exit::kUsage);
    EXPECT_EQ(said.out, "");
    return said.err;
  }
};

TEST_F(LookingTest, TheOnlyCampaignNeedsNoName) {
  EXPECT_EQ(Say({"tree"}).exit, Exit::kDone);
}

TEST_F(LookingTest, OfSeveralCampaignsOneMustBeNamed) {
  Plant(database(), "b");
  EXPECT_EQ(Complaint(Path()),
            "coppice tree: " + Path() +
                ": holds 2 campaigns; choose with --campaign NAME (`coppice "
                "status` lists them)\n");
  EXPECT_EQ(Say({"tree", "--campaign", "b"}).exit, Exit::kDone);
}

TEST_F(LookingTest, AnUnknownCampaignGetsTheNearestName) {
  Plant(database(), "gemv.stark.s1");
  EXPECT_EQ(Complaint(Path(), {"--campaign", "gemv.strak.s1"}),
            "coppice tree: " + Path() +
                ": no campaign 'gemv.strak.s1'; did you mean "
                "'gemv.stark.s1'?\n");
}

TEST_F(LookingTest, ADatabaseWithoutCampaignsSaysSo) {
  store::NewFile(File("new.db"));
  EXPECT_THAT(Complaint(File("new.db").string()),
              HasSubstr("holds no campaign yet"));
}

TEST_F(LookingTest, NothingIsCreatedByLooking) {
  const std::string absent = File("absent.db").string();
  EXPECT_EQ(Complaint(absent), "coppice tree: " + absent + ": no such file\n");
  EXPECT_FALSE(std::filesystem::exists(absent));
}

TEST_F(LookingTest, NodesGoByNumberOrByTheirPlace) {
  EXPECT_EQ(Say({"show", "root", "--source"}).out, "root kernel");
  EXPECT_EQ(Say({"show", "0", "--source"}).out, "root kernel");
  EXPECT_EQ(Say({"show", "best", "--source"}).out, "one\nthree\n");
}

TEST_F(LookingTest, AnUnknownNodeSaysWhichThereAre) {
  const Said said = Say({"show", "4"});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_EQ(said.err, "coppice show: a: no node 4; it has 4, counted from 0\n");
  EXPECT_EQ(Say({"show", "x"}).err,
            "coppice show: 'x' is no node: expected a number, root or "
            "best\n");
}

TEST_F(LookingTest, ARefutedNodeIsNotBest) {
  store::Must(store::Nodes(database())
                  .AddEvaluation(
                      campaign(), NodeId{3},
                      store::EvaluationOf(Verdict::kWrongOutput, std::nullopt),
                      2000.0));
  EXPECT_EQ(Say({"show", "best", "--source"}).out, "one\ntwo\n");
}

}  // namespace
}  // namespace coppice::cli
