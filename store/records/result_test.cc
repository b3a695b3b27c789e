#include "store/records/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace coppice {
namespace {

Result<std::string> Filled(const Result<std::string>& made,
                           const std::string& before) {
  std::string place = before;
  TRY_ASSIGN(place, made);
  return place + "!";
}

TEST(ResultTest, AssigningKeepsTheValueOrReturnsTheError) {
  EXPECT_EQ(Filled("new", "old").value(), "new!");
  EXPECT_EQ(Filled(Fail(Errc::kIo, "disk"), "old").error().what, "disk");
}

// What a step makes, told by whoever calls it how often it was asked.
Result<std::unique_ptr<int>> Step(bool fails, int& asked) {
  ++asked;
  if (fails) return Fail(Errc::kBusy, "step " + std::to_string(asked));
  return std::make_unique<int>(asked);
}

Result<int> SumOfSteps(bool second_fails, int& asked) {
  TRY(first, Step(false, asked));
  TRY(second, Step(second_fails, asked));
  return *first + *second;
}

// Values that cannot be copied are moved; what comes after an error is not run.
TEST(ResultTest, TryingDeclaresTheValueOrReturnsTheError) {
  int asked = 0;
  EXPECT_EQ(SumOfSteps(false, asked).value(), 1 + 2);
  asked = 0;
  const auto failed = SumOfSteps(true, asked);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Errc::kBusy);
  EXPECT_EQ(failed.error().what, "step 2");
  EXPECT_EQ(asked, 2);
}

Result<void> AllSteps(int fails_at, int& asked) {
  for (int i = 1; i <= 3; ++i) {
    if (i == fails_at) TRY_DONE(Step(true, asked));
    TRY_DONE(Step(false, asked));
  }
  return {};
}

TEST(ResultTest, DoingGoesOnUntilTheFirstError) {
  int asked = 0;
  EXPECT_TRUE(AllSteps(0, asked));
  EXPECT_EQ(asked, 3);
  asked = 0;
  EXPECT_EQ(AllSteps(2, asked).error().what, "step 2");
  EXPECT_EQ(asked, 2);
}

Result<int> AssignedTo(std::unique_ptr<int>& place, bool fails) {
  int asked = 6;
  TRY_ASSIGN(place, Step(fails, asked));
  return asked;
}

TEST(ResultTest, AnErrorLeavesThePlaceAsItWas) {
  auto place = std::make_unique<int>(3);
  EXPECT_FALSE(AssignedTo(place, true));
  EXPECT_EQ(*place, 3);
  EXPECT_EQ(AssignedTo(place, false).value(), 7);
  EXPECT_EQ(*place, 7);
}

}  // namespace
}  // namespace coppice
