#include "engine/cli/in_memory_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

lab::PolicySummary SummaryOf(const std::string& policy, double mean) {
  lab::PolicySummary summary;
  summary.policy = policy;
  summary.campaigns = 3;
  summary.success = 1.0;
  summary.fast_1 = 0.5;
  summary.log_speedup.mean = {mean, Interval{mean - 0.25, mean + 0.25}};
  summary.log_speedup.interquartile_mean = {mean, std::nullopt};
  return summary;
}

// How greedy differs from stark: it is 0.25 below.
lab::Comparison Lost(lab::DifferenceSign finding) {
  lab::Comparison comparison;
  comparison.policies = {SummaryOf("stark", 0.75), SummaryOf("greedy", 0.5)};
  comparison.baseline = "stark";
  comparison.least_seeds = 3;
  lab::Difference difference;
  difference.policy = "greedy";
  difference.pairs = 3;
  difference.log_speedup = {-0.25, Interval{-0.375, -0.125}};
  difference.p = 0.03125;
  difference.adjusted_p = 0.0625;
  difference.probability_of_improvement = 0.25;
  difference.finding = finding;
  comparison.differences = {difference};
  return comparison;
}

// Two policies on two landscapes, of eight attempts each: told apart on the
// second, and on both together.
InMemoryTrial Played() {
  using enum lab::DifferenceSign;
  InMemoryTrial trial;
  trial.grid.policies = {"stark", "greedy"};
  trial.grid.landscapes = {"sim:hill/1", "sim:nk/1"};
  trial.grid.seeds = {1, 2, 3};
  trial.grid.budgets = {8};
  trial.baseline = "stark";
  trial.parts = {{8, "", Lost(kWorse)},
                 {8, "sim:hill/1", Lost(kCannotTell)},
                 {8, "sim:nk/1", Lost(kWorse)}};
  return trial;
}

template <class Print>
std::string Printed(Print print, const InMemoryTrial& trial) {
  std::istringstream in;
  std::ostringstream out;
  Streams streams{in, out, out};
  print(trial, streams);
  return out.str();
}

TEST(InMemoryReportTest, PoliciesAreToldTogetherAndOnEachLandscape) {
  const std::string text = Printed(PrintTrial, Played());
  EXPECT_THAT(text,
              StartsWith("in memory: 2 policies, 2 landscapes, 3 campaigns of "
                         "each\n\n8 attempts: log speedup, and difference from "
                         "stark (95 % over seeds of these landscapes)\n"));
  EXPECT_THAT(text,
              ContainsRegex("\nstark +0.750 \\(0.500 to 1.000\\) +0.750"
                            "\ngreedy +0.500 \\(0.250 to 0.750\\) +0.500 +"
                            "-0.250 \\(-0.375 to -0.125\\) +0.0625 +25 % +"
                            "worse\n"));
  EXPECT_THAT(text, ContainsRegex("\nby landscape +stark +greedy\n"
                                  "sim:hill/1 +0.750 +-0.250\n"
                                  "sim:nk/1 +0.750 +-0.250\\*\n"));
  EXPECT_THAT(text, HasSubstr("\n* told apart from stark on this landscape"));
}

TEST(InMemoryReportTest, WhatIsMissingAndWhereItIsKeptAreTold) {
  InMemoryTrial trial = Played();
  trial.file = "lab.db";
  trial.missing = 5;
  trial.grid.unit = search::BudgetUnit::kEvaluatorSeconds;
  const std::string text = Printed(PrintTrial, trial);
  EXPECT_THAT(text, HasSubstr(" campaigns of each in lab.db\n5 of 12 campaigns "
                              "are not played yet; "));
  EXPECT_THAT(text, HasSubstr("\n8 evaluator seconds: log speedup"));
  trial.parts.clear();  // No seed was played by both.
  EXPECT_THAT(Printed(PrintTrial, trial), Not(HasSubstr("log speedup")));
}

// Names of policies may come from a file of somebody else's.
TEST(InMemoryReportTest, NoNameSteersTheTerminal) {
  InMemoryTrial trial = Played();
  const std::string hostile = "st\033[2Jark";
  trial.baseline = trial.grid.policies[0] = hostile;
  for (TrialPart& part : trial.parts) {
    part.comparison.baseline = part.comparison.policies[0].policy = hostile;
    part.landscape += part.landscape.empty() ? "" : "\a";
  }
  EXPECT_THAT(Printed(PrintTrial, trial),
              AllOf(HasSubstr("difference from st?[2Jark ("),
                    HasSubstr("told apart from st?[2Jark on"),
                    Not(HasSubstr("\033")), Not(HasSubstr("\a"))));
}

TEST(InMemoryReportTest, ProgramsGetAPartForEachQuestion) {
  const auto json = nlohmann::json::parse(Printed(PrintTrialJson, Played()));
  EXPECT_EQ(json["unit"], "attempts");
  EXPECT_EQ(json["seeds"], 3);
  ASSERT_EQ(json["parts"].size(), 3u);
  EXPECT_EQ(json["parts"][0]["landscape"], nullptr);
  EXPECT_EQ(json["parts"][2]["landscape"], "sim:nk/1");
  EXPECT_EQ(json["parts"][2]["budget"], 8);
  EXPECT_EQ(json["parts"][1]["differences"][0]["finding"], "cannot_tell");
  EXPECT_FALSE(json.contains("until_told"));
}

