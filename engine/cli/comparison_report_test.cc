#include "engine/cli/comparison_report.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "engine/cli/printed.h"
#include "store/scratch.h"

namespace coppice::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

lab::Score ScoreOf(const std::string& policy, std::uint64_t seed,
                   double speedup) {
  lab::Score score;
  score.policy = policy;
  score.task = "gemv";
  score.seed = seed;
  score.solved = true;
  score.attempts = 4;
  score.compiled = 3;
  score.passed = 2;
  score.log_speedup = std::log(speedup);
  score.curve = {{2.0, score.log_speedup}};
  return score;
}

// greedy is twice as fast in seven races of eight, of which one is missing.
ComparisonReport Report() {
  ComparisonReport report;
  report.source = "x.db";
  report.grid = {{"stark", "greedy"}, {"gemv"}, {1, 2, 3, 4, 5, 6, 7, 8}, {}};
  report.grid.budget.amount = 4.0;
  for (std::uint64_t seed = 1; seed <= 7; ++seed) {
    report.scores.push_back(ScoreOf("stark", seed, 2.0));
    report.scores.push_back(ScoreOf("greedy", seed, 4.0));
  }
  report.scores.push_back(ScoreOf("stark", 8, 2.0));
  report.missing = {{"greedy", "gemv", 8}};
  report.comparison = lab::Compare(report.scores, "stark", {1, 2, 3, 4});
  return report;
}

TEST(ComparisonReportTest, SaysWhatWasComparedAndWhatIsMissing) {
  EXPECT_THAT(
      Printed(PrintComparison, Report()),
      HasSubstr("2 policies on 1 task with 8 seeds, 4 attempts each: 15 "
                "campaigns in x.db\n"
                "1 more is not at the end of its budget, and left out\n"));
  ComparisonReport report = Report();
  report.missing.push_back({"greedy", "gemv", 9});
  EXPECT_THAT(
      Printed(PrintComparison, report),
      HasSubstr("\n2 more are not at the end of their budget, and left out\n"));
}

TEST(ComparisonReportTest, SaysHowManyEndedBeforeTheirBudget) {
  ComparisonReport report = Report();
  EXPECT_THAT(Printed(PrintComparison, report), Not(HasSubstr("ended before")));
  report.scores[0].attempts = 3;
  EXPECT_THAT(Printed(PrintComparison, report),
              HasSubstr("\n1 ended before, with nothing left to try or by "
                        "another rule, and counts with what it came to\n"));
  report.scores[1].attempts = 2;
  EXPECT_THAT(Printed(PrintComparison, report),
              HasSubstr("\n2 ended before, with nothing left to try or by "
                        "another rule, and count with what they came to\n"));
}

TEST(ComparisonReportTest, SaysHowManyAreUnproven) {
  ComparisonReport report = Report();
  EXPECT_THAT(Printed(PrintComparison, report), Not(HasSubstr("once more")));
  report.scores[0].proven = false;
  report.scores[5].proven = false;
  EXPECT_THAT(Printed(PrintComparison, report),
              HasSubstr("of 2 the best kernel was not measured once more"));
  EXPECT_EQ(nlohmann::json::parse(Printed(PrintComparisonJson, report))
                .at("unproven"),
            2);
}

TEST(ComparisonReportTest, TellsPoliciesApart) {
  EXPECT_THAT(Printed(PrintComparison, Report()),
              HasSubstr("greedy      7  +0.693 (+0.693 to +0.693)  0.016     "
                        "0.016      100 %  better\n"));
}

TEST(ComparisonReportTest, ShowsSharesSpeedAndCurves) {
  const std::string said = Printed(PrintComparison, Report());
  EXPECT_THAT(said, HasSubstr("stark           8    100 %   100 %"
                              "               75 %    50 %\n"));
  EXPECT_THAT(said, HasSubstr("greedy  4.00x      4.00x  1.386 (1.386 to "
                              "1.386)  1.386 (1.386 to 1.386)\n"));
  EXPECT_THAT(said, HasSubstr("stark     0 %    0 %    0 %    0 %  100 %"));
  EXPECT_THAT(said, HasSubstr("policy      1      2      4\n"
                              "stark   0.000  0.693  0.693\n"));
}

