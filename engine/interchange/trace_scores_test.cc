#include "engine/interchange/trace_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace coppice::engine {
namespace {

using eval::TraceStatus;
using testing::ElementsAre;
using testing::IsEmpty;

// A set from lines "DEFINITION WORKLOAD SOLUTION AUTHOR LATENCY REFERENCE", in
// milliseconds; a latency of "-" is a failure.
eval::TraceSet SetOf(const std::string& text) {
  eval::TraceSet set;
  std::istringstream lines(text);
  eval::Trace trace;
  std::string solution;
  std::string author;
  std::string latency;
  double reference = 0.0;
  while (lines >> trace.definition >> trace.workload.uuid >> solution >>
         author >> latency >> reference) {
    trace.solution = solution;
    trace.evaluation.emplace();
    trace.evaluation->timestamp = "t";
    if (latency == "-") {
      trace.evaluation->status = TraceStatus::kTimeout;
    } else {
      trace.evaluation->correctness.emplace();
      trace.evaluation->performance = {std::stod(latency), reference, 0.0};
    }
    set.traces.push_back(trace);
    Solution document;
    document.name = solution;
    document.author = author;
    if (author != "?") set.solutions[solution] = {document, ""};
  }
  return set;
}

// Ratios against the baseline's 4 and 6 ms:
//   fast   4/1 = 4, 6/3 = 2      arithmetic mean 3, geometric sqrt 8 = 2.83
//   half   4/2 = 2, failed       score 0
//   plain  1, 1
const char kRace[] =
    "gemm w1 plain baseline 4 9\n"
    "gemm w2 plain baseline 6 9\n"
    "gemm w1 fast  ann 1 9\n"
    "gemm w2 fast  ann 3 9\n"
    "gemm w1 half  bob 2 9\n"
    "gemm w2 half  bob - 0\n";

std::vector<std::string> Names(const std::vector<Placing>& placings) {
  std::vector<std::string> names;
  for (const Placing& placing : placings) names.push_back(placing.solution);
  return names;
}

TEST(TraceScoresTest, AScoreIsTheMeanRatioAndZeroAfterAFailure) {
  const std::vector<Placing> ranked = Rank(SetOf(kRace));
  EXPECT_THAT(Names(ranked), ElementsAre("fast", "plain", "half"));
  EXPECT_DOUBLE_EQ(ranked[0].Score(), 3.0);
  EXPECT_DOUBLE_EQ(ranked[0].GeometricMean(), std::sqrt(8.0));
  EXPECT_DOUBLE_EQ(ranked[1].Score(), 1.0);
  EXPECT_EQ(ranked[2].Score(), 0.0);
  EXPECT_EQ(ranked[2].Passed(), 1u);
  EXPECT_DOUBLE_EQ(ranked[2].GeometricMean(), 2.0);
  EXPECT_EQ(ranked[0].yardstick, TraceYardstick::kBaseline);
}

// The machine was four times as slow for the kernel's session as for the
// root's: by latencies it is half as fast, and it is twice as fast.
TEST(TraceScoresTest, OursAreHeldAgainstTheRootOfTheirOwnSession) {
  eval::TraceSet set = SetOf(
      "gemm w1 root  baseline 4 4.2\n"
      "gemm w1 node1 coppice  8 16\n");
  set.traces[0].evaluation->correctness->extra =
      R"({"coppice": {"ordinal": 0, "further": false, "decides": true, "root": true}})";
  EXPECT_DOUBLE_EQ(Rank(set)[0].Score(), 1.0);  // The other is not ours.
  set.traces[1].evaluation->correctness->extra =
      R"({"coppice": {"ordinal": 0, "further": false, "decides": true}})";
  const std::vector<Placing> ranked = Rank(set);
  EXPECT_THAT(Names(ranked), ElementsAre("node1", "root"));
  EXPECT_DOUBLE_EQ(ranked[0].Score(), 2.0);
  EXPECT_DOUBLE_EQ(ranked[1].Score(), 1.0);
  EXPECT_DOUBLE_EQ(ranked[1].speedup->ratio, 1.0);
}

TEST(TraceScoresTest, WithoutABaselineTheReferenceIsTheYardstick) {
  const std::vector<Placing> ranked =
      Rank(SetOf("gemm w1 fast ann 1 9\n"
                 "gemm w1 bad baseline - 0\n"));
  EXPECT_EQ(ranked[0].yardstick, TraceYardstick::kReference);
  EXPECT_DOUBLE_EQ(ranked[0].Score(), 9.0);
  EXPECT_EQ(ranked[1].Score(), 0.0);
}

// Nobody can be held against what the baseline does not do.
TEST(TraceScoresTest, WorkloadsWithoutABaselineDoNotCount) {
  const std::vector<Placing> ranked =
      Rank(SetOf("gemm w1 plain baseline 4 9\n"
                 "gemm w1 fast ann 1 9\n"
                 "gemm w2 fast ann - 9\n"));
  EXPECT_EQ(ranked[0].ratios.size(), 1u);
  EXPECT_DOUBLE_EQ(ranked[0].Score(), 4.0);
}

TEST(TraceScoresTest, AWorkloadThatASolutionHasNoTraceOfIsNotPassed) {
  const std::vector<Placing> ranked =
      Rank(SetOf("gemm w1 plain baseline 4 9\n"
                 "gemm w2 plain baseline 4 9\n"
                 "gemm w1 fast ann 1 9\n"));
  EXPECT_THAT(Names(ranked), ElementsAre("plain", "fast"));
  EXPECT_EQ(ranked[1].Score(), 0.0);
}

TEST(TraceScoresTest, TheLastTraceCounts) {
  eval::TraceSet set = SetOf(
      "gemm w1 fast ann 1 8\n"
      "gemm w1 fast ann 2 8\n"
      "gemm w1 fast ann 4 8\n");
  EXPECT_DOUBLE_EQ(Rank(set)[0].Score(), 2.0);  // The last of equal times.
  set.traces[1].evaluation->timestamp = "u";
  EXPECT_DOUBLE_EQ(Rank(set)[0].Score(), 4.0);
}

TEST(TraceScoresTest, AnAuthorHasTheMeanOfItsBestSolutions) {
  const std::vector<AuthorPlacing> authors =
      RankAuthors(Rank(SetOf("gemm w1 a1 ann 1 8\n"       // 8
                             "gemm w1 a2 ann 2 8\n"       // 4: not its best
                             "sort w1 a3 ann - 0\n"       // 0
                             "sort w1 b1 bob 2 10\n")));  // 5
  ASSERT_EQ(authors.size(), 2u);
  EXPECT_EQ(authors[0].author, "bob");
  EXPECT_DOUBLE_EQ(authors[0].score, 5.0);
  EXPECT_EQ(authors[1].author, "ann");
  EXPECT_DOUBLE_EQ(authors[1].score, 4.0);
  EXPECT_EQ(authors[1].definitions, 2u);
  EXPECT_EQ(authors[1].solved, 1u);
}

// ann has the ratios 4 and 2, bob 2 and none, the baseline 1 and 1.
TEST(TraceScoresTest, FastPIsTheShareOfWorkloadsAboveP) {
  const Curves curves = FastP(Rank(SetOf(kRace)));
  const auto& ann = curves.at("ann");
  EXPECT_DOUBLE_EQ(FastAt(ann, 0.0), 1.0);
  EXPECT_DOUBLE_EQ(FastAt(ann, 1.99), 1.0);
  EXPECT_DOUBLE_EQ(FastAt(ann, 2.0), 0.5);  // Strictly above.
  EXPECT_DOUBLE_EQ(FastAt(ann, 4.0), 0.0);
  EXPECT_DOUBLE_EQ(FastAt(curves.at("bob"), 0.0), 0.5);
  EXPECT_DOUBLE_EQ(FastAt(curves.at("baseline"), 1.0), 0.0);
}

// The fastest are 1 and 3 ms, ann's: bob is at 1/2 and nowhere, the baseline at
// 1/4 and 1/2.
TEST(TraceScoresTest, WinAtPIsTheShareOfWorkloadsNearTheFastest) {
  const Curves curves = WinAtP(Rank(SetOf(kRace)));
  EXPECT_DOUBLE_EQ(WinAt(curves.at("ann"), 1.0), 1.0);
  EXPECT_DOUBLE_EQ(WinAt(curves.at("bob"), 1.0), 0.0);
  EXPECT_DOUBLE_EQ(WinAt(curves.at("bob"), 0.5), 0.5);
  EXPECT_DOUBLE_EQ(WinAt(curves.at("baseline"), 0.51), 0.0);
  EXPECT_DOUBLE_EQ(WinAt(curves.at("baseline"), 0.5), 0.5);
  EXPECT_DOUBLE_EQ(WinAt(curves.at("baseline"), 0.25), 1.0);
}

// Two definitions, and ann is only in one.
TEST(TraceScoresTest, WhatAnAuthorDidNotTryCountsAgainstIt) {
  const Curves curves =
      FastP(Rank(SetOf("gemm w1 a ann 1 8\n"
                       "sort w1 b bob 1 8\n")));
  EXPECT_DOUBLE_EQ(FastAt(curves.at("ann"), 0.0), 0.5);
}

TEST(TraceScoresTest, ATallyCountsEveryTrace) {
  eval::TraceSet set = SetOf(kRace);
  set.traces.emplace_back();
  set.traces.back().solution = "fast";
  const TraceTally tally = TallyOf(set);
  EXPECT_EQ(tally.traces, 7u);
  EXPECT_EQ(tally.Passed(), 5u);
  EXPECT_EQ(tally.by_status[static_cast<int>(TraceStatus::kTimeout)], 1u);
  EXPECT_EQ(tally.unjudged, 1u);
  EXPECT_EQ(tally.least_ms, 1.0);
  EXPECT_EQ(tally.most_ms, 6.0);
  EXPECT_DOUBLE_EQ(*tally.mean_ms, (4.0 + 6.0 + 1.0 + 3.0 + 2.0) / 5.0);
  EXPECT_EQ(tally.authors, 3u);
}

TEST(TraceScoresTest, AnEmptySetHasNoStandings) {
  EXPECT_THAT(Rank({}), IsEmpty());
  EXPECT_THAT(FastP({}), IsEmpty());
  EXPECT_EQ(TallyOf({}).mean_ms, std::nullopt);
}

TEST(TraceScoresTest, ASolutionThatTheSetLacksIsByUnknown) {
  EXPECT_EQ(Rank(SetOf("gemm w1 lost ? 1 2\n"))[0].author, "unknown");
}

// A bound of 1 ms and a baseline of 3: 5 ms is 1 / (1 + 4 / 2).
TEST(TraceScoresTest, ATimeIsScoredBetweenItsBoundAndTheBaseline) {
  const eval::QuotedTimes bound{.sol_ms = 1.0, .baseline_ms = 3.0};
  EXPECT_DOUBLE_EQ(SolScore(1.0, bound), 1.0);
  EXPECT_DOUBLE_EQ(SolScore(3.0, bound), 0.5);
  EXPECT_DOUBLE_EQ(SolScore(5.0, bound), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(SolScore(0.5, bound), 1.0);
  // A baseline that is no slower than light leaves nothing between.
  EXPECT_DOUBLE_EQ(SolScore(2.0, {.sol_ms = 1.0, .baseline_ms = 1.0}), 0.0);
  EXPECT_DOUBLE_EQ(SolScore(1.0, {.sol_ms = 1.0, .baseline_ms = 1.0}), 1.0);
}

// Over three bounds of 1 ms and baselines of 3: fast is at the baseline once,
// half of it at the bound, and nothing of slow was timed on a B200.
TEST(TraceScoresTest, SolScoresAreMeansOverAllBoundsOfTimesOnAB200) {
  eval::TraceSet set = SetOf(
      "gemm w1 fast ann 3 9\n"
      "gemm w2 fast ann - 0\n"
      "gemm w1 half bob 1 9\n"
      "gemm w2 half bob 1 9\n"
      "gemm w1 slow cat 1 9\n"
      "norm w1 free dan 1 9\n");
  for (eval::Trace& trace : set.traces) {
    trace.evaluation->hardware =
        trace.solution == "slow" ? "NVIDIA H100" : "NVIDIA B200";
  }
  for (const char* workload : {"w1", "w2", "w3"}) {
    set.bounds["gemm"][workload] = {1.0, 3.0};
  }
  const std::vector<SolPlacing> ranked = RankBySol(set);
  ASSERT_EQ(ranked.size(), 2U);
  EXPECT_EQ(ranked[0].solution, "half");
  EXPECT_DOUBLE_EQ(ranked[0].score, 2.0 / 3.0);
  EXPECT_EQ(ranked[0].passed, 2U);
  EXPECT_EQ(ranked[0].workloads, 3U);
  EXPECT_EQ(ranked[1].solution, "fast");
  EXPECT_DOUBLE_EQ(ranked[1].score, 0.5 / 3.0);
}

}  // namespace
}  // namespace coppice::engine
