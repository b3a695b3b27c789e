#include "engine/campaign/budget.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "config/load.h"
#include "store/records/formatted.h"
#include "store/scratch.h"

namespace coppice::engine {
namespace {

using enum GivenBudget;
using store::Must;

using Options = std::vector<config::Override>;

// A campaign with a budget of 20 attempts, 100 s and 50 s of the evaluator, of
// which it has used 12, 60 and 30.
class BudgetTest : public testing::Test {
 protected:
  BudgetTest() {
    row_.spec.name = "c";
    row_.spec.budget_attempts = 20;
    row_.spec.budget_s = 100.0;
    row_.spec.settings = {{"seed", "7", "default"},
                          {"budget_evaluator_s", "50", "coppice.conf:3"}};
    row_.attempts = 12;
    row_.elapsed_s = 60.0;
    row_.state = store::CampaignState::kPaused;
  }

  config::Loaded Said(Options options) const {
    config::Surroundings surroundings;
    surroundings.environment = environment_;
    surroundings.environment["HOME"] = home_.File("home").string();
    surroundings.data_directory = std::string(COPPICE_SOURCE_DIR) + "/data";
    surroundings.trusts_folder = false;
    return Must(config::Load(surroundings, std::nullopt, std::move(options)));
  }

  // "20 attempts, 100 s, 50 of command line", or the refusal.
  std::string Told(Options options, GivenBudget given) const {
    const auto spec =
        WithBudget(Said(std::move(options)), row_, evaluator_s_, given);
    if (!spec) {
      EXPECT_EQ(spec.error().code, Errc::kUsage);
      return spec.error().what;
    }
    EXPECT_EQ(spec->settings.size(), row_.spec.settings.size());
    const store::CampaignSetting& evaluator = spec->settings.back();
    return std::to_string(spec->budget_attempts) + " attempts, " +
           (spec->budget_s ? Formatted("%g s", *spec->budget_s) : "no end") +
           ", " + evaluator.value + " of " + evaluator.origin;
  }
  std::string Resumed(Options options) const {
    return Told(std::move(options), kIsTheOne);
  }
  std::string RunAgain(Options options) const {
    return Told(std::move(options), kOnlyGrows);
  }