TEST(ComparisonReportTest, WithoutScoresThereIsOnlyTheHeading) {
  ComparisonReport report = Report();
  report.scores.clear();
  report.comparison = {};
  EXPECT_THAT(Printed(PrintComparison, report),
              Not(HasSubstr("speedup over the root")));
  EXPECT_THAT(nlohmann::json::parse(Printed(PrintComparisonJson, report))
                  .at("policies")
                  .size(),
              0u);
}

TEST(ComparisonReportTest, SaysWhyThereIsNoInterval) {
  const auto warning_of = [](std::uint64_t seeds) {
    std::vector<lab::Score> scores;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      scores.push_back(ScoreOf("stark", seed, 2.0));
    }
    return IntervalWarning(lab::Compare(scores, "stark", {}));
  };
  EXPECT_EQ(warning_of(2), "");
  EXPECT_THAT(warning_of(1), HasSubstr("there are no intervals over seeds"));
}

// One task says nothing of others.  0.693 on three tasks of two families leaves
// no doubt over either.
TEST(ComparisonReportTest, SaysWhatADifferenceIsWorthElsewhere) {
  EXPECT_THAT(Printed(PrintComparison, Report()), Not(HasSubstr("over tasks")));
  ComparisonReport report = Report();
  const std::vector<lab::Score> of_one = report.scores;
  for (const char* task : {"recorded:a_1", "recorded:a_2"}) {
    for (lab::Score score : of_one) {
      score.task = task;
      score.family = "recorded:a";
      report.scores.push_back(std::move(score));
    }
  }
  report.comparison = lab::Compare(report.scores, "stark", {});
  EXPECT_THAT(
      Printed(PrintComparison, report),
      HasSubstr("policy  tasks  over tasks                 families  over "
                "families\n"
                "greedy      3  +0.693 (+0.693 to +0.693)         2  +0.693 "
                "(+0.693 to +0.693)\n"));
  const auto json = nlohmann::json::parse(Printed(PrintComparisonJson, report));
  EXPECT_EQ(json.at("differences").at(0).at("families"), 2);
}

// stark has log 2 of the log 4 that there is, greedy all of it, and random
// search a quarter.
TEST(ComparisonReportTest, TellsSharesOfTheFastestAndRandomSearch) {
  EXPECT_THAT(Printed(PrintComparison, Report()), Not(HasSubstr("random")));
  ComparisonReport report = Report();
  const std::string task = report.scores.front().task;
  const double all = std::log(4.0);
  report.comparison =
      lab::Compare(report.scores, "stark", {}, {{task, {all, all / 4}}});
  const std::string said = Printed(PrintComparison, report);
  EXPECT_THAT(said, HasSubstr("\nstark   0.500 (0.500 to 0.500)  0.333 (0.333 "
                              "to 0.333)\n"));
  EXPECT_THAT(said, HasSubstr("\ngreedy  1.000 (1.000 to 1.000)  1.000 (1.000 "
                              "to 1.000)\n"));
  EXPECT_THAT(said, HasSubstr("\nrandom  0.250                   0\n"));
  const auto json = nlohmann::json::parse(Printed(PrintComparisonJson, report));
  EXPECT_EQ(json.at("known").at("random_share_of_optimum"), 0.25);
}

TEST(ComparisonReportTest, WordsOfAFinding) {
  lab::Difference difference;
  EXPECT_EQ(FindingText(difference), "cannot tell: too few pairs");
  difference.pairs = 5;
  EXPECT_EQ(FindingText(difference), "cannot tell: hardly a difference seen");
  difference.more_seeds = 1;
  EXPECT_EQ(FindingText(difference), "cannot tell: about 1 more seed would");
  difference.more_seeds = 12;
  EXPECT_EQ(FindingText(difference), "cannot tell: about 12 more seeds would");
  difference.finding = lab::DifferenceSign::kWorse;
  EXPECT_EQ(FindingText(difference), "worse");
}

