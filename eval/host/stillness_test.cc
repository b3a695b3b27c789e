#include "eval/host/stillness.h"

#include <gtest/gtest.h>

#include <string>

namespace coppice::eval {
namespace {

// What the user is told of, after the second that a wait may last unsaid.
class StillnessTest : public testing::Test {
 protected:
  Quiet Watchful() {
    return Quiet({.most_s = 1e9,
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

TEST_F(StillnessTest, WhatWasToldDisturbs) {
  Stillness stillness(Watchful());
  stillness.Begin();
  stillness.End();  // Nobody looks on this machine.
  EXPECT_FALSE(stillness.Again("", 2.0));
  EXPECT_TRUE(stillness.Again("a clock fell", 2.0));
  EXPECT_EQ(told_, "a clock fell");
  EXPECT_FALSE(stillness.Again("", 2.0));
}

TEST_F(StillnessTest, WhoWantsNoWaitingHasNothingLookedAt) {
  Stillness stillness(QuietOptions{}, 1);
  stillness.Begin();
  stillness.End();
  stillness.Forget();
  EXPECT_FALSE(stillness.Again("a clock fell", 2.0));
}

}  // namespace
}  // namespace coppice::eval
