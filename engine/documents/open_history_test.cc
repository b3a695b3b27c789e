#include "engine/documents/open_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/cli/cli_fixture.h"
#include "store/records/evaluation.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class OpenHistoryTest : public ::testing::Test, protected Rehearsal {
 protected:
  // What `coppice tree`, which shows one campaign, complains of.
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

TEST_F(OpenHistoryTest, TheOnlyCampaignNeedsNoName) {
  EXPECT_EQ(Say({"tree"}).exit, Exit::kDone);
}

TEST_F(OpenHistoryTest, OfSeveralCampaignsTheLastIsShownAndNamed) {
  store::Plant(database(), "b");
  const Said of_b = Say({"tree"});
  EXPECT_EQ(of_b.exit, Exit::kDone);
  EXPECT_EQ(of_b.out, "0 root  1x = 4.00 s  best\n");
  EXPECT_EQ(of_b.err, "campaign b, the last of 2; --campaign chooses\n");
  store::Grow(database(), campaign(), kRootNode, {.source = "new"});
  EXPECT_EQ(Say({"tree"}).err,
            "campaign a, the last of 2; --campaign chooses\n");
  const Said named = Say({"tree", "--campaign", "b"});
  EXPECT_EQ(named.out, of_b.out);
  EXPECT_EQ(named.err, "");
}

// Each verb of one campaign, and those of all that may be asked of one.
TEST_F(OpenHistoryTest, EveryVerbTakesTheLastOrAPartOfAName) {
  store::Plant(database(), "gemv.stark.s1");
  store::Grow(database(), campaign(), kRootNode, {.source = "new"});
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"show", "1"},
                                             {"tree"},
                                             {"diff", "1", "3"},
                                             {"export", "best"},
                                             {"tree", "--json"},
                                             {"show", "1", "--json"}}) {
    const Said said = Say(words);
    EXPECT_EQ(said.exit, Exit::kDone) << said.err;
    EXPECT_NE(said.out, "");
    EXPECT_THAT(said.err,
                StartsWith("campaign a, the last of 2; --campaign chooses\n"));
  }
  for (std::vector<std::string> words : std::vector<std::vector<std::string>>{
           {"show", "0"}, {"best"}, {"status"}, {"spend"}, {"fingerprint"}}) {
    words.insert(words.end(), {"--campaign", "stark"});
    const Said said = Say(words);
    EXPECT_EQ(said.exit, Exit::kDone) << said.err;
    EXPECT_THAT(said.err, Not(HasSubstr("the last of")));
  }
}

TEST_F(OpenHistoryTest, APartOfANameIsEnoughIfItIsOfOne) {
  for (const char* name : {"gemm.xei_b.s1", "gemm.xei_b.s10", "cuda_gemm.s1",
                           "gemm_nt.stark.s1"}) {
    store::Plant(database(), name);
  }
  const auto named = [&](const std::string& part) {
    return Say({"status", "--json", "--campaign", part}).out;
  };
  EXPECT_THAT(named("gemm.xei_b.s1"), HasSubstr("\"gemm.xei_b.s1\""));
  EXPECT_THAT(named("cuda"), HasSubstr("\"cuda_gemm.s1\""));
  EXPECT_THAT(named("stark"), HasSubstr("\"gemm_nt.stark.s1\""));
  // It begins one, and is within another.
  EXPECT_THAT(named("gemm_nt"), HasSubstr("\"gemm_nt.stark.s1\""));
  store::Plant(database(), "my_gemm_nt.s1");
  EXPECT_THAT(named("gemm_nt"), HasSubstr("\"gemm_nt.stark.s1\""));
  EXPECT_EQ(Complaint(Path(), {"--campaign", "gemm.xei"}),
            "coppice tree: " + Path() +
                ": 'gemm.xei' is a part of 2 campaigns' names: gemm.xei_b.s1, "
                "gemm.xei_b.s10\n");
  store::Plant(database(), "attention.stark.s1");
  EXPECT_EQ(Complaint(Path(), {"--campaign", "s1"}),
            "coppice tree: " + Path() +
                ": 's1' is a part of 6 campaigns' names: gemm.xei_b.s1, "
                "gemm.xei_b.s10, cuda_gemm.s1, gemm_nt.stark.s1, "
                "my_gemm_nt.s1, ...\n");
}

TEST_F(OpenHistoryTest, AnUnknownCampaignGetsTheNearestName) {
  store::Plant(database(), "gemv.stark.s1");
  EXPECT_EQ(Complaint(Path(), {"--campaign", "gemv.strak.s1"}),
            "coppice tree: " + Path() +
                ": no campaign 'gemv.strak.s1'; did you mean "
                "'gemv.stark.s1'?\n");
}

TEST_F(OpenHistoryTest, ADatabaseWithoutCampaignsSaysSo) {
  store::NewFile(File("new.db"));
  EXPECT_THAT(Complaint(File("new.db").string()),
              HasSubstr("holds no campaign yet"));
}

TEST_F(OpenHistoryTest, NothingIsCreatedByLooking) {
  const std::string absent = File("absent.db").string();
  EXPECT_EQ(Complaint(absent), "coppice tree: " + absent + ": no such file\n");
  EXPECT_FALSE(std::filesystem::exists(absent));
}

TEST_F(OpenHistoryTest, NodesGoByNumberOrByTheirPlace) {
  EXPECT_EQ(Say({"show", "root", "--source"}).out, "root kernel");
  EXPECT_EQ(Say({"show", "0", "--source"}).out, "root kernel");
  EXPECT_EQ(Say({"show", "best", "--source"}).out, "one\nthree\n");
}

TEST_F(OpenHistoryTest, AnUnknownNodeSaysWhichThereAre) {
  const Said said = Say({"show", "4"});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_EQ(said.err, "coppice show: a: no node 4; it has 4, counted from 0\n");
  EXPECT_EQ(Say({"show", "x"}).err,
            "coppice show: 'x' is no node: expected a number, root or "
            "best\n");
}

TEST_F(OpenHistoryTest, ARefutedNodeIsNotBest) {
  store::Must(store::Nodes(database())
                  .AddEvaluation(
                      campaign(), NodeId{3},
                      store::EvaluationOf(Verdict::kWrongOutput, std::nullopt),
                      2000.0));
  EXPECT_EQ(Say({"show", "best", "--source"}).out, "one\ntwo\n");
}

}  // namespace
}  // namespace coppice::cli
