#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "engine/cli/cli_fixture.h"
#include "engine/process/terminal_text.h"
#include "store/records/evaluation.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

class TreeTest : public ::testing::Test, protected Rehearsal {};

TEST_F(TreeTest, DrawsChildrenBelowTheirParentInOrder) {
  EXPECT_EQ(Say({"tree"}).out,
            "0 root        1x = 4.00 s\n"
            "├─ 1 tile     2x (?)\n"
            "│  └─ 3 tile  4x (?)  best ~\n"
            "└─ 2 tile     crashed\n"
            "~: cannot tell it from node 1, the next\n");
}

TEST_F(TreeTest, SaysWhereItStopped) {
  EXPECT_EQ(Say({"tree", "--depth", "1"}).out,
            "0 root     1x = 4.00 s\n"
            "├─ 1 tile  2x (?)  (1 more child)\n"
            "└─ 2 tile  crashed\n"
            "... 1 more below; --depth N shows more, --from NODE what is below "
            "one\n");
}

// The way to the best one, 3, then the others as committed.
TEST_F(TreeTest, ALimitLeavesTheWayToTheBestAndTheFirst) {
  EXPECT_EQ(Say({"tree", "--limit", "3"}).out,
            "0 root        1x = 4.00 s  (1 more child)\n"
            "└─ 1 tile     2x (?)\n"
            "   └─ 3 tile  4x (?)  best ~\n"
            "~: cannot tell it from node 1, the next\n"
            "... 1 more below; --limit 0 shows all, --from NODE what is below "
            "one\n");
  EXPECT_EQ(Say({"tree", "--limit", "1"}).out,
            "0 root  1x = 4.00 s  (2 more children)\n"
            "... 3 more below; --limit 0 shows all, --from NODE what is below "
            "one\n");
  EXPECT_EQ(Say({"tree", "--limit", "4"}).out, Say({"tree"}).out);
  const auto some = nlohmann::json::parse(
      Say({"tree", "--json", "--limit", "3", "--depth", "1"}).out);
  ASSERT_EQ(some.size(), 3u);
  EXPECT_EQ(some[1]["node"], 1);
  EXPECT_EQ(some[2]["node"], 2);
}

TEST_F(TreeTest, APartBeginsWhereItIsAskedFor) {
  EXPECT_EQ(Say({"tree", "--from", "1"}).out,
            "1 tile     2x (?)\n"
            "└─ 3 tile  4x (?)  best ~\n"
            "~: cannot tell it from node 1, the next\n");
  EXPECT_EQ(Say({"tree", "--from", "best"}).out,
            "3 tile  4x (?)  best ~\n"
            "~: cannot tell it from node 1, the next\n");
  EXPECT_EQ(Say({"tree", "--from", "1", "--depth", "0"}).out,
            "1 tile  2x (?)  (1 more child)\n"
            "... more below; --depth N shows more, --from NODE what is below "
            "one\n");
  EXPECT_EQ(Say({"tree", "--from", "root"}).out, Say({"tree"}).out);
  EXPECT_EQ(
      nlohmann::json::parse(Say({"tree", "--json", "--from", "1"}).out).size(),
      2u);
  EXPECT_EQ(Say({"tree", "--from", "9"}).exit, Exit::kUsage);
}

TEST_F(TreeTest, ALargeTreeIsCutUnlessAskedFor) {
  const CampaignId wide = store::Plant(database(), "wide");
  for (int i = 0; i < 300; ++i) {
    store::Grow(database(), wide, kRootNode,
                {.source = "leaf " + std::to_string(i)});
  }
  const auto lines = [&](std::vector<std::string> words) {
    const std::string out = Say(std::move(words)).out;
    return std::count(out.begin(), out.end(), '\n');
  };
  EXPECT_EQ(lines({"tree"}), 202);  // Two below it.
  EXPECT_EQ(lines({"tree", "--limit", "0"}), 302);
  EXPECT_THAT(Say({"tree"}).out, HasSubstr("... 101 more below; --limit 0"));
  EXPECT_EQ(nlohmann::json::parse(Say({"tree", "--json"}).out).size(), 301u);
}

