#include "engine/steering/limits.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace coppice::engine {
namespace {

class LimitsTest : public testing::Test {
 protected:
  LimitsTest() {
    spec_.budget_attempts = 30;
    spec_.budget_s = 100.0;
    cap_ = {5000, 2.5};
  }

  void Limit(std::string_view aspect, double amount) {
    Directive directive;
    directive.id = DirectiveId{std::ssize(all_) + 1};
    directive.kind = DirectiveKind::kBudget;
    directive.aspect = aspect;
    directive.amount = amount;
    all_.push_back(directive);
  }

  void Follow() {
    std::vector<const Directive*> in_force;
    for (const Directive& each : all_) in_force.push_back(&each);
    FollowLimits(in_force, known_, spec_, cap_);
  }

  std::vector<Directive> all_;
  std::set<DirectiveId> known_;
  store::CampaignSpec spec_;
  store::Cap cap_;
};

TEST_F(LimitsTest, EachLimitIsOfWhatItNames) {
  Limit(kAttemptsAspect, 40.0);
  Follow();
  EXPECT_EQ(spec_.budget_attempts, 40);
  EXPECT_EQ(spec_.budget_s, 100.0);
  EXPECT_EQ(cap_, (store::Cap{5000, 2.5}));
  Limit(kSecondsAspect, 7.5);
  Limit(kUsdAspect, 0.0);
  Limit(kTokensAspect, 1e12);
  Follow();
  EXPECT_EQ(spec_.budget_attempts, 40);
  EXPECT_EQ(spec_.budget_s, 7.5);
  EXPECT_EQ(cap_, (store::Cap{1'000'000'000'000, 0.0}));
}

TEST_F(LimitsTest, TheLastOfAKindHolds) {
  Limit(kAttemptsAspect, 40.0);
  Limit(kAttemptsAspect, 20.0);
  Follow();
  EXPECT_EQ(spec_.budget_attempts, 20);
}

// A campaign that somebody extended meanwhile keeps what it was given.
TEST_F(LimitsTest, OneThatWasFollowedChangesNothingAgain) {
  Limit(kAttemptsAspect, 40.0);
  Follow();
  spec_.budget_attempts = 80;
  Follow();
  EXPECT_EQ(spec_.budget_attempts, 80);
  Limit(kAttemptsAspect, 50.0);
  Follow();
  EXPECT_EQ(spec_.budget_attempts, 50);
}

TEST_F(LimitsTest, WhatIsNoLimitChangesNone) {
  Limit(kAttemptsAspect, 40.0);
  all_.back().kind = DirectiveKind::kApprove;
  Limit(kUsdAspect, 9.0);
  all_.back().kind = DirectiveKind::kBoost;
  Follow();
  EXPECT_EQ(spec_.budget_attempts, 30);
  EXPECT_EQ(cap_, (store::Cap{5000, 2.5}));
  EXPECT_TRUE(known_.empty());
}

}  // namespace
}  // namespace coppice::engine
