#include "engine/cli/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

namespace coppice::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Three tasks: 4 times as fast as the root, half as fast, not solved.  The
// first has an expert that is twice as fast as its root.
std::vector<Scored> Three() {
  return {
      {{4, 3, 2, 4.0, {{1, 0.5, 1.5, 0.5, 0.75}, {2, 0.75, 2.5, {}, 1.25}}},
       {{"expert", false, 2.0}}},
      {{2, 2, 1, 0.5, {{1, 0.5, 0.25, 0.25, {}}, {2, 1.0, 0.5, {}, {}}}}, {}},
      {{4, 1, 0, {}, {{1, 0.0, 0.0, 0.0, {}}}}, {}}};
}

TEST(MetricsTest, RatesAreOfAllCandidates) {
  const Metrics metrics = MetricsOf(Three());
  EXPECT_DOUBLE_EQ(metrics.compile_rate, 0.6);
  EXPECT_DOUBLE_EQ(metrics.correct_rate, 0.3);
  EXPECT_DOUBLE_EQ(metrics.success, 2.0 / 3.0);
}

// Strictly above: 0.5 is not more than 0.5.  sqrt(4 * 0.5) = sqrt(2).
TEST(MetricsTest, FastPIsOfTheTasksThatHaveTheBaseline) {
  const Metrics metrics = MetricsOf(Three());
  ASSERT_EQ(metrics.fast.size(), 2u);
  EXPECT_EQ(metrics.fast[0].over, "root");
  EXPECT_EQ(metrics.fast[0].campaigns, 3);
  const double third = 1.0 / 3.0;
  EXPECT_THAT(metrics.fast[0].shares,
              ElementsAre(2 * third, third, third, third, third, third));
  EXPECT_DOUBLE_EQ(metrics.fast[0].geometric_mean, std::sqrt(2.0));
  EXPECT_EQ(metrics.fast[1].over, "expert");
  EXPECT_EQ(metrics.fast[1].campaigns, 1);
  EXPECT_THAT(metrics.fast[1].shares, ElementsAre(1, 1, 1, 1, 1, 0));
}

// The third reaches k = 1 only.
TEST(MetricsTest, AtKIsTheMeanOfWhatAllReach) {
  const Metrics metrics = MetricsOf(Three());
  ASSERT_EQ(metrics.at_k.size(), 1u);
  EXPECT_DOUBLE_EQ(metrics.at_k[0].pass, 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(metrics.at_k[0].speedup, 1.75 / 3.0);
  EXPECT_DOUBLE_EQ(metrics.at_k[0].efficiency.value(), 0.25);
  EXPECT_FALSE(metrics.at_k[0].perf.has_value());
}

// The first alone has an expert: 1.5 and 2.5 over 2.
TEST(MetricsTest, PerfAtKIsOverEachBaseline) {
  auto three = Three();
  three[1].baselines = {{"torch", false, 0.5}};
  three[2].baselines = {{"torch", false, 4.0}};
  const Metrics metrics = MetricsOf(three);
  ASSERT_EQ(metrics.perf.size(), 2u);
  EXPECT_EQ(metrics.perf[0].over, "expert");
  EXPECT_THAT(metrics.perf[0].at_k,
              ElementsAre(std::pair(1, 0.75), std::pair(2, 1.25)));
  // The mean of 0.25 over 0.5 and of 0 over 4; the second reaches k = 1 only.
  EXPECT_EQ(metrics.perf[1].campaigns, 2);
  EXPECT_THAT(metrics.perf[1].at_k, ElementsAre(std::pair(1, 0.25)));
}

TEST(MetricsTest, EfficiencyOfPyTorchIsToldToBeABound) {
  std::istringstream in;
  std::ostringstream out, err;
  Streams streams{in, out, err};
  auto three = Three();
  PrintMetrics(MetricsOf(three), streams);
  EXPECT_THAT(out.str(), testing::Not(HasSubstr("lower bound")));
  three[0].efficiency_is_bound = true;
  PrintMetrics(MetricsOf(three), streams);
  EXPECT_THAT(out.str(), HasSubstr("efficiency@k is a lower bound: "));
}

TEST(MetricsTest, NothingIsNothing) {
  const Metrics metrics = MetricsOf({});
  EXPECT_TRUE(metrics.fast.empty());
  EXPECT_EQ(MetricsOf({{}}).compile_rate, 0.0);
}

TEST(MetricsTest, PrintsATableOfThresholdsAndOneOfK) {
  std::istringstream in;
  std::ostringstream out, err;
  Streams streams{in, out, err};
  PrintMetrics(MetricsOf(Three()), streams);
  EXPECT_THAT(out.str(), HasSubstr("compile rate 60 %, correct rate 30 % of "
                                   "all candidates; success on 67 % of the "
                                   "tasks\n"));
  EXPECT_THAT(out.str(), HasSubstr("fast_0.8"));
  EXPECT_THAT(out.str(), HasSubstr("expert"));
  EXPECT_THAT(out.str(), HasSubstr("efficiency@k"));
}

TEST(MetricsTest, AsJson) {
  const auto json = MetricsJson(MetricsOf(Three()));
  EXPECT_EQ(json["compile_rate"], 0.6);
  EXPECT_DOUBLE_EQ(json["success"], 2.0 / 3.0);
  EXPECT_EQ(json["fast"][1]["fast_p"]["1.5"], 1.0);
  EXPECT_EQ(json["fast"][1]["fast_p"]["2"], 0.0);
  EXPECT_TRUE(json["at_k"][0]["perf_at_k"].is_null());
}

}  // namespace
}  // namespace coppice::cli
