#include "engine/cli/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "engine/cli/printed.h"

namespace coppice::cli {
namespace {

engine::CampaignReport Report(std::string task, double root_s, double speedup,
                              std::int64_t passed, std::int64_t crashed) {
  engine::CampaignReport report;
  report.task = std::move(task);
  report.campaign = report.task + ".stark.s1";
  report.progress.root_runtime_s = root_s;
  report.progress.best_speedup = {speedup,
                                  Interval{speedup / 1.1, speedup * 1.1}};
  report.progress.attempts = passed + crashed;
  report.progress.verdicts[static_cast<std::size_t>(Verdict::kPassed)] = passed;
  report.progress.verdicts[static_cast<std::size_t>(Verdict::kCrashed)] =
      crashed;
  return report;
}

ReportContents Of(std::vector<engine::CampaignReport> reports) {
  ReportContents outcome;
  outcome.reports = std::move(reports);
  return outcome;
}

std::string Printed(const ReportContents& outcome) {
  return Printed(PrintReport, outcome, "x.db");
}

nlohmann::json Json(const ReportContents& outcome) {
  return nlohmann::json::parse(Printed(PrintReportJson, outcome, "x.db"));
}

TEST(ReportTest, SaysHowManyTasksAreUndecided) {
  ReportContents outcome =
      Of({Report("a", 1, 2.0, 3, 0), Report("b", 1, 1.0, 0, 3)});
  outcome.summary = {1.414, {0.5, 1}, {0.5, 2}};
  EXPECT_NE(Printed(outcome).find(
                "geometric-mean speedup 1.41x over 2 tasks, success 50 % (1 "
                "undecided), fast_1 50 % (2 undecided)\n"),
            std::string::npos)
      << Printed(outcome);
  const auto json = Json(outcome);
  EXPECT_EQ(json["geometric_mean_speedup"], 1.414);
  EXPECT_EQ(json["success_undecided"], 1);
  EXPECT_EQ(json["fast_1_undecided"], 2);
}

TEST(ReportTest, PrintsARowForEachTask) {
  ReportContents outcome = Of({Report("gemm", 0.010, 5.0, 2, 1)});
  outcome.summary = {5.0, {1.0, 0}, {1.0, 0}};
  const std::string text = Printed(outcome);
  EXPECT_NE(text.find("gemm"), std::string::npos);
  EXPECT_NE(text.find("10 ms"), std::string::npos);
  EXPECT_NE(text.find("5.0x (4.5-5.5)"), std::string::npos);
  EXPECT_NE(text.find("1 crashed"), std::string::npos);
  EXPECT_NE(text.find("geometric-mean speedup 5.00x over 1 task, "
                      "success 100 %, fast_1 100 %\n"),
            std::string::npos);
  EXPECT_TRUE(text.ends_with("every attempt is in x.db\n"));
}

// The best reached half of the expert's 10x, for certain; it reached nearly
// all, or all, of another expert's 5.1x.
TEST(ReportTest, ExpertsStandBesideTheBest) {
  const auto with = [](std::string task, store::Baseline expert) {
    engine::CampaignReport report = Report(std::move(task), 0.010, 5.0, 2, 1);
    report.expert = std::move(expert);
    return report;
  };
  const ReportContents outcome =
      Of({with("gemm", {"expert", false, Verdict::kPassed,
                        Speedup{10.0, Interval{9.0, 11.0}},
                        Speedup{0.5, Interval{0.4, 0.6}}, true}),
          with("scan", {"expert", false, Verdict::kTimedOut, {}, {}, false}),
          with("near", {"expert", false, Verdict::kPassed,
                        Speedup{5.1, Interval{4.6, 5.6}},
                        Speedup{0.98, Interval{0.85, 1.12}}, false}),
          Report("relu", 0.010, 5.0, 2, 1)});
  const std::string text = Printed(outcome);
  EXPECT_NE(text.find("best/expert"), std::string::npos) << text;
  EXPECT_NE(text.find("10.0x (9.0-11.0)    0.50x (0.40-0.60)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("0.98x (0.85-1.12) ?"), std::string::npos) << text;
  EXPECT_NE(text.find("\n?: cannot be told from 1\n"), std::string::npos);
  EXPECT_NE(text.find("timed_out"), std::string::npos) << text;
  const auto document = Json(outcome);
  EXPECT_EQ(document["tasks"][0]["expert"]["speedup"], 10.0);
  EXPECT_EQ(document["tasks"][0]["expert"]["best_over_expert"]["ratio"], 0.5);
  EXPECT_EQ(document["tasks"][2]["expert"]["best_over_expert"]["told_apart"],
            false);
  EXPECT_FALSE(document["tasks"][3].contains("expert"));
}

// 1.05 times as fast as the next, give or take 10 %; and twice.
TEST(ReportTest, AWinnerThatTheNextMayBeatIsMarked) {
  ReportContents outcome = Of({Report("gemm", 0.010, 5.0, 2, 1)});
  outcome.reports[0].progress.best = NodeId{7};
  outcome.reports[0].rival =
      engine::Rival{NodeId{9}, Speedup{1.05, Interval{0.95, 1.16}}};
  EXPECT_NE(Printed(outcome).find(" 7 ~ "), std::string::npos);
  EXPECT_NE(Printed(outcome).find(
                "\n~: the next best cannot be told apart from it\n"),
            std::string::npos);
  EXPECT_EQ(Json(outcome)["tasks"][0]["next"]["told_apart"], false);
  outcome.reports[0].rival->winner_over = {2.0, Interval{1.8, 2.2}};
  EXPECT_EQ(Printed(outcome).find("~"), std::string::npos);
  EXPECT_EQ(Json(outcome)["tasks"][0]["next"]["node"], 9);
}

TEST(ReportTest, SaysThatTheMachineWasBusy) {
  ReportContents outcome =
      Of({Report("a", 1, 2.0, 3, 0), Report("b", 1, 1.0, 0, 3)});
  EXPECT_EQ(Printed(outcome).find("busy"), std::string::npos);
  outcome.reports[0].progress.made_again = 14;
  outcome.reports[1].progress.made_again = 3;
  EXPECT_NE(Printed(outcome).find(
                "\nbusy machine: 17 of all rounds were made again\n"),
            std::string::npos);
  EXPECT_EQ(Json(outcome)["tasks"][0]["discarded_samples"], 14);
}

TEST(ReportTest, WithoutExpertsThereIsNoColumn) {
  EXPECT_EQ(Printed(Of({Report("relu", 0.010, 5.0, 2, 1)})).find("expert"),
            std::string::npos);
}

TEST(ReportTest, WhatIsNotAsItShouldBeIsListed) {
  ReportContents outcome = Of({Report("gemm", 0.010, 5.0, 2, 1)});
  outcome.screened = {{{"level2_1_Vanishing", "measures nothing"}},
                      {{"level2_2_Wide", "measures little"}}};
  EXPECT_NE(Printed(outcome).find(
                "left out: level2_1_Vanishing: measures nothing\n"
                "kept, though unfit: level2_2_Wide: measures little\n"),
            std::string::npos)
      << Printed(outcome);
  const auto document = Json(outcome);
  EXPECT_EQ(document["left_out"], nlohmann::json::parse(R"([
      {"task": "level2_1_Vanishing", "reason": "measures nothing"}])"));
  EXPECT_EQ(document["kept_unfit"][0]["task"], "level2_2_Wide");
}

}  // namespace
}  // namespace coppice::cli
