#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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

// Each of two campaigns spent its own; of an unanswered call nobody knows.
TEST_F(SpendTest, CampaignsAreAddedUpEachForItself) {
  store::PlantBeside(database());
  const std::string out = Say({"report", "spend"}).out;
  EXPECT_THAT(out, HasSubstr("\na         replay:model      6 "));
  EXPECT_THAT(out, HasSubstr("\nbeside    replay:model      4 "));
  EXPECT_THAT(out,
              HasSubstr("\na: $1.5000 for 2 improvements, $0.7500 each\n"));
  EXPECT_THAT(out, HasSubstr("\nbeside: $1.0000 for 0 improvements\n"));
  const std::string one = Say({"report", "spend", "--campaign", "beside"}).out;
  EXPECT_THAT(one, Not(HasSubstr("\na ")));
  EXPECT_THAT(one, Not(HasSubstr("a: $")));
  const auto json = nlohmann::json::parse(
      Say({"report", "spend", "--campaign", "beside", "--json"}).out);
  EXPECT_EQ(json["improvements"][0]["usd_per_improvement"], nullptr);
}

TEST_F(SpendTest, OneImprovementIsOne) {
  store::Grow(database(), store::Plant(database(), "b"), kRootNode);
  EXPECT_THAT(Say({"report", "spend", "--campaign", "b"}).out,
              HasSubstr("\nb: $0.5000 for 1 improvement, $0.5000 each\n"));
}

TEST_F(SpendTest, AWordThatIsNoGroupingIsToldWhichThereAre) {
  EXPECT_EQ(Say({"report", "spend", "--by", "modle"}).err,
            "coppice report spend: --by modle: expected model, role or day; "
            "did you mean 'model'?\n");
  EXPECT_EQ(Say({"report", "spend", "--by", ""}).err,
            "coppice report spend: --by: expected a value\n");
}

// A campaign that asked nobody costs nothing, and is told of nevertheless.
TEST_F(SpendTest, WhereNobodyWasAskedThereIsNoTable) {
  store::Plant(database(), "b");
  EXPECT_EQ(Say({"report", "spend", "--campaign", "b"}).out,
            "b: $0.0000 for 0 improvements\n");
}

TEST_F(SpendTest, WhatIsAddedUpIsAllThatThereIs) {
  const auto table = [&](const char* by) {
    const std::string out = Say({"report", "spend", "--by", by}).out;
    return out.substr(0, out.find("\n\n"));
  };
  // Three attempts, with a plan and a code each: 3 calls of each role.
  EXPECT_EQ(table("role"),
            "campaign  role  calls  failed  unanswered  input  cached  output  "
            "   cost\n"
            "a         code      3       0           0    300     120      30  "
            "$0.7500\n"
            "a         plan      3       0           0    300     120      30  "
            "$0.7500");
  EXPECT_EQ(table("day"),
            "campaign  day         calls  failed  unanswered  input  cached  "
            "output     cost\n"
            "a         1970-01-01      6       0           0    600     240  "
            "    60  $1.5000");
}

}  // namespace
}  // namespace coppice::cli
