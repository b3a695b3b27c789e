#include "store/read/node_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "x|2|-": the values of a row in some columns.
std::string Row(const Listing& listing, std::size_t row,
                const std::vector<std::string>& columns) {
  std::string text;
  for (const std::string& column : columns) {
    const auto at = std::ranges::find(listing.columns, column);
    if (at == listing.columns.end()) return "no column " + column;
    const Value& value = listing.rows.at(
        row)[static_cast<std::size_t>(at - listing.columns.begin())];
    text += text.empty() ? "" : "|";
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      text += std::to_string(*whole);
    } else if (const auto* real = std::get_if<double>(&value)) {
      text += std::to_string(*real).substr(0, 4);
    } else if (const auto* word = std::get_if<std::string>(&value)) {
      text += *word;
    } else {
      text += "-";
    }
  }
  return text;
}

class NodePagesTest : public ::testing::Test {
 protected:
  // A campaign with as many nodes, of which nothing is to be seen.
  static CampaignId AddOther(Database& database) {
    const CampaignId other = Plant(database, "0");
    Grow(database, other, kRootNode,
         {.source = "z\n",
          .runtime_s = 0.5,
          .advice = "jam it",
          .technique = "jam",
          .trials = {{"U=9", Verdict::kPassed, Speedup{8.0, {}}, 1.0, true}}});
    Grow(database, other, NodeId{1},
         {.verdict = Verdict::kCrashed, .technique = "jam"});
    return other;
  }
  static std::vector<std::string> Of(const Result<Listing>& listing) {
    return AsLines(Must(listing).rows);
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId other_ = AddOther(database_);
  CampaignId campaign_ = Plant(database_, "a");
  NodeId child_ = Grow(database_, campaign_, kRootNode,
                       {.source = "a\nb\n", .runtime_s = 2.0});
  NodeId grandchild_ = Grow(database_, campaign_, child_,
                            {.source = "a\nc\n",
                             .verdict = Verdict::kCompileFailed,
                             .advice = "unroll it",
                             .technique = "unroll"});
};

TEST_F(NodePagesTest, RowsComeInTheOrderThatWasAsked) {
  const std::int64_t numbers[] = {2, 0, 7, 1};
  const Listing rows = Must(ReadNodeRows(database_, campaign_, numbers));
  ASSERT_EQ(rows.rows.size(), 3U);  // There is no node 7.
  const std::vector<std::string> columns = {"node",    "parent",    "verdict",
                                            "speedup", "technique", "decision"};
  EXPECT_EQ(Row(rows, 0, columns), "2|1|compile_failed|-|unroll|1");
  EXPECT_EQ(Row(rows, 1, columns), "0|-|passed|1.00|-|-");
  EXPECT_EQ(Row(rows, 2, columns), "1|0|passed|2.00|tile|0");
}

TEST_F(NodePagesTest, TextIsFoundInTechniqueAndAdviceWhateverItsCase) {
  EXPECT_THAT(Must(FindNodes(database_, campaign_, "UNROLL IT")),
              ElementsAre(2));
  EXPECT_THAT(Must(FindNodes(database_, campaign_, "tile the")),
              ElementsAre(1));
}

TEST_F(NodePagesTest, ChildrenAreCountedBeyondThoseThatAreListed) {
  Grow(database_, campaign_, child_);
  const Children children = Must(ReadChildren(database_, campaign_, 1, 1));
  EXPECT_THAT(children.numbers, ElementsAre(2));
  EXPECT_EQ(children.total, 2);
}

TEST_F(NodePagesTest, ANodeComesWithItsTexts) {
  const Listing detail = Must(ReadNodeDetail(database_, campaign_, 2));
  EXPECT_EQ(Row(detail, 0,
                {"source", "log", "advice", "language", "plan_grounded",
                 "annotated"}),
            "a\nc\n|log: compile_failed|unroll it|cpp|1|<<<a\nc\n>>>");
  EXPECT_TRUE(Must(ReadNodeDetail(database_, campaign_, 9)).rows.empty());
  EXPECT_EQ(Must(CountShown(database_, campaign_, 0)), 2);  // Plan and code.
}

TEST_F(NodePagesTest, EvaluationsComeWithWhatWasMeasured) {
  const Measured measured = Must(ReadMeasured(database_, campaign_, 1));
  ASSERT_EQ(measured.evaluations.rows.size(), 1U);
  EXPECT_EQ(Row(measured.evaluations, 0, {"ordinal", "verdict", "log"}),
            "0|passed|log: passed");
  EXPECT_EQ(
      Row(measured.workload_results, 0, {"ordinal", "workload", "samples"}),
      "0|w0|1");
  const Listing samples = Must(ReadSamples(database_, campaign_, 1, 0));
  EXPECT_EQ(
      Row(samples, 0,
          {"position", "workload", "runtime_s", "root_runtime_s", "shape"}),
      "0|w0|2.00|4.00|-");
}

TEST_F(NodePagesTest, ALineageHasTheSourceOfEachStep) {
  const Listing steps = Must(ReadLineageSources(database_, campaign_, 2));
  ASSERT_EQ(steps.rows.size(), 3U);
  EXPECT_EQ(Row(steps, 0, {"generation", "node", "source"}), "0|0|root kernel");
  EXPECT_EQ(Row(steps, 2, {"generation", "node", "source"}), "2|2|a\nc\n");
}

TEST_F(NodePagesTest, CallsComeWithTheirWindowsAndTexts) {
  const Listing calls = Must(ReadCallsOf(database_, campaign_, 2));
  ASSERT_EQ(calls.rows.size(), 2U);
  EXPECT_EQ(Row(calls, 0, {"role", "outcome"}), "plan|answered");
  const auto id = std::get<std::int64_t>(calls.rows[1][0]);
  EXPECT_EQ(Row(Must(ReadWindow(database_, id)), 0, {"node", "kinship"}),
            "1|selected");
  EXPECT_EQ(Row(Must(ReadCallTexts(database_, campaign_, id)), 0, {"answer"}),
            "code: a\nc\n");
  // The prompt of the same role one decision before.
  const Listing before = Must(ReadCallsOf(database_, campaign_, 1));
  EXPECT_EQ(Row(calls, 1, {"previous_call"}), Row(before, 1, {"call"}));
}

TEST_F(NodePagesTest, TheSameKernelIsFoundInOtherCampaigns) {
  const CampaignId other = Plant(database_, "b");
  Grow(database_, other, kRootNode, {.source = "a\nb\n"});
  const auto hash = Must(KernelHashOf(database_, campaign_, 1));
  ASSERT_TRUE(hash.has_value());
  const Listing history = Must(ReadKernelHistory(database_, *hash));
  ASSERT_EQ(history.rows.size(), 2U);
  EXPECT_EQ(Row(history, 0, {"c", "node", "hardware"}), "a|1|a processor");
  EXPECT_EQ(Row(history, 1, {"c", "node"}), "b|1");
}

TEST_F(NodePagesTest, TextIsFoundInReasonsOfTheCampaignAlone) {
  EXPECT_THAT(Must(FindNodes(database_, campaign_, "Eligible")),
              ElementsAre(1, 2));
  EXPECT_THAT(Must(FindNodes(database_, campaign_, "jam")), IsEmpty());
}

// A combination has two parents, the selected one first.
TEST_F(NodePagesTest, ParentsAreTheSelectedOneAndItsMate) {
  Grow(database_, campaign_, child_, {.mate = kRootNode});
  EXPECT_THAT(Of(ReadParentsOf(database_, campaign_, 3)),
              ElementsAre("1", "0"));
  EXPECT_THAT(Of(ReadParentsOf(database_, campaign_, 2)), ElementsAre("1"));
  EXPECT_THAT(Of(ReadParentsOf(database_, campaign_, 0)), IsEmpty());
}

TEST_F(NodePagesTest, TrialsComeInTheOrderMade) {
  Grow(database_, campaign_, kRootNode,
       {.trials = {{"U=1", Verdict::kPassed, Speedup{2.0, Interval{1.5, 2.5}},
                    0.5, true},
                   {"U=2", Verdict::kCrashed, {}, 0.25, false}}});
  EXPECT_THAT(Of(ReadTuningTrials(database_, campaign_, 3)),
              ElementsAre("0|U=1|passed|2|1.5|2.5|0.5|1",
                          "1|U=2|crashed|-|-|-|0.25|0"));
  EXPECT_THAT(Of(ReadTuningTrials(database_, campaign_, 1)), IsEmpty());
}

TEST_F(NodePagesTest, ASourceComesWithItsLanguage) {
  EXPECT_THAT(Of(ReadSource(database_, campaign_, 1)),
              ElementsAre("a\nb\n|cpp"));
  EXPECT_THAT(Of(ReadSource(database_, campaign_, 7)), IsEmpty());
}

TEST_F(NodePagesTest, WhatAWindowLacksComesInRuns) {
  Grow(database_, campaign_, kRootNode,
       {.cut = {{Kinship::kSibling, NodeId{2}, NodeId{2}, 1},
                {Kinship::kChild, NodeId{2}, NodeId{3}, 2},
                {Kinship::kChild, NodeId{1}, NodeId{1}, 1}}});
  const Listing calls = Must(ReadCallsOf(database_, campaign_, 3));
  EXPECT_EQ(Row(calls, 0, {"nodes_cut"}), "4");
  EXPECT_THAT(
      Of(ReadWindowCut(database_, std::get<std::int64_t>(calls.rows[0][0]))),
      ElementsAre("child|1|1", "child|2|3", "sibling|2|2"));
}

TEST_F(NodePagesTest, FurtherEvaluationsFollowTheFirst) {
  Evaluation further = EvaluationOf(Verdict::kPassed, 1.0);
  further.workloads.push_back(further.workloads[0]);
  further.workloads[1].workload = "w1";
  further.workloads[1].profile.emplace().shape = "N=1";
  Must(Nodes(database_).AddEvaluation(campaign_, child_, further, 2000.0));
  const Measured measured = Must(ReadMeasured(database_, campaign_, 1));
  ASSERT_EQ(measured.evaluations.rows.size(), 2U);
  EXPECT_EQ(Row(measured.evaluations, 1, {"ordinal", "runtime_s"}), "1|1.00");
  ASSERT_EQ(measured.workload_results.rows.size(), 3U);
  EXPECT_EQ(Row(measured.workload_results, 1, {"ordinal", "workload"}), "1|w0");
  EXPECT_EQ(Row(measured.workload_results, 2, {"ordinal", "workload"}), "1|w1");
  ASSERT_EQ(measured.profiles.rows.size(), 1U);
  EXPECT_THAT(Of(ReadSamples(database_, campaign_, 1, 1)),
              ElementsAre("0|w0|-|1|4|0", "1|w1|N=1|1|4|0"));
  EXPECT_THAT(Of(ReadSamples(database_, campaign_, 1, 0)),
              ElementsAre("0|w0|-|2|4|0"));
}

// b's kernel was judged at 1001 s and, made again, at 1002 s; a's once more at
// 2000 s.
TEST_F(NodePagesTest, AKernelsHistoryIsInTheOrderOfItsTimes) {
  const CampaignId later = Plant(database_, "b");
  Grow(database_, later, kRootNode, {.source = "a\nb\n"});
  Grow(database_, later, kRootNode, {.source = "a\nb\n"});
  Must(Nodes(database_).AddEvaluation(
      campaign_, child_, EvaluationOf(Verdict::kPassed, 2.0), 2000.0));
  const auto hash = Must(KernelHashOf(database_, later, 1));
  const Listing history = Must(ReadKernelHistory(database_, *hash));
  ASSERT_EQ(history.rows.size(), 4U);
  const std::vector<std::string> columns = {"c", "node", "ordinal"};
  EXPECT_EQ(Row(history, 0, columns), "a|1|0");
  EXPECT_EQ(Row(history, 1, columns), "b|1|0");
  EXPECT_EQ(Row(history, 2, columns), "b|1|1");
  EXPECT_EQ(Row(history, 3, columns), "a|1|1");
  EXPECT_EQ(KernelHashOf(database_, campaign_, 9).error().code,
            Errc::kNotFound);
}

TEST_F(NodePagesTest, RowsSayWhatTheirCallsCost) {
  const std::int64_t numbers[] = {1};
  const Listing rows = Must(ReadNodeRows(database_, campaign_, numbers));
  EXPECT_EQ(Row(rows, 0, {"cost_usd", "policy", "committed_at_s"}),
            "0.50|stark|1001");
}

}  // namespace
}  // namespace coppice::store
