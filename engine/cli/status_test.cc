#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/campaign/process_lock.h"
#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class StatusTest : public ::testing::Test, protected Rehearsal {
 protected:
  std::string State() {
    const auto json = nlohmann::json::parse(Say({"status", "--json"}).out);
    return json[0]["state"];
  }
  void Store(store::CampaignState state) {
    store::Must(
        store::Campaigns(database()).Update(campaign(), state, 1.0, 2000.0));
  }
};

// Three attempts with two calls of $0.25 each.
TEST_F(StatusTest, SaysHowFarItIsAndWhatItCost) {
  Store(store::CampaignState::kFinished);
  const Said said = Say({"status"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_EQ(said.out,
            "campaign  task    state     attempts  speedup (95 %)  node   cost"
            "  failures\n"
            "a         matmul  finished     3/100          4x (?)   3 ~  $1.50"
            "  1 crashed\n"
            "~: the next best cannot be told apart from it\n");
  EXPECT_EQ(said.err, "");
}

// Nobody measured what an outside agent says of itself, so it is in no sum.
TEST_F(StatusTest, WhatIsClaimedStandsApart) {
  store::Change(database(),
                "UPDATE call_sum SET provider = 'outside' WHERE role = 0");
  EXPECT_THAT(Say({"status"}).out, HasSubstr("  $0.75 + $0.75 claimed  "));
  const auto json = nlohmann::json::parse(Say({"status", "--json"}).out);
  EXPECT_EQ(json[0]["cost_usd"], 0.75);
  EXPECT_EQ(json[0]["claimed_usd"], 0.75);
}

// 3 of 4 evaluations on two devices, 10 s and twice 5 s of 20 s.
TEST_F(StatusTest, OfSeveralDevicesSaysHowBusyEachWas) {
  store::Change(database(), "UPDATE campaign SET elapsed_s = 20");
  store::Change(database(),
                "UPDATE evaluation SET device = 'GPU-a', compile_s = 5,"
                " check_s = 3, timing_s = 2 WHERE node_number = 1");
  EXPECT_THAT(Say({"status"}).out, Not(HasSubstr("GPU-a")));
  store::Change(database(),
                "UPDATE evaluation SET device = 'GPU-b', compile_s = 2,"
                " check_s = 2, timing_s = 1 WHERE node_number IN (2, 3)");
  EXPECT_THAT(Say({"status"}).out,
              HasSubstr("\na: busy were GPU-a 50 %, GPU-b 50 %\n"));
  const auto json = nlohmann::json::parse(Say({"status", "--json"}).out);
  ASSERT_EQ(json[0]["devices"].size(), 2u);
  EXPECT_EQ(json[0]["devices"][1]["device"], "GPU-b");
  EXPECT_EQ(json[0]["devices"][1]["evaluations"], 2);
  EXPECT_DOUBLE_EQ(json[0]["devices"][1]["busy_s"], 10.0);
  EXPECT_DOUBLE_EQ(json[0]["devices"][1]["share"], 0.5);
}

TEST_F(StatusTest, ACampaignThatNobodyRunsWasInterrupted) {
  EXPECT_EQ(State(), "interrupted");
  EXPECT_EQ(Say({"status"}).err,
            "continue with: coppice resume --db " + Path() + "\n");
  const auto lock = engine::ProcessLock::Join(Path(), campaign(), "other");
  ASSERT_TRUE(lock);
  EXPECT_EQ(State(), "running");
  EXPECT_EQ(Say({"status"}).err, "");
}

TEST_F(StatusTest, ACampaignWithoutANodeWaits) {
  store::Must(store::Campaigns(database()).Create(store::SpecNamed("new")));
  EXPECT_THAT(Say({"status", "--campaign", "new"}).out,
              HasSubstr("new       matmul  waiting     0/100"));
}

TEST_F(StatusTest, KnowsPausedAndFinished) {
  Store(store::CampaignState::kPaused);
  EXPECT_EQ(State(), "paused");
  Store(store::CampaignState::kFinished);
  EXPECT_EQ(State(), "finished");
}

TEST_F(StatusTest, ListsEveryCampaignOrTheOneNamed) {
  store::Must(store::Campaigns(database()).Create(store::SpecNamed("new")));
  const std::string all = Say({"status"}).out;
  EXPECT_THAT(all, HasSubstr("no failures\n"));
  EXPECT_THAT(all, HasSubstr("\na "));
  EXPECT_THAT(all, HasSubstr("\nnew "));
  const auto one =
      nlohmann::json::parse(Say({"status", "--campaign", "new", "--json"}).out);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0]["nodes"], 0);
  EXPECT_TRUE(one[0]["best"].is_null());
}

