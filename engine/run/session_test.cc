#include "engine/run/session.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "config/load.h"
#include "engine/campaign/replay.h"
#include "engine/factory/campaign_factory.h"
#include "engine/factory/simulation.h"
#include "engine/process/clock.h"
#include "engine/run/campaign_report.h"
#include "search/policy.h"
#include "store/read/snapshot.h"
#include "store/records/node.h"
#include "store/scratch.h"

namespace coppice::engine {
namespace {

using store::Must;

class Silence final : public Observer {
 public:
  void OnCommit(const Progress&, const NodeRecord&) override {}
  void OnConfirm(const Progress&, NodeId) override {}
};

// Campaigns on the simulated task, with the options of one command each.
class SessionTest : public testing::Test {
 protected:
  config::Loaded Options(std::vector<config::Override> options) {
    options.push_back({"db", path_.string()});
    config::Surroundings surroundings;
    surroundings.environment = environment_;
    surroundings.environment["HOME"] = directory_.File("home").string();
    surroundings.data_directory = std::string(COPPICE_SOURCE_DIR) + "/data";
    return Must(config::Load(surroundings, std::nullopt, options));
  }
  static std::unique_ptr<CampaignFactory> Open(const config::Loaded& loaded) {
    static const SystemClock clock;
    static const std::atomic<bool> drain{false};
    return Must(CampaignFactory::Make(loaded, "", clock, drain));
  }
  store::CampaignRow Find(std::vector<config::Override> options) {
    const config::Loaded loaded = Options(std::move(options));
    const auto factory = Open(loaded);
    return Must(FindOrStart(*factory, database_, task_, "sim:basic", "c"));
  }

  // Why it does not go on by these options; empty: it does.
  std::string Refusal(std::vector<config::Override> options) {
    const config::Loaded loaded = Options(std::move(options));
    const auto factory = Open(loaded);
    const auto found =
        FindOrStart(*factory, database_, task_, "sim:basic", "c");
    if (found) return "";
    EXPECT_EQ(found.error().code, Errc::kUsage);
    return found.error().what;
  }

