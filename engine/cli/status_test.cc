#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/cli/rehearsal.h"
#include "engine/presence.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

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

TEST_F(StatusTest, ACampaignThatNobodyRunsWasInterrupted) {
  EXPECT_EQ(State(), "interrupted");
  EXPECT_EQ(Say({"status"}).err,
            "continue with: coppice resume --db " + Path() + "\n");
  const auto lock = engine::Presence::Join(Path(), campaign(), "other");
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

}  // namespace
}  // namespace coppice::cli
