#include "engine/cli/report_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"
#include "store/write/campaigns.h"

namespace coppice::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Node 3, 1 s of the root's 4, comes from 1, 2 s; node 2 crashed.
class ReportFactsTest : public ::testing::Test, protected Rehearsal {
 protected:
  ReportFacts Read(CampaignId of) {
    return store::Must(
        ReadReportFacts(database(), Path(),
                        store::Must(store::Campaigns(database()).Find(of))));
  }
  ReportFacts Read() { return Read(campaign()); }
};

TEST_F(ReportFactsTest, TheLineageLeadsFromTheRootToTheBest) {
  const ReportFacts facts = Read();
  ASSERT_EQ(facts.lineage.size(), 3u);
  EXPECT_EQ(facts.lineage[0].ancestor.line.node, kRootNode);
  EXPECT_EQ(facts.lineage[0].diff, "");
  EXPECT_EQ(
      facts.lineage[1].diff,
      "--- node 0\n+++ node 1\n@@ -1 +1,2 @@\n-root kernel\n\\ No newline "
      "at end of file\n+one\n+two\n");
  EXPECT_EQ(facts.lineage[2].diff,
            "--- node 1\n+++ node 3\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n");
  EXPECT_EQ(facts.lineage[2].ancestor.advice, "unroll it");
  EXPECT_EQ(facts.source, "one\nthree\n");
  EXPECT_FALSE(facts.is_simulated);
}

// What did not pass has no speedup, and is a point nevertheless.
TEST_F(ReportFactsTest, EachNodeIsAPointOfTheCurve) {
  std::vector<std::string> points;
  for (const CurveNode& point : Read().points) {
    points.push_back(std::string(Name(point.verdict)) + " " +
                     (point.speedup ? std::to_string(*point.speedup) : "-"));
  }
  EXPECT_THAT(points, ElementsAre("passed 1.000000", "passed 2.000000",
                                  "crashed -", "passed 4.000000"));
  std::vector<std::int64_t> steps;
  for (const store::Improvement& step : Read().improvements) {
    steps.push_back(Index(step.node));
  }
  EXPECT_THAT(steps, ElementsAre(0, 1, 3));
}

TEST_F(ReportFactsTest, NodesAreInTheirOrderWhateverTheTreeIsLike) {
  Grow(database(), campaign(), NodeId{1});
  Grow(database(), campaign(), kRootNode);
  std::vector<std::int64_t> nodes;
  for (const store::NodeLine& line : Read().nodes) {
    nodes.push_back(Index(line.node));
  }
  EXPECT_THAT(nodes, ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_F(ReportFactsTest, WhatFailedAlikeHasTheLogOfTheFirst) {
  Grow(database(), campaign(), kRootNode, {.verdict = Verdict::kCrashed});
  Grow(database(), campaign(), kRootNode,
       {.verdict = Verdict::kCompileFailed, .technique = "jam"});
  const ReportFacts facts = Read();
  EXPECT_EQ(facts.failing, 3);
  ASSERT_EQ(facts.failures.size(), 2u);
  EXPECT_EQ(facts.failures[0].group.verdict, Verdict::kCrashed);
  EXPECT_EQ(facts.failures[0].group.count, 2);
  EXPECT_THAT(facts.failures[0].group.nodes, ElementsAre(2, 4));
  EXPECT_EQ(facts.failures[0].log, "log: crashed");
  EXPECT_EQ(facts.failures[1].group.techniques.at("jam"), 1);
  EXPECT_EQ(facts.failures[1].log, "log: compile_failed");
}

TEST_F(ReportFactsTest, EachMachineIsThereOnce) {
  Evaluation again = store::EvaluationOf(Verdict::kPassed, 1.0);
  store::Must(store::Nodes(database())
                  .AddEvaluation(campaign(), NodeId{3}, again, 2000.0));
  again.environment.hardware = "another processor";
  store::Must(store::Nodes(database())
                  .AddEvaluation(campaign(), NodeId{3}, again, 2001.0));
  const ReportFacts facts = Read();
  EXPECT_EQ(facts.evaluations.size(), 3u);
  ASSERT_EQ(facts.environments.size(), 2u);
  EXPECT_EQ(facts.environments[0].hardware, "a processor");
  EXPECT_EQ(facts.environments[1].hardware, "another processor");
}

// Nothing is told of a campaign beside it: neither its faster node, nor what
// failed, nor its money.
TEST_F(ReportFactsTest, ACampaignBesideItIsNotInIt) {
  const ReportFacts before = Read();
  store::PlantBeside(database());
  const ReportFacts facts = Read();
  EXPECT_EQ(facts.leaders.size(), before.leaders.size());
  EXPECT_EQ(facts.failing, 1);
  EXPECT_EQ(facts.spend.size(), before.spend.size());
  EXPECT_EQ(facts.cost.cost_usd, 1.5);
  EXPECT_EQ(facts.first_at_s, 1000.0);
  EXPECT_EQ(facts.last_at_s, 1003.0);
}

TEST_F(ReportFactsTest, ACampaignWithoutANodeHasNone) {
  const ReportFacts facts = Read(store::Must(
      store::Campaigns(database()).Create(store::SpecNamed("new"))));
  EXPECT_THAT(facts.leaders, IsEmpty());
  EXPECT_THAT(facts.lineage, IsEmpty());
  EXPECT_THAT(facts.points, IsEmpty());
  EXPECT_THAT(facts.nodes, IsEmpty());
  EXPECT_THAT(facts.failures, IsEmpty());
  EXPECT_THAT(facts.environments, IsEmpty());
  EXPECT_EQ(facts.first_at_s, std::nullopt);
  EXPECT_EQ(facts.source, "");
}

}  // namespace
}  // namespace coppice::cli
