#include "engine/cli/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace coppice::cli {
namespace {

engine::CampaignReport Report(std::string task, double root_s, double speedup,
                              std::int64_t passed, std::int64_t crashed) {
  engine::CampaignReport report;
  report.task = std::move(task);
  report.campaign = report.task + ".stark.s1";
  report.progress.root_runtime_s = root_s;
  report.progress.best_speedup = speedup;
  report.progress.attempts = passed + crashed;
  report.progress.verdicts[static_cast<std::size_t>(Verdict::kPassed)] = passed;
  report.progress.verdicts[static_cast<std::size_t>(Verdict::kCrashed)] =
      crashed;
  return report;
}

// sqrt(2 * 8) = 4.
TEST(ReportTest, GeometricMean) {
  EXPECT_DOUBLE_EQ(GeometricMean({2.0, 8.0}), 4.0);
  EXPECT_DOUBLE_EQ(GeometricMean({}), 1.0);
}

// Of four: three passed something, two of these beat the root.
TEST(ReportTest, SuccessAndFast1AreSharesOfAllTasks) {
  const Shares shares =
      SharesOf({Report("a", 1, 2.0, 3, 0), Report("b", 1, 1.5, 1, 0),
                Report("c", 1, 1.0, 1, 0), Report("d", 1, 1.0, 0, 4)});
  EXPECT_DOUBLE_EQ(shares.success, 0.75);
  EXPECT_DOUBLE_EQ(shares.fast_1, 0.5);
}

TEST(ReportTest, AConfirmedMeasurementReplacesTheSearchs) {
  engine::CampaignReport report = Report("a", 0.010, 5.0, 2, 1);
  report.confirmation = engine::Confirmation{NodeId{2}, 0.012, 0.003};
  EXPECT_DOUBLE_EQ(engine::Speedup(report), 4.0);
}

TEST(ReportTest, PrintsARowForEachTask) {
  std::istringstream in;
  std::ostringstream out, err;
  Streams streams{in, out, err};
  PrintReport({Report("gemm", 0.010, 5.0, 2, 1)}, std::nullopt, {}, "x.db",
              streams);
  EXPECT_NE(out.str().find("gemm"), std::string::npos);
  EXPECT_NE(out.str().find("10 ms"), std::string::npos);
  EXPECT_NE(out.str().find("2 ms"), std::string::npos);
  EXPECT_NE(out.str().find("1 crashed"), std::string::npos);
  EXPECT_NE(out.str().find("geometric-mean speedup 5.00x over 1 task, "
                           "success 100 %, fast_1 100 %\n"),
            std::string::npos);
  EXPECT_TRUE(out.str().ends_with("every attempt is in x.db\n"));
}

Evaluation Expert(double runtime_s) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::kPassed;
  evaluation.runtime_s = runtime_s;
  evaluation.root_runtime_s = 0.010;
  return evaluation;
}

std::string Printed(const std::vector<engine::CampaignReport>& reports) {
  std::istringstream in;
  std::ostringstream out, err;
  Streams streams{in, out, err};
  PrintReport(reports, std::nullopt, {}, "x.db", streams);
  return out.str();
}

// Of the expert's 10x the best reached half.
TEST(ReportTest, ExpertsStandBesideTheBest) {
  engine::CampaignReport gemm = Report("gemm", 0.010, 5.0, 2, 1);
  gemm.expert = Expert(0.001);
  engine::CampaignReport scan = Report("scan", 0.010, 5.0, 2, 1);
  scan.expert.emplace().verdict = Verdict::kTimedOut;
  const std::string text =
      Printed({gemm, scan, Report("relu", 0.010, 5.0, 2, 1)});
  EXPECT_NE(text.find("best/expert"), std::string::npos) << text;
  EXPECT_NE(text.find("10.00x"), std::string::npos) << text;
  EXPECT_NE(text.find("0.50x"), std::string::npos) << text;
  EXPECT_NE(text.find("timed_out"), std::string::npos) << text;
  std::istringstream in;
  std::ostringstream out, err;
  Streams streams{in, out, err};
  PrintReportJson({gemm, Report("relu", 0.010, 5.0, 2, 1)}, std::nullopt, {},
                  "x.db", streams);
  const auto document = nlohmann::json::parse(out.str());
  EXPECT_EQ(document["tasks"][0]["expert"]["speedup"], 10.0);
  EXPECT_EQ(document["tasks"][0]["expert"]["best_over_expert"], 0.5);
  EXPECT_FALSE(document["tasks"][1].contains("expert"));
}

TEST(ReportTest, WithoutExpertsThereIsNoColumn) {
  EXPECT_EQ(Printed({Report("relu", 0.010, 5.0, 2, 1)}).find("expert"),
            std::string::npos);
}

TEST(ReportTest, WhatIsNotAsItShouldBeIsListed) {
  const Screened screened = {{{"level2_1_Vanishing", "measures nothing"}},
                             {{"level2_2_Wide", "measures little"}}};
  std::istringstream in;
  std::ostringstream text, json, err;
  Streams to_text{in, text, err};
  PrintReport({Report("gemm", 0.010, 5.0, 2, 1)}, std::nullopt, screened,
              "x.db", to_text);
  EXPECT_NE(text.str().find("left out: level2_1_Vanishing: measures nothing\n"
                            "kept, though unfit: level2_2_Wide: measures "
                            "little\n"),
            std::string::npos)
      << text.str();
  Streams to_json{in, json, err};
  PrintReportJson({Report("gemm", 0.010, 5.0, 2, 1)}, std::nullopt, screened,
                  "x.db", to_json);
  const auto document = nlohmann::json::parse(json.str());
  EXPECT_EQ(document["left_out"], nlohmann::json::parse(R"([
      {"task": "level2_1_Vanishing", "reason": "measures nothing"}])"));
  EXPECT_EQ(document["kept_unfit"][0]["task"], "level2_2_Wide");
}

}  // namespace
}  // namespace coppice::cli