  config::Environment environment_;
  store::ScratchDirectory directory_;
  const std::filesystem::path path_ = directory_.File("x.db");
  store::Database database_ = store::NewFile(path_);
  const Task task_ = Must(SimulatedTask("basic"));
};

TEST_F(SessionTest, AGivenBudgetMakesACampaignsOwnGrow) {
  Find({{"budget", "5"}, {"budget_s", "10"}});
  const store::CampaignRow same = Find({});
  EXPECT_EQ(same.spec.budget_attempts, 5);
  EXPECT_EQ(same.spec.budget_s, 10.0);
  const store::CampaignRow less = Find({{"budget", "4"}, {"budget_s", "9"}});
  EXPECT_EQ(less.spec.budget_attempts, 5);
  EXPECT_EQ(less.spec.budget_s, 10.0);
  EXPECT_EQ(Find({{"budget", "6"}}).spec.budget_attempts, 6);
  EXPECT_EQ(Find({{"budget_s", "11"}}).spec.budget_s, 11.0);
  EXPECT_EQ(Find({{"budget_s", "none"}}).spec.budget_s, std::nullopt);
  const store::CampaignRow stored = Find({{"budget_s", "1"}});
  EXPECT_EQ(stored.spec.budget_attempts, 6);
  EXPECT_EQ(stored.spec.budget_s, std::nullopt);
}

// By `coppice resume`, which is told a campaign.
TEST_F(SessionTest, ABudgetOfTheCommandLineMayBeTheOne) {
  const auto resumed =
      [&](std::vector<config::Override> options) -> Result<Intent> {
    const config::Loaded loaded = Options(std::move(options));
    const auto factory = Open(loaded);
    return Intend(*factory, database_, task_, "sim:basic", "c",
                  GivenBudget::kIsTheOne);
  };
  Find({{"budget", "9"}, {"budget_s", "10"}, {"budget_evaluator_s", "5"}});
  EXPECT_EQ(Must(resumed({})).spec.budget_attempts, 9);
  EXPECT_EQ(Must(resumed({{"budget", "4"}})).spec.budget_attempts, 4);
  EXPECT_EQ(Must(resumed({{"budget", "12"}})).spec.budget_attempts, 12);
  EXPECT_EQ(Must(resumed({{"budget", "12"}})).spec.budget_s, 10.0);
  EXPECT_EQ(Must(resumed({{"budget_s", "8.5"}})).spec.budget_s, 8.5);
  EXPECT_EQ(Must(resumed({{"budget_s", "none"}})).spec.budget_s, std::nullopt);
  // Nothing is changed before it is entered; the evaluator's is a setting.
  EXPECT_EQ(Find({}).spec.budget_attempts, 9);
  std::vector<Intent> intents;
  intents.push_back(Must(resumed({{"budget_evaluator_s", "7"}})));
  Must(Enter(database_, intents));
  EXPECT_EQ(store::Rows(database_,
                        "SELECT value, origin FROM settings"
                        " WHERE key = 'budget_evaluator_s'"),
            std::vector<std::string>{"7|command line"});

  // What is used: 0 attempts, 6 seconds.
  store::Campaigns campaigns(database_);
  Must(campaigns.Update(CampaignId{1}, store::CampaignState::kPaused, 6.04,
                        2000.0));
  const auto less = resumed({{"budget_s", "5"}});
  ASSERT_FALSE(less);
  EXPECT_EQ(less.error().code, Errc::kUsage);
  EXPECT_EQ(less.error().what,
            "c: --budget-s 5 is less than the 6 seconds that it has used; give "
            "more");
  // A variable only makes it grow.
  environment_ = {{"COPPICE_BUDGET", "3"}};
  EXPECT_EQ(Must(resumed({})).spec.budget_attempts, 9);
  environment_ = {{"COPPICE_BUDGET", "30"}};
  EXPECT_EQ(Must(resumed({})).spec.budget_attempts, 30);
}

TEST_F(SessionTest, AnotherSearchIsAnotherCampaign) {
  Find({{"preset", "search"}, {"seed", "7"}});
  const auto refusal = [](const std::string& option) {
    return "c: was begun with another " + option +
           "; choose another --name, or go on as it was begun with: coppice "
           "resume c";
  };
  EXPECT_EQ(Refusal({{"agents", "team"}}), refusal("--agents"));
  EXPECT_EQ(Refusal({{"seed", "8"}}), refusal("--seed"));
  EXPECT_EQ(Refusal({{"preset", "xei"}}), refusal("--preset"));
  EXPECT_EQ(Refusal({{"preset", "stark"}}), refusal("--preset"));  // A team.
  EXPECT_EQ(Refusal({{"seed", "8"}, {"budget", "99"}}), refusal("--seed"));
  EXPECT_EQ(Find({}).spec.budget_attempts, 30);

  EXPECT_EQ(Refusal({{"preset", "search"}, {"seed", "7"}}), "");
  EXPECT_EQ(Refusal({{"policy", "stark"}, {"agents", "alone"}}), "");
  EXPECT_EQ(Refusal({{"preset", "sampling"}, {"policy", "stark"}}), "");
  // Defaults of the user's for campaigns that begin.
  environment_ = {{"COPPICE_PRESET", "reflexion"}, {"COPPICE_SEED", "9"}};
  EXPECT_EQ(Refusal({}), "");
}

TEST_F(SessionTest, ANamedPolicyDecidesFromThenOn) {
  const auto run = [&](std::vector<config::Override> options) {
    const store::CampaignRow row = Find(options);
    const config::Loaded loaded = Options(std::move(options));
    const auto factory = Open(loaded);
    Silence silence;
    Must(RunCampaign(*factory, database_, task_, row, silence));
  };
  run({{"policy", "stark"}, {"budget", "8"}});
  run({{"policy", "stark:n_root=9,epsilon=0.40"}, {"budget", "14"}});
  run({{"budget", "16"}});
  run({{"policy", "stark:epsilon=0.4,n_root=9"}, {"budget", "17"}});
  EXPECT_EQ(store::Rows(database_,
                        "SELECT policy, min(decision), count(*) FROM attempts"
                        " GROUP BY policy ORDER BY 2"),
            (std::vector<std::string>{"stark|0|8",
                                      "stark:epsilon=0.4,n_root=9|8|9"}));
  EXPECT_EQ(store::Rows(database_,
                        "SELECT subject, detail FROM event"
                        " WHERE kind = 'policy'"),
            std::vector<std::string>{"8|stark:epsilon=0.4,n_root=9"});
  const store::CampaignRow row = Find({});
  EXPECT_EQ(row.spec.policy, "stark");
  EXPECT_EQ(store::PolicyOf(row.spec), "stark:epsilon=0.4,n_root=9");
  std::int64_t agreeing = 0;
  Must(Replay(Must(store::ReadAnnals(database_, row.id)), row.spec.seed,
              search::MakePolicy, [&](const Remade& remade) {
                agreeing += remade.Agrees() ? 1 : 0;
                return true;
              }));
  EXPECT_EQ(agreeing, 17);
}

// A variable's policy is for campaigns that begin; a wrong one begins nothing.
TEST_F(SessionTest, OnlyTheCommandLineChangesAPolicy) {
  Find({{"policy", "stark"}});
  environment_ = {{"COPPICE_POLICY", "greedy"}};
  EXPECT_EQ(store::PolicyOf(Find({}).spec), "stark");
  EXPECT_EQ(Refusal({{"policy", "stark:eps=1"}}),
            "policy stark: has no constant 'eps'; it has epsilon=0.3 (0 to 1), "
            "n_root=5 (1 or more), n_child=3 (0 or more)");
}

// The command line gives a rule later.
TEST_F(SessionTest, ARuleToStopByIsKept) {
  const auto rule = [&] {
    return store::Rows(database_,
                       "SELECT value FROM settings"
                       " WHERE key = 'stop_at_speedup'");
  };
  Find({{"stop_at_speedup", "2"}});
  Find({});
  EXPECT_EQ(rule(), std::vector<std::string>{"2"});
  Find({{"stop_at_speedup", "none"}});
  EXPECT_EQ(rule(), std::vector<std::string>{"none"});
}

TEST_F(SessionTest, AChangedTaskIsAnotherCampaign) {
  const config::Loaded loaded = Options({});
  const auto factory = Open(loaded);
  Must(FindOrStart(*factory, database_, task_, "sim:basic", "c"));
  Task changed = task_;
  changed.root.sources.front().content += " ";
  const auto found =
      FindOrStart(*factory, database_, changed, "sim:basic", "c");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::kUsage);
  EXPECT_EQ(found.error().what,
            "c: was begun before " + task_.definition.name +
                " was changed, and its nodes are judged by what that was; "
                "choose another --name, or go on by the old one: coppice "
                "resume c");
}

// Both find it new; one runs all of it before the other gets the lock.
TEST_F(SessionTest, WhatAnotherProcessDidMeanwhileIsSeen) {
  const config::Loaded loaded = Options({{"budget", "5"}});
  const auto factory = Open(loaded);
  Silence silence;
  const store::CampaignRow found =
      Must(FindOrStart(*factory, database_, task_, "sim:basic", "c"));
  Must(RunCampaign(*factory, database_, task_, found, silence));
  const CampaignReport second =
      Must(RunCampaign(*factory, database_, task_, found, silence));
  EXPECT_EQ(second.ending, Ending::kBudgetSpent);
  EXPECT_EQ(second.progress.attempts, 5);
}

}  // namespace
}  // namespace coppice::engine
