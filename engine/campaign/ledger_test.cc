#include "engine/campaign/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "agents/provider/transport_observer.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/run/simulated_rig.h"
#include "store/write/directives.h"

namespace coppice::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The simulation behind a wire: requests of 10 tokens in and 20 out that may
// cost a dollar, and cost 40 cents.  Every third fails at first.
class WiredModel final : public agents::Model {
 public:
  explicit WiredModel(agents::Model& model) : model_(model) {}
  std::string_view Provider() const override { return "wired"; }
  std::string_view ModelName() const override { return "m"; }

  Result<agents::ModelAnswer> Complete(
      const agents::ModelRequest& request) override {
    TRY(answer, model_.Complete(request));
    agents::TransportCall call;
    call.role = request.role;
    call.body = request.user_prompt;
    call.bound.input_tokens = 10;
    call.bound.output_tokens = 20;
    call.bound.cost_usd = 1.0;
    if (++sent % 3 == 0) {
      TRY(failed, request.observer->BeforeSend(call));
      TransportResult end;
      end.outcome = CallOutcome::kFailed;
      end.http_status = 529;
      TRY_DONE(request.observer->AfterEnd(failed, end));
      call.retry_of = failed;
    }
    TRY(id, request.observer->BeforeSend(call));
    const int now = ++in_flight_;
    int most = most_in_flight;
    while (now > most && !most_in_flight.compare_exchange_weak(most, now)) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --in_flight_;
    TransportResult end;
    end.answer = answer.text;
    end.usage.input_tokens = 9;
    end.usage.output_tokens = 11;
    end.cost_usd = 0.4;
    end.price_version = "test";
    end.http_status = 200;
    TRY_DONE(request.observer->AfterEnd(id, end));
    answer.usage = end.usage;
    answer.cost_usd = end.cost_usd;
    return answer;
  }

  std::atomic<int> sent{0};
  std::atomic<int> most_in_flight{0};

 private:
  agents::Model& model_;
  std::atomic<int> in_flight_{0};
};

Result<Ending> RunWired(SimulatedRig& rig, const store::Caps& caps,
                        int parallel, WiredModel& model) {
  const auto database = rig.Connect();
  CampaignParts parts = rig.PartsFor(*database, &model);
  parts.caps = caps;
  Campaign campaign(parts, rig.Row(), rig.OptionsFor(parallel));
  Silent observer;
  return campaign.Run(observer);
}

TEST(LedgerTest, EveryRequestHasItsRowAndEveryCallItsAnswer) {
  SimulatedRig rig(20);
  WiredModel model(rig.model());
  ASSERT_EQ(RunWired(rig, {}, 4, model).value(), Ending::kBudgetSpent);
  EXPECT_THAT(
      rig.Rows("SELECT count(*) - " + std::to_string(model.sent) +
               ", sum(outcome = 'failed') - " + std::to_string(model.sent / 3) +
               ", sum(outcome = 'sent') FROM wire_calls"),
      ElementsAre(std::to_string(model.sent / 3) + "|0|0"));
  EXPECT_THAT(rig.Rows("SELECT count(*) FROM wire_calls w"
                       " WHERE retry_of IS NOT NULL"),
              ElementsAre(std::to_string(model.sent / 3)));
  EXPECT_THAT(rig.Rows("SELECT count(*) FROM calls"
                       " WHERE abs(cost_usd - 0.4) > 1e-9"),
              ElementsAre("0"));
  EXPECT_THAT(rig.Findings(), IsEmpty());
}

