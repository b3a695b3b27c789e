#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

// Three attempts with two calls each: 100 tokens in, 40 of them cached, 10 out,
// 25 cents.  Nodes 1 and 3 were the fastest so far.
class SpendTest : public ::testing::Test, protected Rehearsal {};

TEST_F(SpendTest, AddsUpByModelAndSaysWhatAnImprovementCost) {
  const Said said = Say({"report", "spend"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_EQ(said.out,
            "campaign  model         calls  failed  unanswered  input  cached  "
            "output     cost\n"
            "a         replay:model      6       0           0    600     240  "
            "    60  $1.5000\n"
            "\n"
            "a: $1.5000 for 2 improvements, $0.7500 each\n");
}

TEST_F(SpendTest, AddsUpByRoleAndByDay) {
  EXPECT_THAT(Say({"report", "spend", "--by", "role"}).out,
              ::testing::AllOf(HasSubstr("a         code      3 "),
                               HasSubstr("a         plan      3 ")));
  EXPECT_THAT(Say({"report", "spend", "--by", "day"}).out,
              HasSubstr("a         1970-01-01      6 "));
}

TEST_F(SpendTest, JsonHasEveryLine) {
  const auto json =
      nlohmann::json::parse(Say({"report", "spend", "--json"}).out);
  ASSERT_EQ(json["spend"].size(), 2u);
  EXPECT_EQ(json["spend"][0]["role"], "code");
  EXPECT_EQ(json["spend"][0]["cost_usd"], 0.75);
  EXPECT_EQ(json["improvements"][0]["usd_per_improvement"], 0.75);
  EXPECT_EQ(json["improvements"][0]["best_speedup"], 4.0);
}

TEST_F(SpendTest, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(Say({"report", "spend", "--by", "colour"}).exit, Exit::kUsage);
  EXPECT_EQ(Say({"report", "spend", "--campaign", "b"}).exit, Exit::kUsage);
}

}  // namespace
}  // namespace coppice::cli
