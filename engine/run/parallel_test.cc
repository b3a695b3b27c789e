// Attempts side by side: in threads of one process, and in several processes,
// which here are campaigns with connections and leases of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <string>
#include <thread>
#include <utility>

#include "agents/provider/transport_observer.h"
#include "engine/campaign/campaign.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/process_lock.h"
#include "engine/campaign/root_candidate.h"
#include "engine/run/simulated_rig.h"
#include "eval/judge/evaluator.h"
#include "search/policy.h"
#include "store/records/node.h"

namespace coppice::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kTally =
    "SELECT count(*), count(DISTINCT node), sum(stage = 'committed')"
    " FROM attempts";

// Every plan, and every candidate or refusal, of exactly one answer.
constexpr const char* kAnsweredTwice =
    "SELECT decision, role FROM calls WHERE outcome = 'answered'"
    " GROUP BY decision, role HAVING count(*) > 1";

// Holds the first `width` calls until all of them have come.
class Meeting final : public agents::Model {
 public:
  Meeting(agents::Model& model, int width) : model_(model), latch_(width) {}
  std::string_view Provider() const override { return model_.Provider(); }
  std::string_view ModelName() const override { return model_.ModelName(); }
  Result<agents::ModelAnswer> Complete(
      const agents::ModelRequest& request) override {
    if (!latch_.try_wait()) latch_.arrive_and_wait();
    return model_.Complete(request);
  }

 private:
  agents::Model& model_;
  std::latch latch_;
};

TEST(ParallelTest, EightAttemptsAreInFlightAtOnce) {
  SimulatedRig rig(40);
  const auto database = rig.Connect();
  Meeting meeting(rig.model(), 8);
  const CampaignParts parts = rig.PartsFor(*database, &meeting);
  Campaign campaign(parts, rig.Row(), rig.OptionsFor(8));
  Silent observer;
  ASSERT_EQ(campaign.Run(observer).value(), Ending::kBudgetSpent);
  EXPECT_EQ(observer.commits, 41);  // The root's, too.
  EXPECT_THAT(rig.Rows(kTally), ElementsAre("40|40|40"));
  EXPECT_THAT(rig.Rows("SELECT count(*) FROM attempts WHERE nodes_seen = 1"),
              ElementsAre("8"));
  EXPECT_THAT(rig.Rows(kAnsweredTwice), IsEmpty());
  EXPECT_THAT(rig.Findings(), IsEmpty());
}

// Says where it judges, and waits there for the other device, once.
class OnDevice final : public eval::Evaluator {
 public:
  OnDevice(eval::Evaluator& judge, std::string device, std::latch& both)
      : judge_(judge), device_(std::move(device)), both_(both) {}
  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override {
    const bool is_root = candidate.source == RootCandidate(task).source;
    if (!is_root && !std::exchange(has_met_, true)) both_.arrive_and_wait();
    TRY(evaluation, judge_.Evaluate(task, candidate, tier));
    evaluation.device = device_;
    return evaluation;
  }

 private:
  eval::Evaluator& judge_;
  std::string device_;
  std::latch& both_;
  bool has_met_ = false;
};

TEST(ParallelTest, EveryDeviceJudgesAndNoKernelTwice) {
  SimulatedRig rig(40);
  const auto database = rig.Connect();
  CampaignParts parts = rig.PartsFor(*database);
  const auto other = store::Must(Landscapes().MakeEvaluator(rig.task()));
  std::latch both(2);
  OnDevice a(rig.evaluator(), "GPU-a", both);
  OnDevice b(*other, "GPU-b", both);
  parts.stations = {{&a, "GPU-a"}, {&b, "GPU-b"}};
  Campaign campaign(parts, rig.Row(), rig.OptionsFor(4));
  Silent observer;
  ASSERT_EQ(campaign.Run(observer).value(), Ending::kBudgetSpent);
  EXPECT_EQ(observer.commits, 41);  // The root's, too.
  EXPECT_THAT(rig.Rows("SELECT DISTINCT device FROM evaluations ORDER BY 1"),
              ElementsAre("GPU-a", "GPU-b"));
  EXPECT_THAT(rig.Rows("SELECT source_blob FROM nodes WHERE same_as IS NULL"
                       " GROUP BY source_blob HAVING count(*) > 1"),
              IsEmpty());
  EXPECT_THAT(rig.Findings(), IsEmpty());
}

