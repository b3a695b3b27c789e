#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/cli/rehearsal.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

class TreeTest : public ::testing::Test, protected Rehearsal {};

TEST_F(TreeTest, DrawsChildrenBelowTheirParentInOrder) {
  EXPECT_EQ(Say({"tree"}).out,
            "0 root        4.00 s    1.00x\n"
            "├─ 1 tile     2.00 s    2.00x\n"
            "│  └─ 3 tile  1.00 s    4.00x  best\n"
            "└─ 2 tile     crashed\n");
}

TEST_F(TreeTest, SaysWhereItStopped) {
  EXPECT_EQ(Say({"tree", "--depth", "1"}).out,
            "0 root     4.00 s    1.00x\n"
            "├─ 1 tile  2.00 s    2.00x  (its descendants: --depth)\n"
            "└─ 2 tile  crashed\n");
}

TEST_F(TreeTest, ColoursOnlyATerminal) {
  EXPECT_THAT(Say({"tree"}).out, Not(HasSubstr("\033")));
  terminal = true;
  EXPECT_THAT(Say({"tree"}).out, HasSubstr("\033[31mcrashed\033[0m"));
}

TEST_F(TreeTest, JsonHoldsEveryNode) {
  const auto nodes = nlohmann::json::parse(Say({"tree", "--json"}).out);
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_TRUE(nodes[0]["parent"].is_null());
  EXPECT_EQ(nodes[3]["parent"], 1);
  EXPECT_EQ(nodes[3]["speedup"], 4.0);
  EXPECT_EQ(nodes[2]["verdict"], "crashed");
  EXPECT_TRUE(nodes[2]["runtime_s"].is_null());
}

TEST_F(TreeTest, AQuarantinedNodeSaysSo) {
  store::Must(store::Nodes(database())
                  .AddEvaluation(campaign(), NodeId{3},
                                 store::EvaluationOf(Verdict::kTimedOut, {}),
                                 2000.0));
  EXPECT_THAT(Say({"tree"}).out,
              HasSubstr("│  └─ 3 tile  timed_out  (quarantined)\n"));
  const auto nodes = nlohmann::json::parse(Say({"tree", "--json"}).out);
  EXPECT_EQ(nodes[3]["quarantined"], true);
  EXPECT_EQ(nodes[1]["quarantined"], false);
  EXPECT_THAT(Say({"show", "3"}).out,
              HasSubstr("quarantine  a further evaluation refuted it; it "
                        "counts as timed_out\n"));
}

TEST_F(TreeTest, ACampaignWithoutNodesSaysSo) {
  store::Must(store::Campaigns(database()).Create(store::SpecNamed("new")));
  const Said said = Say({"tree", "--campaign", "new"});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_EQ(said.err, "coppice tree: new: has no node yet\n");
}

// The default depth is 40 generations.
TEST_F(TreeTest, ALongChainIsDrawnToItsEnd) {
  const CampaignId chain = store::Plant(database(), "chain");
  for (std::int64_t i = 0; i < 60; ++i) {
    store::Grow(database(), chain, NodeId{i},
                {.source = "link " + std::to_string(i)});
  }
  EXPECT_THAT(Say({"tree", "--campaign", "chain"}).out,
              Not(HasSubstr("41 tile")));
  EXPECT_THAT(Say({"tree", "--campaign", "chain", "--depth", "60"}).out,
              HasSubstr("60 tile"));
}

}  // namespace
}  // namespace coppice::cli
