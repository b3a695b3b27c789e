#include "store/write/wire_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/care/maintenance.h"
#include "store/records/node.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

WireIntent IntentFor(double usd) {
  WireIntent intent;
  intent.request = R"({"model": "m"})";
  intent.input_tokens_bound = 100;
  intent.output_tokens_bound = 900;
  intent.cost_usd_bound = usd;
  intent.sent_at_s = 1000.0;
  return intent;
}

EndedWireCall Ended(WireCallId call, CallOutcome outcome) {
  EndedWireCall ended;
  ended.call = call;
  ended.end.outcome = outcome;
  ended.end.ended_at_s = 1001.0;
  return ended;
}

EndedWireCall Answered(WireCallId call) {
  EndedWireCall ended = Ended(call, CallOutcome::kAnswered);
  ended.end.answer = "an answer";
  ended.end.usage.input_tokens = 80;
  ended.end.usage.output_tokens = 20;
  ended.end.cost_usd = 0.5;
  ended.end.price_version = "2026-11-01";
  ended.end.http_status = 200;
  return ended;
}

class WireCallsTest : public ::testing::Test {
 protected:
  AttemptId Reserve() {
    const std::int64_t decision = decisions_++;
    return Must(Attempts(database_).Reserve(
        campaign_, ReservationOf(decision, kRootNode)));
  }
  CallId Ask(AttemptId attempt, Role role = Role::kPlan) {
    return Must(calls_.Begin(attempt, IntentOf(role), {}));
  }
  // What counts against caps.
  std::vector<std::string> Expenses() {
    return Rows(database_, "SELECT role, day, tokens, cost_usd FROM expense");
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
  Calls calls_{database_};
  WireCalls wire_{database_};
  std::int64_t decisions_ = 0;
};

TEST_F(WireCallsTest, ARequestAndItsCallSayWhatWasSent) {
  const CallId call = Ask(Reserve());
  WireIntent first = IntentFor(1.0);
  first.sampling.temperature = 0.8;
  first.sampling.max_output_tokens = 900;
  const WireCallId refused = Must(wire_.Begin(call, first, {}));
  Must(wire_.End(Ended(refused, CallOutcome::kFailed)));
  WireIntent second = IntentFor(1.0);
  second.retry_of = refused;
  second.sampling.max_output_tokens = 900;
  second.sampling.effort = "high";
  EndedWireCall answered = Answered(Must(wire_.Begin(call, second, {})));
  answered.end.served_model = "m-2026";
  CallEnd end = AnswerOf("an answer");
  end.wire = answered;
  Must(calls_.End(call, end));
  const std::string sent =
      "SELECT temperature, top_p, max_output_tokens, effort, served_model FROM";
  EXPECT_THAT(Rows(database_, sent + " wire_calls ORDER BY wire_call_id"),
              ElementsAre("0.8|-|900|-|-", "-|-|900|high|m-2026"));
  EXPECT_THAT(Rows(database_, sent + " calls"),
              ElementsAre("-|-|900|high|m-2026"));
}

TEST_F(WireCallsTest, AllThatItMayUseIsChargedUntilItEnds) {
  const CallId call = Ask(Reserve());
  const WireCallId wire = Must(wire_.Begin(call, IntentFor(2.0), {}));
  EXPECT_THAT(Expenses(), ElementsAre("0|0|1000|2"));
  CallEnd end = AnswerOf("an answer");
  end.wire = Answered(wire);
  Must(calls_.EndWithoutCandidate(call, end, "no plan"));
  EXPECT_THAT(Expenses(), ElementsAre("0|0|100|0.5"));
  EXPECT_THAT(Rows(database_,
                   "SELECT outcome, http_status, price_version, charged_usd,"
                   " blob_text(request_blob), blob_text(answer_blob)"
                   " FROM wire_calls"),
              ElementsAre("answered|200|2026-11-01|0.5|{\"model\": \"m\"}|an "
                          "answer"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

// The failed one was billed 30 cents, the answered one 50.
TEST_F(WireCallsTest, ACallCostsWhatItsRequestsCostTogether) {
  const CallId call = Ask(Reserve());
  const WireCallId first = Must(wire_.Begin(call, IntentFor(2.0), {}));
  EndedWireCall failed = Ended(first, CallOutcome::kFailed);
  failed.end.cost_usd = 0.3;
  failed.end.usage.input_tokens = 7;
  failed.end.error = "overloaded";
  Must(wire_.End(failed));
  WireIntent again = IntentFor(2.0);
  again.retry_of = first;
  CallEnd end = AnswerOf("an answer");
  end.wire = Answered(Must(wire_.Begin(call, again, {})));
  Must(calls_.EndWithoutCandidate(call, end, "no plan"));
  EXPECT_THAT(Rows(database_,
                   "SELECT input_tokens, output_tokens, cost_usd FROM calls"),
              ElementsAre("87|20|0.8"));
  EXPECT_THAT(Rows(database_,
                   "SELECT wire_call_id, retry_of, outcome, error"
                   " FROM wire_calls"),
              ElementsAre("1|-|failed|overloaded", "2|1|answered|"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(WireCallsTest, NoCapIsPassedByWhatIsInFlight) {
  Caps caps;
  caps.campaign.usd = 3.0;
  const CallId call = Ask(Reserve());
  const CallId other = Ask(Reserve());
  const WireCallId first = Must(wire_.Begin(call, IntentFor(2.0), caps));
  const auto refused = wire_.Begin(other, IntentFor(2.0), caps);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::kSpent);
  EXPECT_EQ(
      refused.error().what,
      "the cap of $3.00 for the campaign would be passed: spent $0.00, in "
      "flight $2.00, and a call may use $2.00: raise it to go on");
  EXPECT_THAT(Rows(database_, "SELECT count(*) FROM wire_calls"),
              ElementsAre("1"));
  Must(wire_.End(Ended(first, CallOutcome::kFailed)));  // Nothing is owed.
  Must(wire_.Begin(other, IntentFor(3.0), caps));       // All of it.
}

// The first costs three dollars where two were reserved: known when it ends.
TEST_F(WireCallsTest, WhatPassesACapIsTheLast) {
  Caps caps;
  caps.campaign.usd = 2.5;
  const WireCallId first =
      Must(wire_.Begin(Ask(Reserve()), IntentFor(2.0), caps));
  EndedWireCall ended = Ended(first, CallOutcome::kFailed);
  ended.end.cost_usd = 3.0;
  Must(wire_.End(ended));
  const auto refused = wire_.Begin(Ask(Reserve()), IntentFor(0.0), caps);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::kSpent);
  EXPECT_THAT(refused.error().what,
              HasSubstr("$2.50 for the campaign is passed: spent $3.00, in "));
}

TEST_F(WireCallsTest, AnUnknownOutcomeIsChargedWithWhatIsKnownAtLeast) {
  const WireCallId call = Must(wire_.Begin(Ask(Reserve()), IntentFor(2.0), {}));
  EndedWireCall ended = Ended(call, CallOutcome::kUnknown);
  ended.end.usage.input_tokens = 150;  // Of 100.
  ended.end.usage.output_tokens = 10;  // Of 900.
  ended.end.cost_usd = 2.5;
  Must(wire_.End(ended));
  EXPECT_THAT(
      Rows(database_, "SELECT charged_tokens, charged_usd FROM wire_calls"),
      ElementsAre("1050|2.5"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(WireCallsTest, ACapNeedsALimitToTheOutput) {
  Caps caps;
  caps.day.tokens = 1'000'000;
  WireIntent open = IntentFor(1.0);
  open.output_tokens_bound.reset();
  open.cost_usd_bound.reset();
  const auto refused = wire_.Begin(Ask(Reserve()), open, caps);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::kUsage);
  EXPECT_THAT(refused.error().what,
              HasSubstr("a cap for the day (UTC) cannot be kept"));
  EXPECT_TRUE(wire_.Begin(Ask(Reserve()), open, {}).has_value());
}

TEST_F(WireCallsTest, RolesAndDaysHaveCapsOfTheirOwn) {
  Caps caps;
  caps.roles[static_cast<std::size_t>(Role::kCode)].tokens = 999;
  const CallId plan = Ask(Reserve(), Role::kPlan);
  const CallId code = Ask(Reserve(), Role::kCode);
  Must(wire_.Begin(plan, IntentFor(1.0), caps));
  const auto refused = wire_.Begin(code, IntentFor(1.0), caps);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().what, HasSubstr("999 tokens for its code agent"));
  caps = {};
  caps.day.tokens = 1999;
  EXPECT_FALSE(wire_.Begin(code, IntentFor(1.0), caps).has_value());
  WireIntent tomorrow = IntentFor(1.0);
  tomorrow.sent_at_s += 86400.0;
  EXPECT_TRUE(wire_.Begin(code, tomorrow, caps).has_value());
}

// Another campaign of the file has used the day's money.
TEST_F(WireCallsTest, ADayIsThatOfAllCampaigns) {
  Caps caps;
  caps.day.usd = 1.0;
  Must(wire_.Begin(Ask(Reserve()), IntentFor(1.0), caps));
  const CampaignId other = Plant(database_, "b");
  const AttemptId attempt =
      Must(Attempts(database_).Reserve(other, ReservationOf(0, kRootNode)));
  EXPECT_EQ(wire_.Begin(Ask(attempt), IntentFor(0.5), caps).error().code,
            Errc::kSpent);
}

TEST_F(WireCallsTest, ACapInDollarsNeedsAPrice) {
  Caps caps;
  caps.campaign.usd = 100.0;
  WireIntent unpriced = IntentFor(0.0);
  unpriced.cost_usd_bound.reset();
  const CallId call = Ask(Reserve());
  const auto refused = wire_.Begin(call, unpriced, caps);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::kUsage);
  EXPECT_THAT(refused.error().what, HasSubstr("price is not known"));
  EXPECT_TRUE(wire_.Begin(call, unpriced, {}).has_value());
}

// It may have been billed in full: that stays charged, and shown.
TEST_F(WireCallsTest, WhatADeadProcessSentStaysCharged) {
  const AttemptId attempt = Reserve();
  const CallId call = Ask(attempt);
  Must(wire_.Begin(call, IntentFor(2.0), {}));
  Must(Attempts(database_).Adopt(attempt, "other", 1500.0, 2500.0, "worker"));
  EXPECT_THAT(Expenses(), ElementsAre("0|0|1000|2"));
  EXPECT_THAT(Rows(database_, "SELECT outcome, cost_usd FROM wire_calls"),
              ElementsAre("outcome_unknown|-"));
  EXPECT_THAT(
      Rows(database_, "SELECT cost_usd, unsettled_usd FROM improvement_costs"),
      ElementsAre("0|2"));
  EXPECT_EQ(wire_.Begin(call, IntentFor(1.0), {}).error().code, Errc::kLost);
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

// Its process was suspended while the answer came; meanwhile another process
// has asked again.  Both answers were paid for, and one is used.
TEST_F(WireCallsTest, AnAnswerToWhoLostTheAttemptIsPaidForAndNotUsed) {
  const AttemptId attempt = Reserve();
  const CallId call = Ask(attempt);
  const WireCallId wire = Must(wire_.Begin(call, IntentFor(2.0), {}));
  const AttemptRecord adopted =
      Must(Attempts(database_).Adopt(attempt, "other", 2500.0, 3500.0));
  CallEnd end = AnswerOf("an answer");
  end.wire = Answered(wire);
  const Plan plan{"unroll by 4", "unroll", "source", 1, true};
  EXPECT_EQ(calls_.EndWithPlan(call, end, plan).error().code, Errc::kLost);
  EXPECT_THAT(Expenses(), ElementsAre("0|0|100|0.5"));
  EXPECT_THAT(
      Rows(database_,
           "SELECT w.outcome, w.cost_usd, c.outcome, c.cost_usd, c.error"
           " FROM wire_calls w JOIN calls c USING (call_id)"),
      ElementsAre("answered|0.5|outcome_unknown|0.5|answered after its"
                  " attempt was taken over"));
  EXPECT_EQ(Must(Attempts(database_).Load(attempt)).stage, Stage::kReserved);
  EXPECT_FALSE(Must(calls_.LastRejected(attempt, Role::kPlan)).has_value());

  const CallId again =
      Must(calls_.Begin(adopted.AsHeld(), IntentOf(Role::kPlan), {}));
  end.wire = Answered(Must(wire_.Begin(again, IntentFor(2.0), {})));
  Must(calls_.EndWithPlan(again, end, plan));
  EXPECT_THAT(Expenses(), ElementsAre("0|0|200|1"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

// What was known of its use before is not counted twice.
TEST_F(WireCallsTest, AnUnknownOutcomeThatIsLearntReplacesWhatWasKnown) {
  const WireCallId wire = Must(wire_.Begin(Ask(Reserve()), IntentFor(2.0), {}));
  EndedWireCall ended = Ended(wire, CallOutcome::kUnknown);
  ended.end.usage.input_tokens = 30;
  ended.end.cost_usd = 0.125;
  Must(wire_.End(ended));
  Must(wire_.End(Answered(wire)));
  EXPECT_THAT(Rows(database_,
                   "SELECT input_tokens, output_tokens, cost_usd FROM calls"),
              ElementsAre("80|20|0.5"));
  EXPECT_THAT(Expenses(), ElementsAre("0|0|100|0.5"));
}

TEST_F(WireCallsTest, EndsOnceAndNeverAsSent) {
  const WireCallId wire = Must(wire_.Begin(Ask(Reserve()), IntentFor(1.0), {}));
  EXPECT_EQ(wire_.End(Ended(wire, CallOutcome::kSent)).error().code,
            Errc::kUsage);
  Must(wire_.End(Ended(wire, CallOutcome::kFailed)));
  EXPECT_EQ(wire_.End(Ended(wire, CallOutcome::kFailed)).error().code,
            Errc::kUsage);
  EXPECT_EQ(wire_.End(Ended(WireCallId{9}, CallOutcome::kFailed)).error().code,
            Errc::kNotFound);
}

TEST_F(WireCallsTest, DoctorRecountsExpenses) {
  Must(wire_.Begin(Ask(Reserve()), IntentFor(2.0), {}));
  Change(database_, "UPDATE expense SET tokens = tokens - 5");
  EXPECT_THAT(Must(Diagnose(database_)),
              ElementsAre("campaign a has other expenses than its calls, by 5 "
                          "tokens and $0.0"));
}

// 1000 tokens are reserved for the one in flight, and 100 were used.
TEST_F(WireCallsTest, WhatACampaignUsedIsOfItAlone) {
  const CallId call = Ask(Reserve());
  CallEnd end = AnswerOf("an answer");
  end.wire = Answered(Must(wire_.Begin(call, IntentFor(2.0), {})));
  Must(calls_.EndWithoutCandidate(call, end, "no plan"));
  WireIntent tomorrow = IntentFor(2.0);
  tomorrow.sent_at_s += 86400.0;
  Must(wire_.Begin(Ask(Reserve(), Role::kCode), tomorrow, {}));
  const CampaignId other = Plant(database_, "b");
  const AttemptId attempt =
      Must(Attempts(database_).Reserve(other, ReservationOf(0, kRootNode)));
  Must(wire_.Begin(Ask(attempt), IntentFor(7.0), {}));
  const Amount used = Must(ReadUsed(database_, campaign_));
  EXPECT_EQ(used.tokens, 1100);
  EXPECT_EQ(used.usd, 2.5);
}

// Refusals tell what is in flight and what is unknown, each of the scope of its
// cap: the plan agent's two requests that were lost, and one in flight.
TEST_F(WireCallsTest, ARefusalTellsWhatIsUnknownOfItsScope) {
  Caps caps;
  caps.roles[static_cast<std::size_t>(Role::kPlan)].usd = 4.0;
  const auto lose = [this](Role role, double usd, double later_s = 0.0) {
    WireIntent intent = IntentFor(usd);
    intent.sent_at_s += later_s;
    Must(wire_.End(Ended(Must(wire_.Begin(Ask(Reserve(), role), intent, {})),
                         CallOutcome::kUnknown)));
  };
  lose(Role::kPlan, 1.0);
  lose(Role::kCode, 8.0);
  Must(wire_.Begin(Ask(Reserve()), IntentFor(0.5), {}));
  const CallId call = Ask(Reserve());
  EXPECT_EQ(
      wire_.Begin(call, IntentFor(3.0), caps).error().what,
      "the cap of $4.00 for its plan agent would be passed: spent $0.00, in "
      "flight $0.50, unknown $1.00 (1 request; `coppice spend settle` counts "
      "what they are likely to have used), and a call may use $3.00: raise it "
      "to go on");
  lose(Role::kPlan, 1.0);
  EXPECT_THAT(wire_.Begin(call, IntentFor(3.0), caps).error().what,
              HasSubstr("unknown $2.00 (2 requests; "));
  caps = {};
  caps.day.tokens = 4500;
  lose(Role::kCode, 1.0, 86400.0);
  EXPECT_THAT(wire_.Begin(call, IntentFor(3.0), caps).error().what,
              HasSubstr("in flight 1000 tokens, unknown 3000 tokens (3 req"));
}

// Less than a cent is told to a millionth.
TEST_F(WireCallsTest, SmallSumsAreToldExactly) {
  Caps caps;
  caps.campaign.usd = 0.001;
  EXPECT_THAT(wire_.Begin(Ask(Reserve()), IntentFor(0.01), caps).error().what,
              HasSubstr("the cap of $0.001000 for the campaign would be "
                        "passed: spent $0.00, in flight $0.00, and a call may "
                        "use $0.01: raise"));
}

// 20,000 days of 86,400 seconds after 1970, and half a second before that.
TEST_F(WireCallsTest, ADayBeginsAtMidnightUtc) {
  const double midnight_s = 20'000.0 * 86'400.0;
  for (const double sent_at_s : {midnight_s - 0.5, midnight_s}) {
    WireIntent intent = IntentFor(1.0);
    intent.sent_at_s = sent_at_s;
    Must(wire_.Begin(Ask(Reserve()), intent, {}));
  }
  EXPECT_THAT(Rows(database_, "SELECT day FROM expense ORDER BY day"),
              ElementsAre("19999", "20000"));
}

}  // namespace
}  // namespace coppice::store
