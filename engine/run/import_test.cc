#include "engine/run/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "config/load.h"
#include "engine/campaign/replay.h"
#include "engine/factory/campaign_factory.h"
#include "engine/factory/simulation.h"
#include "engine/run/campaign_report.h"
#include "engine/run/session.h"
#include "engine/run/simulated_rig.h"
#include "store/care/maintenance.h"
#include "store/read/snapshot.h"
#include "store/records/node.h"
#include "store/scratch.h"

namespace coppice::engine {
namespace {

using store::Must;
using testing::ElementsAre;
using testing::IsEmpty;

// A simulated task; what its own agents write serves as what others did.
class ImportTest : public testing::Test {
 protected:
  ImportTest() {
    config::Surroundings surroundings;
    surroundings.environment["HOME"] = directory_.File("home").string();
    surroundings.data_directory = std::string(COPPICE_SOURCE_DIR) + "/data";
    loaded_ = Must(config::Load(surroundings, std::nullopt,
                                {{"db", path_.string()}, {"budget", "4"}}));
    factory_ = Must(CampaignFactory::Make(loaded_, "", clock_, drain_));
  }

  // What a campaign of the agents tried.
  std::vector<store::Claim> Tried() {
    const auto row =
        Must(FindOrStart(*factory_, database_, task_, "sim:basic", "agents"));
    Must(RunCampaign(*factory_, database_, task_, row, observer_));
    std::vector<store::Claim> claims;
    for (const std::string& source :
         store::Rows(database_,
                     "SELECT DISTINCT blob_text(source_blob)"
                     " FROM nodes WHERE node > 0 ORDER BY node")) {
      claims.push_back({.candidate = {Language::kSim, source, ""},
                        .origin = "list:" + std::to_string(claims.size() + 1),
                        .speedup = 50.0});
    }
    return claims;
  }
  store::CampaignRow Planted() {
    return Must(FindOrPlant(*factory_, database_, task_, "c"));
  }
  Imported Take(const std::vector<store::Claim>& claims,
                store::Judging judging = store::Judging::kByAttempt) {
    return Must(Import(*factory_, database_, task_, Planted(), claims, judging,
                       observer_));
  }
  std::vector<std::string> Ask(const std::string& sql) {
    return store::Rows(database_, sql);
  }

  store::ScratchDirectory directory_;
  const std::filesystem::path path_ = directory_.File("x.db");
  store::Database database_ = store::NewFile(path_);
  const Task task_ = Must(SimulatedTask("basic"));
  const SystemClock clock_{};
  const std::atomic<bool> drain_{false};
  config::Loaded loaded_;
  std::unique_ptr<CampaignFactory> factory_;
  Silent observer_;
};

TEST_F(ImportTest, ClaimsBecomeNodesBelowTheRootByWhatTheyDo) {
  const auto claims = Tried();
  ASSERT_GE(claims.size(), 2u);
  const Imported imported = Take(claims);
  const auto count = static_cast<std::int64_t>(claims.size());
  EXPECT_EQ(imported.intake.attempts, count);
  EXPECT_EQ(imported.ending, Ending::kBudgetSpent);
  EXPECT_THAT(Ask("SELECT count(*), min(parent), max(parent),"
                  " count(DISTINCT policy) FROM nodes"
                  " WHERE campaign = 'c' AND node > 0"),
              ElementsAre(std::to_string(count) + "|0|0|1"));
  // As judged when the agents wrote them, and nothing like what is claimed.
  EXPECT_EQ(Ask("SELECT blob_text(source_blob), verdict, speedup FROM nodes"
                " WHERE campaign = 'c' AND node > 0 ORDER BY 1"),
            Ask("SELECT DISTINCT blob_text(source_blob), verdict, speedup"
                " FROM nodes WHERE campaign = 'agents' AND node > 0"
                " ORDER BY 1"));
  EXPECT_THAT(Ask("SELECT count(*) FROM nodes WHERE speedup >= 50"),
              ElementsAre("0"));
  EXPECT_THAT(Ask("SELECT state, attempts = budget_attempts FROM campaigns"
                  " WHERE campaign = 'c'"),
              ElementsAre("finished|1"));
  EXPECT_THAT(Must(store::Diagnose(database_)), IsEmpty());
}

TEST_F(ImportTest, WhatIsKeptForLaterIsNoNode) {
  const auto claims = Tried();
  Take(claims, store::Judging::kLater);
  EXPECT_THAT(Ask("SELECT count(*) FROM nodes WHERE campaign = 'c'"),
              ElementsAre("0"));
  EXPECT_THAT(Ask("SELECT DISTINCT claimed_speedup, node FROM claims"),
              ElementsAre("50|-"));
  EXPECT_THAT(Ask("SELECT count(*) FROM leaderboard WHERE campaign = 'c'"),
              ElementsAre("0"));
  EXPECT_EQ(Take(claims).intake.attempts,
            static_cast<std::int64_t>(claims.size()));
}

TEST_F(ImportTest, AgainIsNothingNew) {
  const auto claims = Tried();
  Take(claims);
  const auto nodes = Ask("SELECT count(*) FROM nodes WHERE campaign = 'c'");
  const Imported again = Take(claims);
  EXPECT_EQ(again.intake.attempts, 0);
  EXPECT_EQ(again.intake.duplicates, static_cast<std::int64_t>(claims.size()));
  EXPECT_EQ(Ask("SELECT count(*) FROM nodes WHERE campaign = 'c'"), nodes);
}

// A campaign that has budget left keeps all of it, and goes on from them.
TEST_F(ImportTest, ACampaignGoesOnFromWhatWasImported) {
  const auto claims = Tried();
  FindOrStart(*factory_, database_, task_, "sim:basic", "c").value();
  Take(claims);
  EXPECT_THAT(Ask("SELECT state, budget_attempts - attempts FROM campaigns"
                  " WHERE campaign = 'c'"),
              ElementsAre("paused|4"));
  const auto row =
      Must(FindOrStart(*factory_, database_, task_, "sim:basic", "c"));
  Must(RunCampaign(*factory_, database_, task_, row, observer_));
  EXPECT_THAT(
      Ask("SELECT policy, count(*) FROM attempts WHERE campaign = 'c'"
          " GROUP BY policy"),
      ElementsAre("import|" + std::to_string(claims.size()), "xei_hint|4"));
  // The imported decisions can be made again.
  int agreeing = 0;
  Must(Replay(Must(store::ReadAnnals(database_, row.id)), row.spec.seed,
              search::MakePolicy, [&](const Remade& remade) {
                agreeing += remade.Agrees() ? 1 : 0;
                return true;
              }));
  EXPECT_EQ(agreeing, 4);
}

TEST_F(ImportTest, ACampaignOnAnotherTaskIsRefused) {
  Planted();
  Task other = task_;
  other.definition.name = "other";
  const auto refused = FindOrPlant(*factory_, database_, other, "c");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().what,
            "c: is a campaign on sim:basic, not on other");
}

}  // namespace
}  // namespace coppice::engine