// In 40 columns the longest outcome, the best one's, takes 14 and a space of 2.
TEST_F(TreeTest, ATechniqueTakesTheRoomThatThereIs) {
  const CampaignId other = store::Plant(database(), "other");
  const std::string technique = "register_block(i, 8, 48) and parallel(*)";
  NodeId at = kRootNode;
  for (int i = 0; i < 12; ++i) {
    at = store::Grow(database(), other, at,
                     {.source = std::to_string(i), .technique = technique});
  }
  const std::string whole = Say({"tree"}).out;
  EXPECT_THAT(whole, HasSubstr("└─ 1 " + technique + "  "));
  terminal = true;
  columns = 40;
  const std::string cut =
      std::regex_replace(Say({"tree"}).out, std::regex("\033\\[[0-9]*m"), "");
  EXPECT_THAT(cut, HasSubstr("└─ 1 register_block(i...  4x (?)  best ~\n"));
  EXPECT_THAT(cut, HasSubstr("...               └─ 12   4x (?)\n"));
  std::istringstream lines(cut);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(engine::DisplayWidth(line), 40u) << line;
    EXPECT_THAT(line, HasSubstr("x"));  // The speedup is never cut.
  }
  EXPECT_THAT(Say({"tree", "--wide"}).out, HasSubstr(technique + "  "));
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

// A pin holds at once.
TEST_F(TreeTest, WhatPeopleMarkedSaysSo) {
  Say({"steer", "pin", "2"});
  EXPECT_THAT(Say({"tree"}).out, HasSubstr("└─ 2 tile     crashed  pinned\n"));
  const auto nodes = nlohmann::json::parse(Say({"tree", "--json"}).out);
  EXPECT_EQ(nodes[2]["pinned"], true);
  EXPECT_FALSE(nodes[1].contains("pinned"));
}

// A freeze holds from the decision that heard of it until another lifts it.
TEST_F(TreeTest, WhatIsFrozenSaysSoWhileItIs) {
  Install();
  const auto frozen = [&] {
    const Said said = SayIn("new.db", {"tree", "--json"});
    const auto nodes = nlohmann::json::parse(said.out);
    return nodes[1].contains("frozen");
  };
  const auto run_to = [&](const char* budget) {
    SayIn("new.db", {"run", "sim:basic", "--budget", budget, "--progress",
                     "none", "--name", "c"});
  };
  run_to("2");
  SayIn("new.db", {"steer", "freeze", "1"});
  EXPECT_FALSE(frozen());
  run_to("3");
  EXPECT_TRUE(frozen());
  EXPECT_THAT(SayIn("new.db", {"tree"}).out, HasSubstr("  frozen"));
  SayIn("new.db", {"steer", "unfreeze", "1"});
  run_to("4");
  EXPECT_FALSE(frozen());
}

TEST_F(TreeTest, ACombinationNamesBothParentsAndACopyItsFirst) {
  store::Outcome outcome;
  outcome.source = "one\nfour\n";
  outcome.mate = NodeId{3};
  ASSERT_EQ(Grow(database(), campaign(), NodeId{1}, outcome), NodeId{4});
  EXPECT_THAT(Say({"tree"}).out, HasSubstr("└─ 4 x 3 tile  "));
  const auto nodes = nlohmann::json::parse(Say({"tree", "--json"}).out);
  EXPECT_EQ(nodes[4]["mate"], 3);
  EXPECT_FALSE(nodes[3].contains("mate"));
  store::Change(database(), "UPDATE node SET same_as = 1 WHERE number = 4");
  const auto again = nlohmann::json::parse(Say({"tree", "--json"}).out);
  EXPECT_EQ(again[4]["same_as"], 1);
  EXPECT_FALSE(again[3].contains("same_as"));
}

TEST_F(TreeTest, NoTechniqueSteersTheTerminal) {
  store::Grow(database(), campaign(), kRootNode,
              {.source = "x", .technique = "t\033[2J\nu"});
  EXPECT_THAT(Say({"tree"}).out, HasSubstr("└─ 4 t?[2J u  "));
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