TEST(ComparisonReportTest, JsonHasTheSameNumbers) {
  const auto json =
      nlohmann::json::parse(Printed(PrintComparisonJson, Report()));
  EXPECT_EQ(json.at("baseline"), "stark");
  EXPECT_EQ(json.at("budget_kind"), "attempts");
  EXPECT_EQ(json.at("missing").at(0).at("seed"), 8);
  const auto& greedy = json.at("differences").at(0);
  EXPECT_EQ(greedy.at("finding"), "better");
  EXPECT_EQ(greedy.at("p_holm"), 2.0 / 128.0);
  EXPECT_TRUE(greedy.at("more_seeds").is_null());
  EXPECT_EQ(json.at("profiles").at("races"), 7);
  EXPECT_EQ(json.at("curves").at(1).at("points").size(), 4u);
}

// stark's kernels are 2 times as fast as the root in each race, greedy's 4
// times: means over seeds are ln 2 and ln 4, and so are their intervals.
TEST(ComparisonReportTest, JsonHasWhatTablesRoundOff) {
  const auto json =
      nlohmann::json::parse(Printed(PrintComparisonJson, Report()));
  const auto sure = [](double value) {
    return testing::ResultOf(
        [](const nlohmann::json& estimate) {
          return std::vector<double>{estimate.at("value").get<double>(),
                                     estimate.at("low").get<double>(),
                                     estimate.at("high").get<double>()};
        },
        testing::Each(testing::DoubleNear(value, 1e-12)));
  };
  EXPECT_EQ(json.at("source"), "x.db");
  EXPECT_EQ(json.at("tasks"), nlohmann::json::array({"gemv"}));
  EXPECT_EQ(json.at("seeds").size(), 8u);
  EXPECT_EQ(json.at("budget"), 4.0);
  EXPECT_EQ(json.at("campaigns"), 15);
  EXPECT_EQ(json.at("missing"), nlohmann::json::parse(R"([
      {"policy": "greedy", "task": "gemv", "seed": 8}])"));
  EXPECT_EQ(json.at("known"), nullptr);
  const auto& stark = json.at("policies").at(0);
  EXPECT_EQ(stark.at("policy"), "stark");
  EXPECT_EQ(stark.at("campaigns"), 8);
  EXPECT_EQ(stark.at("success"), 1.0);
  EXPECT_EQ(stark.at("compiled"), 0.75);
  EXPECT_EQ(stark.at("passed"), 0.5);
  EXPECT_DOUBLE_EQ(stark.at("mean_speedup"), 2.0);
  EXPECT_DOUBLE_EQ(stark.at("geometric_mean_speedup"), 2.0);
  EXPECT_THAT(stark.at("mean_log_speedup"), sure(std::log(2.0)));
  EXPECT_THAT(stark.at("interquartile_mean_log_speedup"), sure(std::log(2.0)));
  const auto& greedy = json.at("differences").at(0);
  EXPECT_EQ(greedy.at("policy"), "greedy");
  EXPECT_EQ(greedy.at("pairs"), 7);
  EXPECT_EQ(greedy.at("tasks"), 1);
  EXPECT_THAT(greedy.at("log_speedup"), sure(std::log(2.0)));
  EXPECT_NEAR(greedy.at("standard_deviation"), 0.0, 1e-12);
  EXPECT_EQ(greedy.at("probability_of_improvement"), 1.0);
  // Greedy wins all races that both ran; stark is within a factor of 2.
  const auto& profiles = json.at("profiles");
  EXPECT_EQ(profiles.at("shares").at(0).at("at_factors").size(),
            profiles.at("factors").size());
  EXPECT_EQ(profiles.at("shares").at(1).at("policy"), "greedy");
  EXPECT_EQ(profiles.at("shares").at(1).at("at_factors").at(0), 1.0);
  const auto& points = json.at("curves").at(0).at("points");
  EXPECT_EQ(points.at(0).at("spent"), 1.0);
  EXPECT_THAT(points.at(0).at("mean_log_speedup"), sure(0.0));
  EXPECT_THAT(points.at(3).at("mean_log_speedup"), sure(std::log(2.0)));
}

