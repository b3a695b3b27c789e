#include "store/read/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "store/read/node_decision.h"
#include "store/read/tried.h"
#include "store/records/evaluation.h"
#include "store/records/outcome.h"
#include "store/records/random.h"
#include "store/records/tier.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Root 4 s:
//
//   0 root 4 s --- 1 "tile" 2 s --- 3 "unroll" 1 s
//              '-- 2 crashed
class HistoryTest : public ::testing::Test {
 protected:
  HistoryTest() {
    Grow(database_, campaign_, NodeId{0},
         {.source = "s1", .runtime_s = 2.0, .advice = "tile it"});
    Grow(database_, campaign_, NodeId{0},
         {.source = "s2", .verdict = Verdict::kCrashed});
    Grow(database_, campaign_, NodeId{1},
         {.source = "s3", .runtime_s = 1.0, .advice = "unroll it"});
  }
  void Confirm(std::int64_t node, Verdict verdict,
               std::optional<double> runtime_s) {
    Evaluation evaluation = EvaluationOf(verdict, runtime_s);
    evaluation.tier = Tier::kFull;
    Must(Nodes(database_).AddEvaluation(campaign_, NodeId{node}, evaluation,
                                        2000.0));
  }
  std::vector<std::int64_t> Leaders() {
    std::vector<std::int64_t> leaders;
    for (const Leader& leader : Must(ReadLeaders(database_, campaign_))) {
      leaders.push_back(Index(leader.line.node));
    }
    return leaders;
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId beside_ = PlantBeside(database_);
  CampaignId campaign_ = Plant(database_, "a");
  CampaignId other_ = Plant(database_, "b");
};

TEST_F(HistoryTest, TheTreeComesInOrderOfNumber) {
  const auto lines = Must(ReadTree(database_, campaign_));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].parent, std::nullopt);
  EXPECT_EQ(lines[3].node, NodeId{3});
  EXPECT_EQ(lines[3].parent, NodeId{1});
  EXPECT_EQ(lines[3].runtime_s, 1.0);
  EXPECT_EQ(lines[3].speedup->ratio, 4.0);
  EXPECT_EQ(lines[2].verdict, Verdict::kCrashed);
  EXPECT_FALSE(lines[2].speedup.has_value());
}

// By the definition: of what is below the top, the way first.
std::vector<std::int64_t> PageOf(const std::vector<NodeLine>& all,
                                 const TreePage& page) {
  std::map<NodeId, std::int64_t> depths;  // Of those in the part.
  for (const NodeLine& line : all) {
    if (line.node == page.top) depths[line.node] = 0;
    if (!line.parent || !depths.contains(*line.parent)) continue;
    if (line.node != page.top) depths[line.node] = depths[*line.parent] + 1;
  }
  std::vector<NodeId> order;
  for (std::optional<NodeId> at = page.way_to; at && depths.contains(*at);
       at = all[static_cast<std::size_t>(Index(*at))].parent) {
    order.insert(order.begin(), *at);
  }
  for (const auto& [node, depth] : depths) {
    if (std::ranges::count(order, node) == 0) order.push_back(node);
  }
  if (page.depth) {
    std::erase_if(order, [&](NodeId n) { return depths[n] > *page.depth; });
  }
  if (page.limit > 0 && std::ssize(order) > page.limit) {
    order.resize(static_cast<std::size_t>(page.limit));
  }
  std::ranges::sort(order);
  std::vector<std::int64_t> numbers;
  for (const NodeId node : order) numbers.push_back(Index(node));
  return numbers;
}

