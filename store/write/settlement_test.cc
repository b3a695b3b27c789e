#include "store/write/settlement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "store/care/maintenance.h"
#include "store/scratch.h"
#include "store/write/wire_calls.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kLater_s = 9000.0;

// Requests of ten bytes, each of which may use 1,000 tokens and two dollars: a
// tenth of a cent for a token of the input, and more for one of the answer.
class SettlementTest : public ::testing::Test {
 protected:
  CallId Send(const std::string& request = "ten bytes!",
              Role role = Role::kPlan) {
    WireIntent intent = Intent(1000.0);
    intent.request = request;
    return Send(intent, role);
  }
  CallId Send(const WireIntent& intent, Role role) {
    const AttemptId attempt = Must(Attempts(database_).Reserve(
        campaign_, ReservationOf(decisions_++, kRootNode)));
    const CallId call = Must(calls_.Begin(attempt, IntentOf(role), {}));
    last_ = Must(wire_.Begin(call, intent, {}));
    return call;
  }
  static WireIntent Intent(double sent_at_s) {
    WireIntent intent;
    intent.request = "ten bytes!";
    intent.input_tokens_bound = 100;
    intent.output_tokens_bound = 900;
    intent.cost_usd_bound = 2.0;
    intent.input_usd_bound = 0.1;
    intent.sent_at_s = sent_at_s;
    return intent;
  }
  void End(CallOutcome outcome, const Usage& usage,
           std::optional<double> cost_usd) {
    EndedWireCall ended;
    ended.call = last_;
    ended.end.outcome = outcome;
    ended.end.usage = usage;
    ended.end.cost_usd = cost_usd;
    ended.end.ended_at_s = 1001.0;
    Must(wire_.End(ended));
  }
  // A call whose process died.
  CallId Lose(const std::string& request = "ten bytes!",
              Role role = Role::kPlan) {
    const CallId call = Send(request, role);
    End(CallOutcome::kUnknown, {}, std::nullopt);
    return call;
  }
  // At most 8 tokens of ten bytes, 40 in the answer, and 16 cents.
  void AnswerFive(Role role = Role::kPlan) {
    for (const std::int64_t output : {10, 20, 40, 30, 10}) {
      Send("ten bytes!", role);
      End(CallOutcome::kAnswered, {8, 0, output},
          0.004 * static_cast<double>(output));
    }
  }
  std::vector<std::string> Expenses() {
    return Rows(database_, "SELECT tokens, cost_usd FROM expense");
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
  Calls calls_{database_};
  WireCalls wire_{database_};
  WireCallId last_{};
  std::int64_t decisions_ = 0;
};

// 1.25 times 8 and 40 tokens: 10 of the 100 that 0.1 was reserved for, and 50
// of the 900 for 1.9.  Before: 1,000 and 2 beside the five's 150 and 0.44.
TEST_F(SettlementTest, AnEstimateIsAQuarterMoreThanTheMostThatWasUsed) {
  AnswerFive();
  const CallId lost = Lose();
  EXPECT_THAT(Expenses(), ElementsAre("1150|2.44"));
  const Settlement settlement =
      Must(Settle(database_, {}, SettleAs::kEstimate, kLater_s));
  ASSERT_EQ(settlement.settled.size(), 1u);
  EXPECT_THAT(settlement.left, IsEmpty());
  EXPECT_EQ(settlement.settled[0].call, lost);
  EXPECT_EQ(settlement.settled[0].campaign, "a");
  EXPECT_EQ(settlement.settled[0].tokens_before, 1000);
  EXPECT_EQ(settlement.settled[0].tokens, 60);
  EXPECT_DOUBLE_EQ(settlement.settled[0].usd_before, 2.0);
  EXPECT_DOUBLE_EQ(settlement.settled[0].usd, 0.01 + 1.9 / 18);
  EXPECT_THAT(Expenses(), ElementsAre("210|0.555556"));
  EXPECT_THAT(Rows(database_,
                   "SELECT outcome, input_tokens, output_tokens,"
                   " round(cost_usd, 6), is_estimated, settled_at_s,"
                   " round(charged_usd, 6) FROM wire_calls"
                   " WHERE outcome = 'outcome_unknown'"),
              ElementsAre("outcome_unknown|10|50|0.115556|1|9000|0.115556"));
  EXPECT_THAT(Rows(database_, "SELECT unsettled_usd FROM improvement_costs"),
              ElementsAre("0"));
  EXPECT_THAT(
      Must(Settle(database_, {}, SettleAs::kEstimate, kLater_s)).settled,
      IsEmpty());
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

// After 8 tokens of ten bytes, 80 bytes count as 1.25 times 64: 0.08 of the 0.1
// that was reserved for 100.  1,000 bytes count as all of these.
TEST_F(SettlementTest, ALongerRequestCountsForMoreTokensAndMoreDollars) {
  AnswerFive();
  Lose(std::string(80, 'x'));
  Lose(std::string(1000, 'x'));
  const Settlement settlement =
      Must(Settle(database_, {}, SettleAs::kEstimate, kLater_s));
  ASSERT_EQ(settlement.settled.size(), 2u);
  EXPECT_EQ(settlement.settled[0].tokens, 80 + 50);
  EXPECT_DOUBLE_EQ(settlement.settled[0].usd, 0.08 + 1.9 / 18);
  EXPECT_EQ(settlement.settled[1].tokens, 100 + 50);
  EXPECT_DOUBLE_EQ(settlement.settled[1].usd, 0.1 + 1.9 / 18);
}

// 40 tokens are the most of a plan's answers, and 400 of all.  So a plan's is
// 10 and 50, and one of a debug agent, of whom none is known, 10 and 500.
TEST_F(SettlementTest, AnswersOfTheRoleCountBeforeThoseOfTheModel) {
  AnswerFive();
  for (int i = 0; i < 5; ++i) {
    Send("ten bytes!", Role::kCode);
    End(CallOutcome::kAnswered, {8, 0, 400}, 0.4);
  }
  Lose();
  Lose("ten bytes!", Role::kDebug);
  const Settlement settlement =
      Must(Settle(database_, {}, SettleAs::kEstimate, kLater_s));
  ASSERT_EQ(settlement.settled.size(), 2u);
  EXPECT_EQ(settlement.settled[0].tokens, 10 + 50);
  EXPECT_EQ(settlement.settled[1].tokens, 10 + 500);
}

// All of the two dollars are for the 900 of the answer, of which it has 50.
TEST_F(SettlementTest, ARequestOfNoTokensCostsNothing) {
  AnswerFive();
  WireIntent intent = Intent(1000.0);
  intent.input_tokens_bound = 0;
  intent.input_usd_bound = 0.0;
  Send(intent, Role::kPlan);
  End(CallOutcome::kUnknown, {}, std::nullopt);
  const Settlement settlement =
      Must(Settle(database_, {}, SettleAs::kEstimate, kLater_s));
  ASSERT_EQ(settlement.settled.size(), 1u);
  EXPECT_EQ(settlement.settled[0].tokens, 50);
  EXPECT_DOUBLE_EQ(settlement.settled[0].usd, 2.0 / 18);
}

// Requests are not numbered as calls are.
TEST_F(SettlementTest, OfTheRequestsOfACallTheLostOneIsSettled) {
  const CallId call = Send();
  End(CallOutcome::kFailed, {}, std::nullopt);
  last_ = Must(wire_.Begin(call, Intent(1000.0), {}));
  End(CallOutcome::kUnknown, {}, std::nullopt);
  EXPECT_EQ(
      Must(Settle(database_, {}, SettleAs::kNothing, kLater_s)).settled.size(),
      1u);
  EXPECT_THAT(Rows(database_, "SELECT outcome, settled_at_s FROM wire_calls"),
              ElementsAre("failed|-", "outcome_unknown|9000"));
}

TEST_F(SettlementTest, TheLongestAnswerIsThatOfTheModelAndRole) {
  const CallId call = Send();
  EXPECT_FALSE(Must(LongestAnswer(database_, call)).has_value());
  AnswerFive();
  EXPECT_EQ(Must(LongestAnswer(database_, call)), 40);
}

TEST_F(SettlementTest, FewerThanFiveSayTooLittle) {
  Send();
  End(CallOutcome::kAnswered, {8, 0, 10}, 0.04);
  Lose();
  const Settlement settlement =
      Must(Settle(database_, {}, SettleAs::kEstimate, kLater_s));
  EXPECT_THAT(settlement.settled, IsEmpty());
  EXPECT_THAT(settlement.left,
              ElementsAre("call 2: fewer than 5 like it were answered, by "
                          "replay:model"));
}

// What is known of it remains.
TEST_F(SettlementTest, ItMayHaveUsedNothing) {
  Lose();
  Send();
  End(CallOutcome::kUnknown, {30, 0, 5}, 0.25);
  EXPECT_THAT(Expenses(), ElementsAre("2000|4"));
  const Settlement settlement =
      Must(Settle(database_, {}, SettleAs::kNothing, kLater_s));
  EXPECT_EQ(settlement.settled.size(), 2u);
  EXPECT_THAT(Expenses(), ElementsAre("35|0.25"));
  EXPECT_THAT(Rows(database_, "SELECT input_tokens, cost_usd FROM calls"),
              ElementsAre("0|0", "30|0.25"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(SettlementTest, OnlyWhatIsNamedAndUnknownIsSettled) {
  const CallId first = Lose();
  Lose();
  const CallId flying = Send();
  const auto settle = [&](CallId call) {
    return Settle(database_, std::array{call}, SettleAs::kNothing, kLater_s);
  };
  EXPECT_EQ(Must(settle(first)).settled.size(), 1u);
  EXPECT_EQ(settle(first).error().code, Errc::kUsage);
  EXPECT_EQ(settle(CallId{9}).error().code, Errc::kNotFound);
  const auto refused = settle(flying);
  EXPECT_EQ(refused.error().code, Errc::kBusy);
  EXPECT_THAT(refused.error().what, HasSubstr("call 3 is in flight"));
  EXPECT_EQ(
      Must(Settle(database_, {}, SettleAs::kNothing, kLater_s)).settled.size(),
      1u);  // The second, and not what is in flight.
}

// Its process was suspended, and not dead: the truth counts.
TEST_F(SettlementTest, WhatIsLearntLaterReplacesASettlement) {
  Lose();
  Must(Settle(database_, {}, SettleAs::kNothing, kLater_s));
  End(CallOutcome::kAnswered, {80, 0, 20}, 0.5);
  EXPECT_THAT(Expenses(), ElementsAre("100|0.5"));
  EXPECT_THAT(Rows(database_, "SELECT outcome, settled_at_s FROM wire_calls"),
              ElementsAre("answered|-"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

// Lost at 1000, with two of three dollars.  An hour later, and not before, it
// is in nobody's way: 0.44, 0.115556, and the 2 of the one that begins.
TEST_F(SettlementTest, BeforeACapIsPassedWhatIsUnknownForLongIsSettled) {
  AnswerFive();
  Lose();
  Caps caps;
  caps.campaign.usd = 3.0;
  caps.settle_after_s = 3600.0;
  const auto begin = [&](double now_s) {
    const AttemptId attempt = Must(Attempts(database_).Reserve(
        campaign_, ReservationOf(decisions_++, kRootNode)));
    return wire_.Begin(Must(calls_.Begin(attempt, IntentOf(Role::kPlan), {})),
                       Intent(now_s), caps);
  };
  EXPECT_EQ(begin(4500.0).error().what,
            "the cap of $3.00 for the campaign would be passed: spent $0.44, "
            "in flight $0.00, unknown $2.00 (1 request; `coppice spend settle` "
            "counts what they are likely to have used), and a call may use "
            "$2.00: raise it to go on");
  EXPECT_TRUE(begin(4700.0).has_value());
  EXPECT_THAT(Expenses(), ElementsAre("1210|2.55556"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

}  // namespace
}  // namespace coppice::store
