#include "eval/judge/roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::eval {
namespace {

WorkloadResult Taking(double median_s) {
  WorkloadResult result;
  result.verdict = Verdict::kPassed;
  result.samples_s = {median_s, 0.5 * median_s, 2.0 * median_s};
  return result;
}

// The floor is 2 us; 10 % below it, 1.8 us, are still believed.
TEST(RooflineTest, ATenthOfItIsNotBelieved) {
  WorkloadResult result = Taking(1.9e-6);
  result.floor_s = 2e-6;
  EXPECT_FALSE(IsBelowFloor(result));
  result = Taking(1.7e-6);
  result.floor_s = 2e-6;
  EXPECT_TRUE(IsBelowFloor(result));
  EXPECT_EQ(CondemnBelowFloor(result),
            "1.7 us a call, but this machine cannot do it in less than 2 us: "
            "the clock was deceived\n");
  EXPECT_EQ(result.verdict, Verdict::kInconclusive);
}

TEST(RooflineTest, WithoutAFloorOrATimeNothingIsBelow) {
  EXPECT_FALSE(IsBelowFloor(Taking(1e-9)));
  WorkloadResult untimed;
  untimed.floor_s = 1.0;
  EXPECT_FALSE(IsBelowFloor(untimed));
}

TEST(RooflineTest, NineTenthsOfItAreBelieved) {
  WorkloadResult result;
  result.samples_s = {0.9};
  result.floor_s = 1.0;
  EXPECT_FALSE(IsBelowFloor(result));
  result.samples_s = {0.8999};
  EXPECT_TRUE(IsBelowFloor(result));
}

}  // namespace
}  // namespace coppice::eval