// Trees of 40 nodes, each below one of the three before it, or any.
TEST_F(HistoryTest, APageIsTheWayAndTheFirstOfItsPart) {
  RandomStream random(3, Purpose::kSimulation, 0);
  for (std::int64_t i = 1; i < 40; ++i) {
    const auto before = static_cast<std::uint64_t>(i);
    const auto back =
        random.Below(2) == 0 ? std::min<std::uint64_t>(3, before) : before;
    Grow(database_, other_,
         NodeId{i - 1 - static_cast<std::int64_t>(random.Below(back))});
  }
  const auto all = Must(ReadTree(database_, other_));
  ASSERT_EQ(all.size(), 40u);
  for (int i = 0; i < 300; ++i) {
    TreePage page;
    page.top = NodeId{static_cast<std::int64_t>(random.Below(40))};
    if (random.Below(2) == 0) page.top = kRootNode;
    if (random.Below(2) == 0) {
      page.depth = static_cast<std::int64_t>(random.Below(8));
    }
    page.limit = static_cast<std::int64_t>(random.Below(42));
    page.way_to = NodeId{static_cast<std::int64_t>(random.Below(40))};
    std::vector<std::int64_t> numbers;
    for (const NodeLine& line : Must(ReadTree(database_, other_, page))) {
      numbers.push_back(Index(line.node));
    }
    ASSERT_EQ(numbers, PageOf(all, page))
        << "page " << i << ": from " << Index(page.top) << ", depth "
        << page.depth.value_or(-1) << ", limit " << page.limit << ", way to "
        << Index(*page.way_to);
  }
}

TEST_F(HistoryTest, ALineageGoesFromTheRootToTheNode) {
  const auto lineage = Must(ReadLineage(database_, campaign_, NodeId{3}));
  ASSERT_EQ(lineage.size(), 3u);
  EXPECT_EQ(lineage[0].line.node, kRootNode);
  EXPECT_EQ(lineage[0].advice, "");
  EXPECT_EQ(lineage[1].advice, "tile it");
  EXPECT_EQ(lineage[2].advice, "unroll it");
}

TEST_F(HistoryTest, AMissingNodeIsNotFound) {
  const auto lineage = ReadLineage(database_, campaign_, NodeId{4});
  ASSERT_FALSE(lineage);
  EXPECT_EQ(lineage.error().code, Errc::kNotFound);
}

TEST_F(HistoryTest, LeadersAreTheFastestOfTheirCampaign) {
  EXPECT_THAT(Leaders(), ElementsAre(3, 1, 0));
}

TEST_F(HistoryTest, ARefutedLeaderIsNone) {
  Confirm(3, Verdict::kWrongOutput, std::nullopt);
  EXPECT_THAT(Leaders(), ElementsAre(1, 0));
}

TEST_F(HistoryTest, WhatCouldNotBeDecidedRefutesNothing) {
  Confirm(3, Verdict::kInconclusive, std::nullopt);
  EXPECT_THAT(Leaders(), ElementsAre(3, 1, 0));
}

// 4 x and then 0.25 x: pooled without intervals, 1 x, as the root.
TEST_F(HistoryTest, WhatWasLuckyOnceMovesDown) {
  Confirm(3, Verdict::kPassed, 16.0);
  EXPECT_THAT(Leaders(), ElementsAre(1, 0, 3));
  const auto leaders = Must(ReadLeaders(database_, campaign_));
  EXPECT_FALSE(leaders[0].is_confirmed);
  EXPECT_TRUE(leaders[2].is_confirmed);
}

TEST_F(HistoryTest, AKernelLeadsOnce) {
  const NodeId again = Grow(database_, campaign_, NodeId{2}, {.source = "s3"});
  EXPECT_THAT(Leaders(), ElementsAre(3, 1, 0));
  const NodeLine line = Must(ReadLine(database_, campaign_, again));
  EXPECT_EQ(line.same_as, NodeId{3});
  EXPECT_EQ(line.speedup->ratio, 4.0);
}

TEST_F(HistoryTest, ADecisionTellsWhyANodeIs) {
  EXPECT_EQ(Must(ReadDecision(database_, campaign_, kRootNode)), std::nullopt);
  const auto decision = Must(ReadDecision(database_, campaign_, NodeId{3}));
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->decision, 2);
  EXPECT_EQ(decision->policy, "stark");
  EXPECT_EQ(decision->reason, "exploit: best eligible");
}

