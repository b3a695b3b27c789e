#include "eval/host/timing_stability.h"

#include <gtest/gtest.h>

#include <string>

namespace coppice::eval {
namespace {

// What the user is told of, after the second that a wait may last unsaid.
class TimingStabilityTest : public testing::Test {
 protected:
  MachineLoad Watchful() {
    return MachineLoad({.most_s = 1e9,
                        .waits =
                            [this](const std::string& what) {
                              told_ = what;
                              return true;
                            },
                        .goes_on = {}},
                       [](double) {});
  }
  std::string told_;
};

TEST_F(TimingStabilityTest, WhatWasToldDisturbs) {
  TimingStability stability(Watchful());
  stability.Begin();
  stability.End();  // Nobody looks on this machine.
  EXPECT_FALSE(stability.Again("", 2.0));
  EXPECT_TRUE(stability.Again("a clock fell", 2.0));
  EXPECT_EQ(told_, "a clock fell");
  EXPECT_FALSE(stability.Again("", 2.0));
}

TEST_F(TimingStabilityTest, WhoWantsNoWaitingHasNothingLookedAt) {
  TimingStability stability(MachineLoadOptions{}, 1);
  stability.Begin();
  stability.End();
  stability.Forget();
  EXPECT_FALSE(stability.Again("a clock fell", 2.0));
}

}  // namespace
}  // namespace coppice::eval
