#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

class SteerTest : public ::testing::Test, protected Rehearsal {
 protected:
  nlohmann::json Listed() {
    return nlohmann::json::parse(Say({"steer", "list", "--json"}).out);
  }
};

TEST_F(SteerTest, NobodyHasSteeredYet) {
  EXPECT_EQ(Say({"steer", "list"}).out, "nobody has steered a\n");
  EXPECT_EQ(Listed(), nlohmann::json::array());
}

// The campaign has made three decisions, so the next is number 3.
TEST_F(SteerTest, EachKindTakesWhatItNeeds) {
  EXPECT_EQ(
      Say({"steer", "advise", "Tile.", "--node", "1", "--role", "plan"}).exit,
      Exit::kDone);
  Say({"steer", "forbid", "header", "mma.h"});
  Say({"steer", "boost", "best", "2", "--from", "9"});
  Say({"steer", "budget", "usd", "2.5"});
  Say({"steer", "temperature", "0.7"});
  const auto all = Listed();
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0]["node"], 1);
  EXPECT_EQ(all[0]["role"], "plan");
  EXPECT_TRUE(all[0]["aspect"].is_null());
  EXPECT_EQ(all[1]["aspect"], "header");
  EXPECT_TRUE(all[1]["role"].is_null());
  EXPECT_EQ(all[2]["node"], 3);
  EXPECT_EQ(all[2]["amount"], 2.0);
  EXPECT_EQ(all[2]["not_before"], 9);
  EXPECT_EQ(all[3]["aspect"], "usd");
  EXPECT_EQ(all[3]["amount"], 2.5);
  EXPECT_EQ(all[4]["kind"], "temperature");
  EXPECT_EQ(all[4]["amount"], 0.7);
}

// Attempts are counted of those that a person makes the search spend some on.
TEST_F(SteerTest, PeopleSeeTheStateAndTheAttempts) {
  Say({"steer", "pin", "1"});
  Say({"steer", "boost", "1", "2", "--from", "9"});
  const std::string said = Say({"steer", "list"}).out;
  EXPECT_THAT(said, HasSubstr("directive  author"));
  EXPECT_THAT(said, HasSubstr("noted                        -  pin node 1\n"));
  EXPECT_THAT(said,
              HasSubstr("waits for decision 9         0  boost node 1 2\n"));
}

TEST_F(SteerTest, WhatWaitsIsWithdrawn) {
  Say({"steer", "pause", "--from", "9"});
  EXPECT_EQ(Say({"steer", "withdraw", "1"}).out, "directive 1 is withdrawn\n");
  EXPECT_EQ(Listed()[0]["outcome"], "withdrawn");
  EXPECT_EQ(Say({"steer", "withdraw", "7"}).exit, Exit::kUsage);
}

TEST_F(SteerTest, RefusesWhatIsNoNumber) {
  EXPECT_THAT(Say({"steer", "temperature", "hot"}).err,
              HasSubstr("'hot' is no number"));
  EXPECT_THAT(Say({"steer", "withdraw", "0"}).err,
              HasSubstr("'0' is no directive"));
}

}  // namespace
}  // namespace coppice::cli