TEST_F(HistoryTest, EvaluationsComeInTheirOrder) {
  Confirm(1, Verdict::kPassed, 2.5);
  const auto evaluations =
      Must(ReadEvaluations(database_, campaign_, NodeId{1}));
  ASSERT_EQ(evaluations.size(), 2u);
  EXPECT_EQ(evaluations[0].runtime_s, 2.0);
  EXPECT_EQ(evaluations[1].runtime_s, 2.5);
  EXPECT_THAT(evaluations[1].workloads.at(0).samples_s, ElementsAre(2.5));
  EXPECT_THAT(Must(ReadEvaluations(database_, campaign_, NodeId{9})),
              IsEmpty());
}

TEST_F(HistoryTest, AnEvaluationKeepsTheRuleThatWasBroken) {
  Evaluation evaluation = EvaluationOf(Verdict::kRejected, std::nullopt);
  evaluation.breach = Breach::kForgedTime;
  Must(
      Nodes(database_).AddEvaluation(campaign_, NodeId{1}, evaluation, 2000.0));
  const auto evaluations =
      Must(ReadEvaluations(database_, campaign_, NodeId{1}));
  ASSERT_EQ(evaluations.size(), 2u);
  EXPECT_EQ(evaluations[0].breach, Breach::kNone);
  EXPECT_EQ(evaluations[1].breach, Breach::kForgedTime);
  EXPECT_THAT(Rows(database_,
                   "SELECT verdict, rule FROM evaluations"
                   " WHERE campaign = 'a' AND node = 1"
                   " ORDER BY ordinal"),
              ElementsAre("passed|-", "rejected|forged_time"));
}

