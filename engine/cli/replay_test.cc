#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

// The rehearsal's decisions say "exploit: best eligible", which is no reason
// that a policy gives.
class ReplayVerbTest : public ::testing::Test, protected Rehearsal {};

TEST_F(ReplayVerbTest, TheFirstDifferenceIsNamedAndFails) {
  const Said said = SayBare({"replay", Path(), "--check"});
  EXPECT_EQ(said.exit, Exit::kFailure);
  EXPECT_THAT(said.out, HasSubstr("a: decision 0 took node 0 (exploit: best "
                                  "eligible), made again it takes node 0 ("));
}

TEST_F(ReplayVerbTest, JsonSaysHowManyAgree) {
  const auto json = nlohmann::json::parse(Say({"replay", "--json"}).out);
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["campaign"], "a");
  EXPECT_EQ(json[0]["agreeing"], 0);
  EXPECT_THAT(json[0]["difference"].get<std::string>(),
              HasSubstr("decision 0"));
}

TEST_F(ReplayVerbTest, WithoutCheckEveryDecisionIsListed) {
  const Said said = Say({"replay"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_THAT(said.out, HasSubstr("decision  seen  in flight  node  agrees"));
  EXPECT_EQ(std::count(said.out.begin(), said.out.end(), '\n'), 4);
}

// Two of the rehearsal's three decisions were for the root and one for node 1.
// Best-of-K takes the root each time.
TEST_F(ReplayVerbTest, AnotherPolicysChoicesAreCountedByKindOfNode) {
  const Said said = Say({"replay", "--policy", "best_of_k"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_EQ(said.out,
            "what best_of_k would have chosen, from what was seen then\n"
            "\n"
            "decided by  for a node  decisions  same node  agrees  takes root"
            "  passing  failing\n"
            "stark       root                2          2   100 %           2"
            "        0        0\n"
            "            passing             1          0     0 %           1"
            "        0        0\n"
            "            failing             0          0       -           0"
            "        0        0\n"
            "            any                 3          2    67 %           3"
            "        0        0\n");
  const auto json = nlohmann::json::parse(
      Say({"replay", "--policy", "best_of_k", "--json"}).out);
  EXPECT_EQ(json["policy"], "best_of_k");
  EXPECT_EQ(json["decisions"][1]["kind"], "passing");
  EXPECT_EQ(json["decisions"][1]["instead"]["root"], 1);
}

TEST_F(ReplayVerbTest, OnlyKnownPoliciesAreAskedAndNoneIsChecked) {
  EXPECT_THAT(Say({"replay", "--policy", "strak"}).err,
              HasSubstr("did you mean stark?"));
  EXPECT_THAT(Say({"replay", "--policy", "stark", "--check"}).err,
              HasSubstr("--check or --policy, not both"));
}

TEST_F(ReplayVerbTest, AnUnknownCampaignIsNamed) {
  const Said said = Say({"replay", "--check", "--campaign", "b"});
  EXPECT_NE(said.exit, Exit::kDone);
  EXPECT_THAT(said.err, HasSubstr("b"));
}

// A policy of the user's writes its reasons itself.
TEST_F(ReplayVerbTest, AReasonCannotSteerTheTerminal) {
  store::Change(database(),
                "UPDATE attempt SET reason = 'the' || char(10) || 'best' ||"
                " char(27) || '[2J'");
  const Said said = Say({"replay", "--check"});
  EXPECT_THAT(said.out, HasSubstr("took node 0 (the best?[2J), made again"));
  EXPECT_EQ(std::count(said.out.begin(), said.out.end(), '\n'), 1);
  EXPECT_THAT(Say({"replay"}).out, HasSubstr("the best?[2J\n"));
  const auto json = nlohmann::json::parse(Say({"replay", "--json"}).out);
  EXPECT_THAT(json[0]["difference"].get<std::string>(),
              HasSubstr("(the\nbest\033[2J)"));
}

TEST_F(ReplayVerbTest, EachCampaignIsCheckedOrTheOneThatIsNamed) {
  store::Plant(database(), "b");
  const auto json = nlohmann::json::parse(Say({"replay", "--json"}).out);
  ASSERT_EQ(json.size(), 2u);
  // Nothing was decided in b, and nothing differs.
  EXPECT_EQ(json[1]["campaign"], "b");
  EXPECT_EQ(json[1]["agreeing"], 0);
  EXPECT_EQ(json[1]["difference"], nullptr);
  const Said said = Say({"replay", "--check", "--campaign", "b"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_EQ(said.out, "b: all 0 decisions agree\n");
  EXPECT_EQ(Say({"replay", "--check"}).exit, Exit::kFailure);
}

// What really was decided is decided again, by the same seed.
TEST_F(ReplayVerbTest, ACampaignThatRanAgreesWithItself) {
  Install();
  SayIn("new.db", {"run", "sim:basic", "--budget", "5", "--name", "c",
                   "--progress", "none"});
  const Said said = SayIn("new.db", {"replay", "--check"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_EQ(said.out, "c: all 5 decisions agree\n");
  const std::string list = SayIn("new.db", {"replay"}).out;
  EXPECT_THAT(list, HasSubstr("\n       0     1          0     0  yes     "));
  EXPECT_THAT(list, ::testing::Not(HasSubstr("  no  ")));
  const auto json =
      nlohmann::json::parse(SayIn("new.db", {"replay", "--json"}).out);
  EXPECT_EQ(json[0]["agreeing"], 5);
  EXPECT_EQ(json[0]["difference"], nullptr);
}

// The third decision is told to have taken what it did not: those before it
// agree, and of those after it nothing is said.
TEST_F(ReplayVerbTest, WhatIsCountedAgreesBeforeTheFirstDifference) {
  Install();
  SayIn("new.db", {"run", "sim:basic", "--budget", "5", "--name", "c",
                   "--progress", "none"});
  auto file = store::Must(
      store::Database::Open(File("new.db"), store::Access::kReadWrite));
  store::Change(file, "UPDATE attempt SET reason = 'so' WHERE decision >= 2");
  const auto json =
      nlohmann::json::parse(SayIn("new.db", {"replay", "--json"}).out);
  EXPECT_EQ(json[0]["agreeing"], 2);
  EXPECT_THAT(json[0]["difference"].get<std::string>(),
              ::testing::StartsWith("decision 2 took node 0 (so), made again"));
  EXPECT_EQ(SayIn("new.db", {"replay", "--check"}).exit, Exit::kFailure);
  EXPECT_EQ(SayIn("new.db", {"replay"}).exit, Exit::kDone);
}

}  // namespace
}  // namespace coppice::cli