TEST(ParallelTest, OneWorkerSeesAllThatWasDecidedBefore) {
  SimulatedRig rig(20);
  const auto database = rig.Connect();
  const CampaignParts parts = rig.PartsFor(*database);
  Campaign campaign(parts, rig.Row(), rig.OptionsFor(1));
  Silent observer;
  ASSERT_TRUE(campaign.Run(observer).has_value());
  EXPECT_THAT(
      rig.Rows("SELECT count(*) FROM attempts WHERE nodes_seen = decision + 1"),
      ElementsAre("20"));
  EXPECT_THAT(rig.Findings(), IsEmpty());
}

// Each has threads, leases and a connection of its own; both find a root that
// is not measured yet.
TEST(ParallelTest, TwoProcessesShareACampaign) {
  SimulatedRig rig(60);
  const store::CampaignRow row = rig.Row();
  std::atomic<int> commits{0};
  const auto run = [&] {
    const auto database = rig.Connect();
    const CampaignParts parts = rig.PartsFor(*database);
    Campaign campaign(parts, row, rig.OptionsFor(3));
    Silent observer;
    const auto ending = campaign.Run(observer);
    EXPECT_TRUE(ending.has_value()) << ending.error().what;
    EXPECT_EQ(campaign.progress().attempts, 60);
    commits += observer.commits;
  };
  std::thread other(run);
  run();
  other.join();
  EXPECT_EQ(commits, 61);
  EXPECT_THAT(rig.Rows(kTally), ElementsAre("60|60|60"));
  EXPECT_THAT(rig.Rows(kAnsweredTwice), IsEmpty());
  EXPECT_THAT(rig.Findings(), IsEmpty());
}

// Another process is measuring the root, which takes a while.
TEST(ParallelTest, WhoIsToStopDoesNotWaitForTheTurnOfAnother) {
  SimulatedRig rig(0);
  const auto database = rig.Connect();
  const CampaignParts parts = rig.PartsFor(*database);
  const auto turn = ProcessLock::TryTurn(rig.path(), CampaignId{1});
  ASSERT_TRUE(turn.has_value() && turn->has_value());
  const std::atomic<bool> drain{true};
  Campaign::Options options = rig.OptionsFor(1);
  options.drain = &drain;
  Campaign campaign(parts, rig.Row(), options);
  Silent observer;
  EXPECT_EQ(campaign.Run(observer).value(), Ending::kDrained);
  EXPECT_EQ(observer.commits, 0);
}

// Fails from the 10th call on.
class Failing final : public agents::Model {
 public:
  explicit Failing(agents::Model& model) : model_(model) {}
  std::string_view Provider() const override { return model_.Provider(); }
  std::string_view ModelName() const override { return model_.ModelName(); }
  Result<agents::ModelAnswer> Complete(
      const agents::ModelRequest& request) override {
    if (++calls_ >= 10) return Fail(Errc::kUnavailable, "no route to host");
    return model_.Complete(request);
  }

 private:
  agents::Model& model_;
  std::atomic<int> calls_{0};
};

TEST(ParallelTest, AnErrorOfOneEndsAllAndAnotherRunGoesOn) {
  SimulatedRig rig(30);
  const auto database = rig.Connect();
  {
    Failing failing(rig.model());
    const CampaignParts parts = rig.PartsFor(*database, &failing);
    Campaign campaign(parts, rig.Row(), rig.OptionsFor(4));
    Silent observer;
    const auto ending = campaign.Run(observer);
    ASSERT_FALSE(ending.has_value());
    EXPECT_EQ(ending.error().what, "no route to host");
  }
  const CampaignParts parts = rig.PartsFor(*database);
  Campaign campaign(parts, rig.Row(), rig.OptionsFor(4));
  Silent observer;
  ASSERT_TRUE(campaign.Run(observer).has_value());
  EXPECT_THAT(rig.Rows(kTally), ElementsAre("30|30|30"));
  EXPECT_THAT(rig.Rows(kAnsweredTwice), IsEmpty());
  EXPECT_THAT(rig.Findings(), IsEmpty());
}

// Asks to stop after its fifth commit.
class Stopper final : public Observer {
 public:
  explicit Stopper(std::atomic<bool>& drain) : drain_(drain) {}
  void OnCommit(const Progress& progress, const NodeRecord&) override {
    if (progress.attempts == 5) drain_ = true;
  }
  void OnConfirm(const Progress&, NodeId) override {}