// Each attempt made two calls of 100 and 10 tokens at $0.25; the root counts in
// no tally.
TEST_F(HistoryTest, TotalsAreOfOneCampaign) {
  const Totals totals = Must(ReadTotals(database_, campaign_));
  EXPECT_THAT(totals.verdicts, ElementsAre(2, 0, 1, 0, 0, 0, 0, 0));
  EXPECT_EQ(totals.calls, 6);
  EXPECT_EQ(totals.unanswered_calls, 0);
  EXPECT_EQ(totals.input_tokens, 600);
  EXPECT_EQ(totals.output_tokens, 60);
  EXPECT_EQ(totals.cost_usd, 1.5);
  EXPECT_EQ(totals.claimed_usd, 0.0);
  // Half of them are an outside agent's, who says what they cost.
  Change(database_, "UPDATE call_sum SET provider = 'outside' WHERE role = 0");
  const Totals mixed = Must(ReadTotals(database_, campaign_));
  EXPECT_EQ(mixed.calls, 6);
  EXPECT_EQ(mixed.cost_usd, 0.75);
  EXPECT_EQ(mixed.claimed_usd, 0.75);
  const Totals other = Must(ReadTotals(database_, other_));
  EXPECT_THAT(other.verdicts, ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(other.calls, 0);
}

TEST_F(HistoryTest, TriedAreTheFastestAndTheNewestOfThoseBefore) {
  const auto tried = [&](std::int64_t before, int fastest, int newest) {
    std::string text;
    const Tried found =
        Must(ReadTried(database_, campaign_, NodeId{before}, fastest, newest));
    for (const TriedNode& each : found.fastest) {
      text += std::to_string(Index(each.node)) + each.technique + " ";
    }
    text += "|";
    for (const TriedNode& each : found.newest) {
      text += " " + std::to_string(Index(each.node)) + each.technique;
    }
    return text;
  };
  // The root is not tried, and what crashed leads nobody.
  EXPECT_EQ(tried(4, 9, 9), "3tile 1tile | 3tile 2tile 1tile");
  EXPECT_EQ(tried(3, 9, 1), "1tile | 2tile");
  EXPECT_EQ(tried(4, 1, 2), "3tile | 3tile 2tile");
  EXPECT_EQ(tried(1, 9, 9), "|");
  // The tokens of node 1 again lead no more than once.
  Grow(database_, campaign_, NodeId{0},
       {.source = "s1", .runtime_s = 2.0, .technique = "jam"});
  EXPECT_EQ(tried(5, 9, 1), "3tile 1tile | 4jam");
}

// 3 takes 1 s, 1 takes 2 s, the root 4 s, and 2 crashed.
TEST_F(HistoryTest, ARankIsThePlaceAmongLeaders) {
  const auto rank = [&](std::int64_t node) {
    const auto found = Must(ReadRank(database_, campaign_, NodeId{node}));
    return found
               ? std::to_string(found->place) + "/" + std::to_string(found->of)
               : "-";
  };
  EXPECT_EQ(rank(3), "1/3");
  EXPECT_EQ(rank(1), "2/3");
  EXPECT_EQ(rank(0), "3/3");
  EXPECT_EQ(rank(2), "-");
  EXPECT_EQ(rank(99), "-");
  // The tokens of node 1 again, and a node as fast as it, which comes after it.
  Grow(database_, campaign_, NodeId{0}, {.source = "s1", .runtime_s = 2.0});
  Grow(database_, campaign_, NodeId{0}, {.source = "s5", .runtime_s = 2.0});
  EXPECT_EQ(rank(4), "2/4");
  EXPECT_EQ(rank(5), "3/4");
}

TEST_F(HistoryTest, TheBestOfTheFirstNodesIsTheFastestOfThem) {
  const auto best = [this](std::int64_t nodes) {
    return Index(Must(ReadBestOf(database_, campaign_, nodes)).node);
  };
  Grow(database_, other_, kRootNode, {.runtime_s = 0.1});
  EXPECT_EQ(best(0), 0);
  EXPECT_EQ(best(1), 0);
  EXPECT_EQ(best(2), 1);
  EXPECT_EQ(best(3), 1);  // 2 crashed.
  EXPECT_EQ(best(4), 3);
}

// What refuted it says why.
TEST_F(HistoryTest, ALogIsThatOfTheVerdict) {
  EXPECT_EQ(Must(ReadLog(database_, campaign_, NodeId{2})), "log: crashed");
  EXPECT_EQ(Must(ReadLog(database_, campaign_, NodeId{3})), "log: passed");
  Confirm(3, Verdict::kWrongOutput, std::nullopt);
  EXPECT_EQ(Must(ReadLog(database_, campaign_, NodeId{3})),
            "log: wrong_output");
  Grow(database_, campaign_, kRootNode, {.source = "s3"});
  EXPECT_EQ(Must(ReadLog(database_, campaign_, NodeId{4})),
            "log: wrong_output");
  EXPECT_EQ(ReadLog(database_, campaign_, NodeId{9}).error().code,
            Errc::kNotFound);
}

TEST_F(HistoryTest, DevicesComeByNameWithTheirTime) {
  const auto evaluate = [this](CampaignId campaign, const std::string& device,
                               double seconds) {
    Evaluation evaluation = EvaluationOf(Verdict::kPassed, 2.0);
    evaluation.device = device;
    evaluation.timing_s = seconds;
    Must(Nodes(database_).AddEvaluation(campaign, kRootNode, evaluation,
                                        2000.0));
  };
  evaluate(campaign_, "GPU-2", 1.0);
  evaluate(campaign_, "GPU-1", 2.0);
  evaluate(campaign_, "GPU-2", 3.0);
  evaluate(other_, "GPU-0", 1.0);
  const auto times = Must(ReadDeviceTimes(database_, "a"));
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].device, "GPU-1");
  EXPECT_EQ(times[0].evaluations, 1);
  EXPECT_EQ(times[1].device, "GPU-2");
  EXPECT_EQ(times[1].evaluations, 2);
  EXPECT_EQ(times[1].busy_s, 4.0);
}

TEST_F(HistoryTest, ACombinationNamesItsMate) {
  Grow(database_, campaign_, NodeId{3}, {.mate = NodeId{1}});
  EXPECT_EQ(Must(ReadLine(database_, campaign_, NodeId{4})).mate, NodeId{1});
  EXPECT_EQ(Must(ReadDecision(database_, campaign_, NodeId{4}))->mate,
            NodeId{1});
  EXPECT_EQ(Must(ReadDecision(database_, campaign_, NodeId{3}))->mate,
            std::nullopt);
}

}  // namespace
}  // namespace coppice::store