TEST(ComparisonReportTest, CsvFilesHoldARowForEach) {
  const store::ScratchDirectory directory;
  std::filesystem::create_directories(directory.File("out"));
  ASSERT_TRUE(WriteComparisonCsv(Report(), directory.File("out")));
  const auto lines = [&](const std::string& name) {
    std::ifstream file(directory.File("out") / name);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(lines("policies.csv"), 1 + 2);
  EXPECT_EQ(lines("differences.csv"), 1 + 1);
  EXPECT_EQ(lines("campaigns.csv"), 1 + 15);
  EXPECT_EQ(lines("curves.csv"), 1 + 2 * 4);
  EXPECT_EQ(lines("profiles.csv"), 1 + 2 * 8);
}

// 2 and 4 are what stark's and greedy's kernels are faster by, in each race: so
// means and their intervals are ln 2 and ln 4, and no policy is undecided.
TEST(ComparisonReportTest, CsvFilesHaveAColumnForEachNumber) {
  const store::ScratchDirectory directory;
  ASSERT_TRUE(WriteComparisonCsv(Report(), directory.File("")));
  const auto file = [&](const std::string& name) {
    std::ifstream text(directory.File(name));
    return std::string{std::istreambuf_iterator<char>(text), {}};
  };
  EXPECT_THAT(
      file("policies.csv"),
      testing::StartsWith(
          "policy,campaigns,success,fast_1,compiled,passed,mean_speedup,"
          "geometric_mean_speedup,mean_log_speedup,mean_low,mean_high,"
          "iqm_log_speedup,iqm_low,iqm_high,undecided\nstark,8,1,1,0.75,0.5,"));
  EXPECT_THAT(
      file("differences.csv"),
      testing::StartsWith(
          "policy,baseline,pairs,log_speedup,low,high,standard_deviation,p,"
          "p_holm,probability_of_improvement,finding,more_seeds,tasks,"
          "over_tasks,over_tasks_low,over_tasks_high,families,over_families,"
          "over_families_low,over_families_high\ngreedy,stark,7,0.69314"));
  // Two sided, of seven pairs of one sign: 2 / 2^7.
  EXPECT_THAT(file("differences.csv"),
              HasSubstr(",0.015625,0.015625,1,better,,1,"));
  EXPECT_THAT(
      file("campaigns.csv"),
      testing::StartsWith("policy,task,seed,log_speedup,proven,solved,attempts,"
                          "compiled,passed\nstark,gemv,1,0.69314"));
  EXPECT_THAT(file("campaigns.csv"), HasSubstr(",1,1,4,3,2\ngreedy,gemv,1,"));
  EXPECT_THAT(file("curves.csv"),
              testing::StartsWith("policy,attempts,mean_log_speedup,mean_low,"
                                  "mean_high,iqm_log_speedup,iqm_low,iqm_high"
                                  "\nstark,1,0,0,0,0,0,0\nstark,2,0.69314"));
  EXPECT_THAT(file("profiles.csv"),
              testing::StartsWith("policy,factor,share\nstark,1,0\n"));
}

TEST(ComparisonReportTest, AFileThatCannotBeWrittenIsNamed) {
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / "comparison_no_folder";
  std::ofstream(file) << "a file";
  const auto written = WriteComparisonCsv(Report(), file);
  std::filesystem::remove(file);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().what,
            (file / "policies.csv").string() + ": cannot be written");
}

}  // namespace
}  // namespace coppice::cli