  const std::string as_it_was_ = "20 attempts, 100 s, 50 of coppice.conf:3";
  store::ScratchDirectory home_;
  config::Environment environment_;
  store::CampaignRow row_;
  double evaluator_s_ = 30.0;
};

TEST_F(BudgetTest, WithoutAWordAllStaysAsItWas) {
  EXPECT_EQ(Resumed({}), as_it_was_);
  EXPECT_EQ(RunAgain({}), as_it_was_);
  row_.state = store::CampaignState::kFinished;
  row_.attempts = 20;
  EXPECT_EQ(Resumed({}), as_it_was_);
}

TEST_F(BudgetTest, WhoRunsItAgainCanOnlyMakeItGrow) {
  EXPECT_EQ(RunAgain({{"budget", "19"}, {"budget_s", "99.5"}}), as_it_was_);
  EXPECT_EQ(RunAgain({{"budget", "21"}}),
            "21 attempts, 100 s, 50 of coppice.conf:3");
  EXPECT_EQ(RunAgain({{"budget_s", "none"}}),
            "20 attempts, no end, 50 of coppice.conf:3");
  // Not even below what is used: that changes nothing, and is no error.
  EXPECT_EQ(RunAgain({{"budget", "1"}}), as_it_was_);
}

TEST_F(BudgetTest, WhatHasNoEndIsNotGivenOne) {
  row_.spec.budget_s.reset();
  EXPECT_EQ(RunAgain({{"budget_s", "1000"}}),
            "20 attempts, no end, 50 of coppice.conf:3");
  EXPECT_EQ(Resumed({{"budget_s", "1000"}}),
            "20 attempts, 1000 s, 50 of coppice.conf:3");
}

// As long as nothing is less than what is used; that itself is enough.
TEST_F(BudgetTest, WhoResumesItSaysTheBudget) {
  EXPECT_EQ(Resumed({{"budget", "12"}}),
            "12 attempts, 100 s, 50 of coppice.conf:3");
  EXPECT_EQ(Resumed({{"budget_s", "60"}}),
            "20 attempts, 60 s, 50 of coppice.conf:3");
  EXPECT_EQ(Resumed({{"budget_evaluator_s", "30"}}),
            "20 attempts, 100 s, 30 of command line");
  EXPECT_EQ(Resumed({{"budget_evaluator_s", "none"}}),
            "20 attempts, 100 s, none of command line");
}

TEST_F(BudgetTest, LessThanIsUsedIsRefusedInOneLine) {
  EXPECT_EQ(Resumed({{"budget", "11"}}),
            "c: --budget 11 is less than the 12 attempts that it has used; "
            "give more");
  EXPECT_EQ(Resumed({{"budget_s", "59.94"}}),
            "c: --budget-s 59.9 is less than the 60 seconds that it has used; "
            "give more");
  EXPECT_EQ(Resumed({{"budget_evaluator_s", "29"}}),
            "c: --budget-evaluator-s 29 is less than the 30 seconds of the "
            "evaluator that it has used; give more");
  // The first that is too little is told.
  EXPECT_EQ(Resumed({{"budget_s", "1"}, {"budget", "2"}}),
            "c: --budget 2 is less than the 12 attempts that it has used; "
            "give more");
}

// More of one of them would not let it go on while another is used up.
TEST_F(BudgetTest, AFinishedOneNeedsMoreOfAllThatItHasUsedUp) {
  row_.state = store::CampaignState::kFinished;
  row_.attempts = 20;
  evaluator_s_ = 50.0;
  EXPECT_EQ(Resumed({{"budget", "40"}}),
            "c: its 50 seconds of the evaluator are used up; to go on, give "
            "more with --budget-evaluator-s, too");
  EXPECT_EQ(Resumed({{"budget_evaluator_s", "80"}}),
            "c: its 20 attempts are used up; to go on, give more with "
            "--budget, too");
  EXPECT_EQ(Resumed({{"budget", "40"}, {"budget_evaluator_s", "80"}}),
            "40 attempts, 100 s, 80 of command line");
  // A rule that ends it says that it is to go on, too.
  EXPECT_EQ(Resumed({{"stop_at_speedup", "9"}}),
            "c: its 20 attempts are used up; to go on, give more with "
            "--budget, too");
  // One that is not finished was interrupted, and goes on by itself.
  row_.state = store::CampaignState::kRunning;
  EXPECT_EQ(Resumed({{"budget_evaluator_s", "80"}}),
            "20 attempts, 100 s, 80 of command line");
}

// The user's defaults are for campaigns that begin.
TEST_F(BudgetTest, AVariableOnlyMakesItGrow) {
  environment_ = {{"COPPICE_BUDGET", "3"}, {"COPPICE_BUDGET_S", "200"}};
  EXPECT_EQ(Resumed({}), "20 attempts, 200 s, 50 of coppice.conf:3");
  EXPECT_EQ(RunAgain({}), "20 attempts, 200 s, 50 of coppice.conf:3");
  EXPECT_FALSE(SaysBudget(Said({})));
}

TEST_F(BudgetTest, WhatWasStoredAsNoLimitIsNone) {
  row_.spec.settings.back().value = "none";
  evaluator_s_ = 1e9;
  row_.state = store::CampaignState::kFinished;
  EXPECT_EQ(Resumed({{"budget", "40"}}),
            "40 attempts, 100 s, none of coppice.conf:3");
}

TEST_F(BudgetTest, EveryOptionOfABudgetOrOfAnEndSaysOne) {
  EXPECT_FALSE(SaysBudget(Said({})));
  EXPECT_FALSE(SaysBudget(Said({{"seed", "3"}, {"parallel", "2"}})));
  for (const config::Override& each : Options{{"budget", "5"},
                                              {"budget_s", "5"},
                                              {"budget_evaluator_s", "5"},
                                              {"stop_at_speedup", "2"},
                                              {"stop_at_baseline", "expert"},
                                              {"stop_without_gain", "5"}}) {
    EXPECT_TRUE(SaysBudget(Said({each}))) << each.key;
  }
}

}  // namespace
}  // namespace coppice::engine
