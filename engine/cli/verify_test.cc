#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "engine/cli/cli_fixture.h"
#include "store/records/evaluation.h"
#include "store/records/node.h"
#include "store/records/tier.h"

namespace coppice::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class VerifyTest : public ::testing::Test, protected Rehearsal {};

TEST_F(VerifyTest, MisuseIsNamed) {
  EXPECT_EQ(Say({"verify", "--top", "0"}).err,
            "coppice verify: --top: expected at least 1\n");
  EXPECT_THAT(Say({"verify", "--campain", "a"}).err,
              HasSubstr("did you mean '--campaign'?"));
  EXPECT_EQ(SayBare({"verify", "--help"}).exit, Exit::kDone);
}

class VerifiedTest : public ::testing::Test, protected Rehearsal {
 protected:
  VerifiedTest() {
    Install();
    SayIn("new.db",
          {"run", "sim:basic", "--budget", "3", "--progress", "none"});
  }
};

// What is simulated holds what it promised: without noise it is as fast.
TEST_F(VerifiedTest, LeadersAreJudgedAgainInFull) {
  const Said said = SayIn("new.db", {"verify"});
  EXPECT_EQ(said.exit, Exit::kDone) << said.err;
  EXPECT_THAT(said.err, ContainsRegex("^sim:basic.xei_hint.s1: node [1-3]\n"));
  EXPECT_THAT(said.out, ContainsRegex("\nsim:basic.xei_hint.s1 +[1-3] +1[.0-9]+"
                                      "x \\([-.0-9]+\\) +passed .* confirmed"));
  const auto json = nlohmann::json::parse(
      SayIn("new.db", {"verify", "--top", "1", "--json"}).out);
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["verdict"], "passed");
  EXPECT_EQ(json[0]["quarantined"], false);
  EXPECT_EQ(json[0]["log"], "");
  EXPECT_GT(json[0]["speedup"], 1.0);
}

// In eight rounds somebody found 1 ms where the root takes 10, which no point
// of sim:basic comes near.
TEST_F(VerifiedTest, WhatIsSlowerThanWasClaimedIsToldSo) {
  auto file = store::Must(
      store::Database::Open(File("new.db"), store::Access::kReadWrite));
  const CampaignId campaign =
      store::Must(store::Campaigns(file).List()).front().id;
  const std::string node = store::Rows(
      file, "SELECT node FROM leaderboard ORDER BY speedup DESC LIMIT 1")[0];
  Evaluation lucky = store::EvaluationOf(Verdict::kPassed, 0.001);
  lucky.tier = Tier::kFull;
  lucky.workloads[0].samples_s.assign(8, 0.001);
  lucky.workloads[0].root_samples_s.assign(8, 0.01);
  Summarise(lucky);
  store::Must(store::Nodes(file).AddEvaluation(
      campaign, NodeId{std::stoll(node)}, lucky, 2000.0));
  const auto json = nlohmann::json::parse(
      SayIn("new.db", {"verify", "--top", "1", "--json"}).out);
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["node"], std::stoll(node));
  EXPECT_EQ(json[0]["outcome"], "slower than claimed");
  EXPECT_LT(json[0]["speedup"], 2.0);
}

TEST_F(VerifiedTest, AFileWithoutCampaignsHasNoLeaders) {
  const Said said = SayBare({"verify", File("no.db").string()});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_THAT(said.err, HasSubstr("no.db: no such file"));
  store::NewFile(File("empty.db"));
  EXPECT_THAT(SayBare({"verify", File("empty.db").string()}).err,
              HasSubstr("empty.db: holds no campaign yet; begin one"));
}

// Somebody else's file names a campaign so that it would clear the screen, and
// says that what is no point of the landscape has passed.
TEST_F(VerifiedTest, ANameCannotSteerTheTerminal) {
  auto file = store::Must(
      store::Database::Open(File("new.db"), store::Access::kReadWrite));
  store::Campaigns campaigns(file);
  store::CampaignSpec spec = store::Must(campaigns.List()).front().spec;
  spec.name = "odd\x1b[2J";
  spec.uuid = store::SpecNamed(spec.name).uuid;
  const CampaignId odd = store::Must(campaigns.Create(spec));
  store::Must(
      store::Nodes(file).Commit(odd, std::nullopt, store::RootNode(), 1000.0));
  store::Grow(file, odd, kRootNode, {.source = "no point", .runtime_s = 2.0});
  const Said said = SayIn("new.db", {"verify"});
  EXPECT_EQ(said.exit, Exit::kNoImprovement);
  EXPECT_THAT(said.err, HasSubstr("odd?[2J: node 1\n"));
  EXPECT_THAT(said.out, HasSubstr("\nodd?[2J: node 1: line 1: expected"));
  EXPECT_THAT(said.out, EndsWith("\n"));  // What is typed next has its line.
  EXPECT_THAT(said.out, ContainsRegex("odd.\\[2J +1 .* quarantined"));
  EXPECT_THAT(said.err + said.out, Not(HasSubstr("\x1b")));
}

class NoiseVerbTest : public ::testing::Test, protected Rehearsal {};

TEST_F(NoiseVerbTest, MisuseIsNamed) {
  EXPECT_EQ(SayBare({"task", "noise", "--sessions", "2"}).err,
            "coppice task noise: --sessions: expected 3 to 1000, not 2\n");
  EXPECT_EQ(SayBare({"nois"}).err,
            "coppice: unknown verb 'nois'; did you mean 'task noise'?\n");
  EXPECT_EQ(SayBare({"task", "noise", "a", "b", "c"}).exit, Exit::kUsage);
}

}  // namespace
}  // namespace coppice::cli