// The baseline differs from nobody, so its cells of that are empty.
TEST(InMemoryReportTest, ASheetHasARowForEachPolicyOfEachPart) {
  std::ostringstream csv;
  PrintCsv(TrialSheet(Played()), csv);
  std::istringstream lines(csv.str());
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(line);
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[1], "8,all,stark,3,1,0.5,0.75,0.5,1,0.75,,,,,,,,,,,,,,,");
  EXPECT_THAT(rows[2],
              StartsWith("8,all,greedy,3,1,0.5,0.5,0.25,0.75,0.5,,,"
                         "-0.25,-0.375,-0.125,0,0.03125,0.0625,0.25,"));
  EXPECT_THAT(rows[6], StartsWith("8,sim:nk/1,greedy,"));
  for (const std::string& row : rows) {
    EXPECT_EQ(std::ranges::count(row, ','), 24) << row;
  }
}

class InMemoryScoresTest : public testing::Test, protected Rehearsal {
 protected:
  InMemoryScoresTest() {
    trial_.grid = Played().grid;
    trial_.baseline = "stark";
  }

  // What a policy has on all seeds of a landscape.
  static void Know(engine::InMemoryScores& scores, std::size_t policy,
                   std::size_t landscape, double log_speedup) {
    for (std::size_t seed = 0; seed < scores.grid().seeds.size(); ++seed) {
      scores.At({policy, landscape, seed, 0}) = {.log_speedup = log_speedup,
                                                 .attempts = 8,
                                                 .compiled = 7,
                                                 .correct = 6,
                                                 .solved = true,
                                                 .known = true};
    }
  }

  InMemoryTrial trial_;
};

TEST_F(InMemoryScoresTest, EachLandscapeIsAQuestionAndAllTogetherTheFirst) {
  engine::InMemoryScores scores(trial_.grid);
  for (const std::size_t landscape : {0u, 1u}) {
    Know(scores, 0, landscape, 0.5);
    Know(scores, 1, landscape, landscape == 0 ? 0.25 : 0.75);
  }
  std::vector<double> shares;
  CompareParts(
      scores, {{}}, /*threads=*/2,
      [&](double share) { shares.push_back(share); }, trial_);
  ASSERT_EQ(trial_.parts.size(), 3u);
  EXPECT_THAT(shares, ElementsAre(testing::DoubleEq(1.0 / 3.0),
                                  testing::DoubleEq(2.0 / 3.0), 1.0));
  const auto difference = [&](std::size_t part) {
    return trial_.parts[part].comparison.differences.front().log_speedup.value;
  };
  EXPECT_EQ(trial_.parts[0].landscape, "");
  EXPECT_DOUBLE_EQ(difference(0), 0.0);  // The mean of -0.25 and 0.25.
  EXPECT_EQ(trial_.parts[1].landscape, "sim:hill/1");
  EXPECT_DOUBLE_EQ(difference(1), -0.25);
  EXPECT_DOUBLE_EQ(difference(2), 0.25);
}

// Greedy was played on the first landscape alone, so of the second there is
// nothing to say, and of all of them no more.
TEST_F(InMemoryScoresTest, WhereNoSeedWasPlayedByAllNothingIsSaid) {
  engine::InMemoryScores scores(trial_.grid);
  Know(scores, 0, 0, 0.5);
  Know(scores, 0, 1, 0.5);
  Know(scores, 1, 0, 0.25);
  CompareParts(
      scores, {{}}, 1, [](double) {}, trial_);
  for (const TrialPart& part : trial_.parts) {
    EXPECT_NE(part.landscape, "sim:nk/1");
  }
  EXPECT_FALSE(trial_.parts.empty());
}

TEST_F(InMemoryScoresTest, OnlyScoresThatAreKnownAreWritten) {
  engine::InMemoryGrid grid = trial_.grid;
  grid.policies[0] = "stark,odd";  // A comma has quotes around it.
  engine::InMemoryScores scores(grid);
  scores.At({0, 1, 2, 0}) = {.log_speedup = 0.5,
                             .attempts = 8,
                             .compiled = 7,
                             .correct = 6,
                             .solved = true,
                             .known = true};
  store::Must(WriteScores(scores, File("")));
  EXPECT_EQ(ReadBack(File("in_memory_scores.csv")),
            "policy,landscape,seed,budget,solved,log_speedup,attempts,"
            "compiled,correct\n\"stark,odd\",sim:nk/1,3,8,1,0.5,8,7,6\n");
  const auto nowhere = WriteScores(scores, File("no/such"));
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, Errc::kIo);
  EXPECT_THAT(nowhere.error().what, HasSubstr(": cannot be written"));
}

}  // namespace
}  // namespace coppice::cli