 private:
  std::atomic<bool>& drain_;
};

TEST(ParallelTest, DrainingCommitsWhatIsUnderWay) {
  SimulatedRig rig(1000);
  const auto database = rig.Connect();
  const CampaignParts parts = rig.PartsFor(*database);
  std::atomic<bool> drain{false};
  Campaign::Options options = rig.OptionsFor(4);
  options.drain = &drain;
  Campaign campaign(parts, rig.Row(), options);
  Stopper observer(drain);
  ASSERT_EQ(campaign.Run(observer).value(), Ending::kDrained);
  EXPECT_THAT(rig.Rows("SELECT count(*) FROM attempts"
                       " WHERE stage <> 'committed'"),
              ElementsAre("0"));
  // Five and at most those that the other three had begun.
  EXPECT_THAT(rig.Rows("SELECT count(*) BETWEEN 5 AND 8 FROM attempts"),
              ElementsAre("1"));
}

// Is told what comes of the calls, and asks to stop.
class Listener final : public Observer {
 public:
  explicit Listener(std::atomic<bool>& drain) : drain_(drain) {}
  void OnCommit(const Progress&, const NodeRecord&) override {}
  void OnConfirm(const Progress&, NodeId) override {}
  void OnTokens(const Progress& progress) override {
    most_coming = std::max(most_coming, progress.answers_coming);
    if (progress.tokens_come < 4 * 7) return;
    drain_ = true;
    drain_.notify_all();
  }
  int most_coming = 0;

 private:
  std::atomic<bool>& drain_;
};

// Says seven tokens, and no more until it is given up.
class Endless final : public agents::Model {
 public:
  std::string_view Provider() const override { return "endless"; }
  std::string_view ModelName() const override { return "test"; }
  Result<agents::ModelAnswer> Complete(
      const agents::ModelRequest& request) override {
    agents::TransportCall call;
    call.body = "?";
    TRY(id, request.observer->BeforeSend(call));
    request.on_progress(7);
    request.cancel->wait(false);
    TransportResult end;
    end.outcome = CallOutcome::kUnknown;
    end.error = "cancelled";
    TRY_DONE(request.observer->AfterEnd(id, end));
    return Fail(Errc::kCancelled, "cancelled");
  }
};

// The next run takes the attempts over, and asks anew.
TEST(ParallelTest, DrainingGivesUpTheCallsToLanguageModels) {
  SimulatedRig rig(20);
  const auto database = rig.Connect();
  std::atomic<bool> drain{false};
  Campaign::Options options = rig.OptionsFor(4);
  options.drain = &drain;
  {
    Endless endless;
    CampaignParts parts = rig.PartsFor(*database, &endless);
    for (Agent* agent : {&parts.plan, &parts.code, &parts.debug}) {
      agent->is_language_model = true;
    }
    Campaign campaign(parts, rig.Row(), options);
    Listener listener(drain);
    ASSERT_EQ(campaign.Run(listener).value(), Ending::kDrained);
    EXPECT_EQ(listener.most_coming, 4);
    EXPECT_EQ(campaign.progress().answers_coming, 0);
  }
  EXPECT_THAT(rig.Rows("SELECT outcome, count(*) FROM calls GROUP BY outcome"),
              ElementsAre("outcome_unknown|4"));
  EXPECT_THAT(rig.Rows("SELECT outcome, error, count(*) FROM wire_calls"
                       " GROUP BY outcome, error"),
              ElementsAre("outcome_unknown|cancelled|4"));
  EXPECT_THAT(rig.Rows("SELECT stage, count(*) FROM attempts GROUP BY stage"),
              ElementsAre("reserved|4"));
  EXPECT_THAT(rig.Findings(), IsEmpty());
  drain = false;
  const CampaignParts parts = rig.PartsFor(*database);
  Campaign campaign(parts, rig.Row(), options);
  Silent observer;
  ASSERT_EQ(campaign.Run(observer).value(), Ending::kBudgetSpent);
  EXPECT_THAT(rig.Rows(kTally), ElementsAre("20|20|20"));
  EXPECT_THAT(rig.Rows(kAnsweredTwice), IsEmpty());
  EXPECT_THAT(rig.Findings(), IsEmpty());
}

}  // namespace
}  // namespace coppice::engine
