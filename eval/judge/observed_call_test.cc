#include "eval/judge/observed_call.h"

#include <gtest/gtest.h>

#include <limits>

namespace coppice::eval {
namespace {

double Alone(double wall_s, double cpu_s, double waited_s) {
  ObservedCall observed;
  observed.wall_s = wall_s;
  observed.cpu_s = cpu_s;
  observed.waited_s = waited_s;
  return observed.AloneSeconds();
}

// 10 s in all, of which it ran for 6 and waited for 3: 7 of its own.
TEST(ObservedCallTest, WhatItWaitedForAProcessorIsLeftOut) {
  EXPECT_EQ(Alone(10.0, 6.0, 3.0), 7.0);
  EXPECT_EQ(Alone(10.0, 6.0, 0.0), 10.0);  // The rest it slept.
}

// Two waited for 3 s each, but only 4 of 10 s nobody ran.
TEST(ObservedCallTest, AtLeastTheProcessorTimeRemains) {
  EXPECT_EQ(Alone(10.0, 6.0, 6.0), 6.0);
  // Threads side by side ran longer than the clock did.
  EXPECT_EQ(Alone(10.0, 12.0, 3.0), 10.0);
}

TEST(ObservedCallTest, WhoIsGoneGetsNothingOff) {
  EXPECT_EQ(Alone(10.0, std::numeric_limits<double>::infinity(), 3.0), 10.0);
}

}  // namespace
}  // namespace coppice::eval