// A request may cost a dollar and costs 40 cents: $2.10 hold two in flight, and
// four of them after each other (0.4 * 3 + 1 > 2.1 for the fourth: no; three
// used 1.2, so a fourth may not begin).
TEST(LedgerTest, ACapHoldsWithEightInFlightAndAHigherOneGoesOn) {
  SimulatedRig rig(12);
  WiredModel model(rig.model());
  store::Caps caps;
  caps.campaign.usd = 2.1;
  ASSERT_EQ(RunWired(rig, caps, 8, model).value(), Ending::kCapReached);
  EXPECT_LE(model.most_in_flight, 2);
  EXPECT_THAT(rig.Rows("SELECT round(sum(cost_usd), 6) FROM wire_calls"),
              ElementsAre("1.2"));
  EXPECT_THAT(rig.Rows("SELECT state FROM campaigns"), ElementsAre("paused"));
  EXPECT_THAT(rig.Findings(), IsEmpty());

  caps.campaign.usd = 1000.0;
  ASSERT_EQ(RunWired(rig, caps, 8, model).value(), Ending::kBudgetSpent);
  EXPECT_THAT(rig.Rows("SELECT count(node) FROM attempts"), ElementsAre("12"));
  EXPECT_THAT(rig.Findings(), IsEmpty());
}

// Somebody's word that the campaign may use so many dollars.
void Give(const SimulatedRig& rig, CampaignId campaign, double usd) {
  Directive more;
  more.uuid = FreshUuid(rig.clock());
  more.author = "ana";
  more.kind = DirectiveKind::kBudget;
  more.aspect = kUsdAspect;
  more.amount = usd;
  const auto database = rig.Connect();
  ASSERT_TRUE(store::AppendDirective(*database, campaign, more));
}

// As above, three requests are made before the cap.  What is heard becomes the
// setting by which the campaign goes on.
TEST(LedgerTest, WhatSomebodyGivesIsHeardBeforeACapEndsTheNextRun) {
  SimulatedRig rig(6);
  WiredModel model(rig.model());
  store::Caps caps;
  caps.campaign.usd = 2.1;
  ASSERT_EQ(RunWired(rig, caps, 1, model).value(), Ending::kCapReached);
  Give(rig, rig.Row().id, 0.5);
  ASSERT_EQ(RunWired(rig, caps, 1, model).value(), Ending::kCapReached);
  Give(rig, rig.Row().id, 1000.0);
  ASSERT_EQ(RunWired(rig, caps, 1, model).value(), Ending::kBudgetSpent);
  EXPECT_THAT(rig.Rows("SELECT outcome, refusal FROM directives"
                       " ORDER BY directive"),
              ElementsAre("refused|$1.2 are used already", "applied|-"));
  EXPECT_THAT(rig.Rows("SELECT value, origin FROM settings"
                       " WHERE key = 'cap_usd'"),
              ElementsAre("1000|directive 2"));
  EXPECT_THAT(rig.Findings(), IsEmpty());
}

// Told while the third request is on its way: the fourth would pass the cap.
TEST(LedgerTest, WhatSomebodyGivesMeanwhileLetsTheAttemptGoOn) {
  SimulatedRig rig(6);
  const CampaignId campaign = rig.Row().id;
  class Giving final : public agents::Model {
   public:
    Giving(WiredModel& model, std::function<void()> give)
        : model_(model), give_(std::move(give)) {}
    std::string_view Provider() const override { return model_.Provider(); }
    std::string_view ModelName() const override { return model_.ModelName(); }
    Result<agents::ModelAnswer> Complete(
        const agents::ModelRequest& request) override {
      auto answer = model_.Complete(request);
      if (model_.sent == 3) give_();
      return answer;
    }

   private:
    WiredModel& model_;
    const std::function<void()> give_;
  };
  WiredModel wired(rig.model());
  Giving model(wired, [&] { Give(rig, campaign, 1000.0); });
  const auto database = rig.Connect();
  CampaignParts parts = rig.PartsFor(*database, &model);
  parts.caps.campaign.usd = 2.1;
  Campaign run(parts, rig.Row(), rig.OptionsFor(1));
  Silent observer;
  EXPECT_EQ(run.Run(observer).value(), Ending::kBudgetSpent);
  EXPECT_THAT(rig.Rows("SELECT count(node) FROM attempts"), ElementsAre("6"));
  EXPECT_THAT(rig.Findings(), IsEmpty());
}

}  // namespace
}  // namespace coppice::engine