TEST_F(StatusTest, AnEmptyDatabaseIsNoFailure) {
  store::NewFile(File("new.db"));
  const Said said = SayBare({"status", "--db", File("new.db").string()});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_EQ(said.out, "");
  EXPECT_THAT(said.err, HasSubstr("holds no campaign yet"));
}

TEST_F(StatusTest, WhatPeopleAskedForIsCounted) {
  EXPECT_THAT(Say({"status"}).out, Not(HasSubstr("directive")));
  Say({"steer", "pause"});
  EXPECT_THAT(Say({"status"}).out,
              HasSubstr("\na: 1 directive pending; `coppice steer list` has "
                        "them\n"));
  Say({"steer", "freeze", "1"});
  EXPECT_THAT(Say({"status"}).out, HasSubstr("\na: 2 directives pending; "));
  const auto json = nlohmann::json::parse(Say({"status", "--json"}).out);
  EXPECT_EQ(json[0]["pending_directives"], 2);
  EXPECT_EQ(json[0]["steered"], false);
  // Nobody asked anything of a campaign beside it.
  store::PlantBeside(database());
  const auto both = nlohmann::json::parse(Say({"status", "--json"}).out);
  EXPECT_EQ(both[0]["pending_directives"], 2);
  EXPECT_EQ(both[1]["pending_directives"], 0);
}

// The root is no attempt, and has no verdict among those of attempts.
TEST_F(StatusTest, JsonHasNumbersWherePeopleHaveTexts) {
  const auto json = nlohmann::json::parse(Say({"status", "--json"}).out);
  EXPECT_EQ(json[0]["budget_attempts"], 100);
  EXPECT_EQ(json[0]["attempts"], 3);
  EXPECT_EQ(json[0]["nodes"], 4);
  EXPECT_EQ(json[0]["verdicts"]["passed"], 2);
  EXPECT_EQ(json[0]["verdicts"]["crashed"], 1);
  EXPECT_EQ(json[0]["calls"], 6);
  EXPECT_EQ(json[0]["input_tokens"], 600);
  EXPECT_EQ(json[0]["best"]["node"], 3);
  EXPECT_EQ(json[0]["best"]["speedup"], 4.0);
  EXPECT_EQ(json[0]["best"]["speedup_low"], nullptr);
  EXPECT_EQ(json[0]["best"]["next"]["node"], 1);
  EXPECT_EQ(json[0]["best"]["next"]["told_apart"], false);
  EXPECT_FALSE(json[0].contains("cost"));
}

// A directive that holds is a fact of the campaign; another still waits.
TEST_F(StatusTest, WhatPeopleSteeredStaysSo) {
  Install();
  const auto run = [&](const char* budget) {
    SayIn("new.db", {"run", "sim:basic", "--budget", budget, "--name", "c",
                     "--progress", "none"});
  };
  run("2");
  SayIn("new.db", {"steer", "freeze", "1"});
  run("3");
  EXPECT_THAT(SayIn("new.db", {"status"}).out,
              HasSubstr("\nc: steered by people; `coppice steer list` has "
                        "them\n"));
  SayIn("new.db", {"steer", "pause"});
  EXPECT_THAT(SayIn("new.db", {"status"}).out,
              HasSubstr("\nc: 1 directive pending; steered by people; "));
  const auto json =
      nlohmann::json::parse(SayIn("new.db", {"status", "--json"}).out);
  EXPECT_EQ(json[0]["steered"], true);
}

}  // namespace
}  // namespace coppice::cli
