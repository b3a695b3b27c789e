#include "store/read/spend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/scratch.h"

namespace coppice::store {
namespace {

// Two attempts of campaign "a", the first twice as fast as the root, and one of
// "b" that crashed.  Each has a plan and a code call of $0.25 on 1970-01-01.
class SpendViewsTest : public ::testing::Test {
 protected:
  SpendViewsTest() {
    Grow(database_, a_, NodeId{0}, {.runtime_s = 2.0});
    Grow(database_, a_, NodeId{1}, {.runtime_s = 3.0});
    Grow(database_, b_, NodeId{0}, {.verdict = Verdict::kCrashed});
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId a_ = Plant(database_, "a");
  CampaignId b_ = Plant(database_, "b");
};

TEST_F(SpendViewsTest, HasALineForEachCampaignDayRoleAndModel) {
  const auto lines = Must(ReadSpend(database_, std::nullopt));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].campaign + lines[0].role, "acode");
  EXPECT_EQ(lines[1].campaign + lines[1].role, "aplan");
  EXPECT_EQ(lines[0].day, "1970-01-01");
  EXPECT_EQ(lines[0].calls, 2);
  EXPECT_EQ(lines[0].input_tokens, 200);
  EXPECT_EQ(lines[0].cached_input_tokens, 80);
  EXPECT_DOUBLE_EQ(lines[0].cost_usd, 0.5);
  EXPECT_EQ(Must(ReadSpend(database_, "b")).size(), 2u);
}

TEST_F(SpendViewsTest, ACampaignWithoutImprovementHasNoPriceOfOne) {
  const auto costs = Must(ReadImprovementCosts(database_, std::nullopt));
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_EQ(costs[0].improvements, 1);
  EXPECT_DOUBLE_EQ(costs[0].usd_per_improvement.value(), 1.0);
  EXPECT_DOUBLE_EQ(costs[0].best_speedup.value(), 2.0);
  EXPECT_EQ(costs[1].improvements, 0);
  EXPECT_FALSE(costs[1].usd_per_improvement.has_value());
  EXPECT_DOUBLE_EQ(costs[1].cost_usd, 0.5);
}

// Day 1 begins 86400 s after 1970-01-01.  What may yet be used counts.
TEST_F(SpendViewsTest, ADayCostsWhatCountsAgainstItsCap) {
  Change(database_,
         "INSERT INTO expense VALUES (1, 0, 0, 10, 0.5), (2, 1, 0, 10, 0.25),"
         " (1, 0, 1, 10, 4.0)");
  EXPECT_DOUBLE_EQ(Must(ReadDayCost(database_, 86399.0)), 0.75);
  EXPECT_DOUBLE_EQ(Must(ReadDayCost(database_, 86400.0)), 4.0);
  EXPECT_DOUBLE_EQ(Must(ReadDayCost(database_, 172800.0)), 0.0);
}

// The code agents of b were asked of another model, and one was lost.
TEST_F(SpendViewsTest, LinesTellAllThatCallsUsed) {
  const AttemptId attempt =
      Must(Attempts(database_).Reserve(b_, ReservationOf(1, kRootNode)));
  CallIntent intent = IntentOf(Role::kPlan);
  intent.model = "another";
  intent.sent_at_s = 86400.0;
  Calls calls(database_);
  Must(calls.Begin(attempt, intent, {}));
  intent.uuid = NextUuid();
  CallEnd end = AnswerOf("");
  end.outcome = CallOutcome::kFailed;
  Must(calls.End(Must(calls.Begin(attempt, intent, {})), end));
  const auto lines = Must(ReadSpend(database_, "b"));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].role, "code");
  EXPECT_EQ(lines[0].provider, "replay");
  EXPECT_EQ(lines[0].model, "model");
  EXPECT_EQ(lines[0].output_tokens, 10);
  EXPECT_EQ(lines[0].latency_s, 2.0);
  EXPECT_EQ(lines[0].failed, 0);
  EXPECT_EQ(lines[0].unanswered, 0);
  EXPECT_EQ(lines[2].day, "1970-01-02");
  EXPECT_EQ(lines[2].model, "another");
  EXPECT_EQ(lines[2].calls, 2);
  EXPECT_EQ(lines[2].failed, 1);
  EXPECT_EQ(lines[2].unanswered, 1);
  const auto costs = Must(ReadImprovementCosts(database_, "a"));
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_EQ(costs[0].campaign, "a");
  EXPECT_EQ(costs[0].unsettled_usd, 0.0);
}

}  // namespace
}  // namespace coppice::store
