#include "eval/host/machine_load.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace coppice::eval {
namespace {

// Waits 3 s at most, by a clock that only its pauses move.
class MachineLoadTest : public testing::Test {
 protected:
  // A busy time to its end; how often a round was made again.
  int Exhaust() {
    int again = 0;
    while (quiet_.Again("others run", 0.1)) ++again;
    return again;
  }

  double slept_s_ = 0.0;
  int told_ = 0;
  int gone_on_ = 0;
  std::string what_;
  bool is_patient_ = true;
  MachineLoad quiet_{{.most_s = 3.0,
                      .waits =
                          [this](const std::string& what) {
                            ++told_;
                            what_ = what;
                            return is_patient_;
                          },
                      .goes_on = [this] { ++gone_on_; }},
                     [this](double seconds) { slept_s_ += seconds; }};
};

TEST_F(MachineLoadTest, AQuietRoundStands) {
  EXPECT_FALSE(quiet_.Again("", 1.0));
  EXPECT_EQ(slept_s_, 0.0);
}

TEST_F(MachineLoadTest, ADisturbedRoundIsMadeAgainAndNobodyIsTold) {
  EXPECT_TRUE(quiet_.Again("others run", 0.1));
  EXPECT_FALSE(quiet_.Again("", 0.1));
  EXPECT_LT(slept_s_, 0.01);
  EXPECT_EQ(told_, 0);
}

TEST_F(MachineLoadTest, WhatStaysBusyIsWaitedForToTheLimit) {
  const int again = Exhaust();
  EXPECT_NEAR(slept_s_ + 0.1 * again, 3.0, 0.7);  // A pause and a round more.
  EXPECT_GT(told_, 0);
  EXPECT_EQ(what_, "others run");
  EXPECT_EQ(gone_on_, 1);
}

TEST_F(MachineLoadTest, WhoIsToStopWaitsNoLonger) {
  is_patient_ = false;
  Exhaust();
  EXPECT_EQ(told_, 1);
  EXPECT_LT(slept_s_, 1.6);
  EXPECT_EQ(gone_on_, 1);
}

TEST_F(MachineLoadTest, TheLimitIsOfTheWholeBusyTime) {
  Exhaust();
  slept_s_ = 0.0;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(quiet_.Again("others run", 0.1));
  EXPECT_EQ(slept_s_, 0.0);
}

TEST_F(MachineLoadTest, EightQuietRoundsEndABusyTime) {
  Exhaust();
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(quiet_.Again("", 0.1));
  EXPECT_FALSE(quiet_.Again("others run", 0.1));
  for (int i = 0; i < 8; ++i) EXPECT_FALSE(quiet_.Again("", 0.1));
  EXPECT_TRUE(quiet_.Again("others run", 0.1));
}

TEST(MachineLoadOptionsTest, WhoWantsNoWaitingHasNone) {
  MachineLoad quiet({});
  EXPECT_FALSE(quiet.wanted());
  EXPECT_FALSE(quiet.Again("others run", 0.1));
}

// 2 ms, each half as long again, 5 ms at most; after a quiet round as at first.
TEST_F(MachineLoadTest, PausesGrowToTheirLongest) {
  std::vector<double> pauses;
  MachineLoad quiet({.most_s = 1.0},
                    [&](double seconds) { pauses.push_back(seconds); });
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(quiet.Again("others run", 0.0));
  ASSERT_EQ(pauses.size(), 5u);
  EXPECT_DOUBLE_EQ(pauses[0], 0.002);
  EXPECT_DOUBLE_EQ(pauses[1], 0.003);
  EXPECT_DOUBLE_EQ(pauses[2], 0.0045);
  EXPECT_DOUBLE_EQ(pauses[3], 0.005);
  EXPECT_DOUBLE_EQ(pauses[4], 0.005);
  quiet.Again("", 0.0);
  quiet.Again("others run", 0.0);
  EXPECT_DOUBLE_EQ(pauses[5], 0.002);
}

// Rounds of half a second: the third passes the second that is not told of.
TEST_F(MachineLoadTest, NobodyIsToldInTheFirstSecond) {
  EXPECT_TRUE(quiet_.Again("others run", 0.49));
  EXPECT_TRUE(quiet_.Again("others run", 0.49));
  EXPECT_EQ(told_, 0);
  EXPECT_TRUE(quiet_.Again("others run", 0.49));
  EXPECT_EQ(told_, 1);
  EXPECT_EQ(gone_on_, 0);
  EXPECT_FALSE(quiet_.Again("", 0.49));
  EXPECT_EQ(gone_on_, 1);
  EXPECT_FALSE(quiet_.Again("", 0.49));
  EXPECT_EQ(gone_on_, 1);  // Once.
}

}  // namespace
}  // namespace coppice::eval
