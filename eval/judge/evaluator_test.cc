#include "eval/judge/evaluator.h"

#include <gtest/gtest.h>

namespace coppice::eval {
namespace {

Finding Found(const char* candidate, Verdict expected, Verdict found) {
  return {.candidate = candidate,
          .workload = "w",
          .expected = expected,
          .found = found,
          .log = ""};
}

TEST(FindingTest, ANullCandidateThatPassesCondemns) {
  using enum Verdict;
  EXPECT_TRUE(Found("zeros", kWrongOutput, kPassed).Condemns());
  EXPECT_FALSE(Found("zeros", kWrongOutput, kWrongOutput).Condemns());
  EXPECT_TRUE(Found("zeros", kWrongOutput, kWrongOutput).Good());
  // Right by construction, and found wrong.
  EXPECT_TRUE(Found("the mean", kPassed, kWrongOutput).Condemns());
  // For want of memory, or of a quiet machine, it tells nothing.
  EXPECT_FALSE(Found("zeros", kWrongOutput, kCrashed).Condemns());
  EXPECT_FALSE(Found("zeros", kWrongOutput, kInconclusive).Condemns());
  EXPECT_FALSE(Found("zeros", kWrongOutput, kCrashed).Good());
}

TEST(FindingTest, ARootThatDoesAnythingButPassCondemns) {
  using enum Verdict;
  EXPECT_TRUE(Found("root", kPassed, kCrashed).Condemns());
  EXPECT_TRUE(Found("root", kPassed, kTimedOut).Condemns());
  EXPECT_FALSE(Found("root", kPassed, kInconclusive).Condemns());
  EXPECT_FALSE(Found("root", kPassed, kPassed).Condemns());
}

}  // namespace
}  // namespace coppice::eval
