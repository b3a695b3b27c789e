#include "engine/cli/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/cli/printed.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Three tasks, of which the expert's interval leaves one undecided at 1, and
// all quoted times leave that.
store::Metrics Three() {
  store::Metrics metrics;
  metrics.campaigns = 3;
  metrics.compile_rate = 0.6;
  metrics.correct_rate = 0.3;
  metrics.success = {2.0 / 3.0, 1};
  metrics.over = {
      {"root", false, 3, 1.41, {{0.8, {0.5, 0}}, {1.0, {0.5, 0}}}, {}},
      {"expert",
       false,
       2,
       0.9,
       {{0.8, {1.0, 0}}, {1.0, {0.5, 1}}},
       {{1, 0.75, 0}, {2, 1.01, 2}}},
      {"torch", true, 1, 3.0, {{0.8, {1.0, 1}}, {1.0, {1.0, 1}}}, {{1, 2, 1}}}};
  metrics.at_k = {{1, 0.5, 1.5, 0.25}, {2, 0.75, 2.5, {}}};
  return metrics;
}

std::string Printed(const store::Metrics& metrics, bool is_bound = false) {
  return Printed(PrintMetrics, metrics, is_bound);
}

TEST(MetricsTest, PrintsWhatIsUndecidedBesideEachShare) {
  EXPECT_EQ(
      Printed(Three()),
      "\n"
      "compile rate 60 %, correct rate 30 % of all candidates; success on "
      "67 % (1 undecided) of the tasks\n"
      "\n"
      "over            tasks  speed  fast_0.8    fast_1\n"
      "root                3  1.41x      50 %      50 %\n"
      "expert              2  0.90x     100 %   50 % ?1\n"
      "torch (quoted)      1  3.00x  100 % ?1  100 % ?1\n"
      "?N: N of the tasks are undecided\n"
      "quoted: the root's seconds here over those that others measured; "
      "no interval\n"
      "\n"
      "k  pass@k  speedup@k  efficiency@k\n"
      "1    50 %      1.50x          25 %\n"
      "2    75 %      2.50x\n"
      "of k candidates of a search, which know of those before them\n"
      "\n"
      "perf@k over     tasks       k=1       k=2\n"
      "expert              2     0.75x  1.01x ?2\n"
      "torch (quoted)      1  2.00x ?1\n"
      "?N: of N tasks it cannot be told from 1\n");
}

TEST(MetricsTest, EfficiencyOfPyTorchIsToldToBeABound) {
  EXPECT_THAT(Printed(Three()), Not(HasSubstr("lower bound")));
  EXPECT_THAT(Printed(Three(), true),
              HasSubstr("efficiency@k is a lower bound: "));
}

TEST(MetricsTest, CandidatesOfOthersAreToldApart) {
  store::Metrics metrics = Three();
  metrics.others = 4;
  EXPECT_THAT(Printed(metrics),
              HasSubstr("\n4 candidates that another policy chose are not "
                        "counted\n"));
  metrics.others = 1;
  EXPECT_THAT(
      Printed(metrics),
      HasSubstr("\n1 candidate that another policy chose is not counted\n"));
}

TEST(MetricsTest, WithoutCampaignsAllRatesAreZero) {
  EXPECT_EQ(
      Printed({}),
      "\ncompile rate 0 %, correct rate 0 % of all candidates; success on "
      "0 % of the tasks\n");
}

TEST(MetricsTest, JsonHasEveryMetric) {
  const auto json = MetricsJson(Three(), true);
  EXPECT_EQ(json["compile_rate"], 0.6);
  EXPECT_DOUBLE_EQ(json["success"], 2.0 / 3.0);
  EXPECT_EQ(json["undecided"], 1);
  EXPECT_EQ(json["over"][1]["over"], "expert");
  EXPECT_EQ(json["over"][1]["fast_p"]["1"], 0.5);
  EXPECT_EQ(json["over"][1]["fast_p_undecided"]["1"], 1);
  EXPECT_EQ(json["over"][1]["perf_at_k"]["2"], 1.01);
  EXPECT_EQ(json["over"][1]["perf_at_k_undecided"]["2"], 2);
  EXPECT_EQ(json["over"][2]["quoted"], true);
  EXPECT_TRUE(json["at_k"][1]["efficiency_at_k"].is_null());
  EXPECT_EQ(json["efficiency_is_lower_bound"], true);
}

}  // namespace
}  // namespace coppice::cli
