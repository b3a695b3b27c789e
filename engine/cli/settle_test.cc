#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/cli/cli_fixture.h"
#include "store/write/attempts.h"
#include "store/write/calls.h"
#include "store/write/wire_calls.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

// Two attempts of a process that has died, each with a call that may have used
// 1,000 tokens and two dollars.  The campaign's six calls before are no calls
// on the wire.
class SettleTest : public ::testing::Test, protected Rehearsal {
 protected:
  SettleTest() {
    store::Calls calls(database());
    for (const std::int64_t decision : {3, 4}) {
      const AttemptId attempt = store::Must(
          store::Attempts(database())
              .Reserve(campaign(), store::ReservationOf(decision, NodeId{3})));
      const CallId call =
          store::Must(calls.Begin(attempt, store::IntentOf(Role::kPlan), {}));
      WireIntent intent;
      intent.request = "{}";
      intent.input_tokens_bound = 100;
      intent.output_tokens_bound = 900;
      intent.cost_usd_bound = 2.0;
      intent.sent_at_s = 1000.0;
      store::Must(store::WireCalls(database()).Begin(call, intent, {}));
    }
  }
};

TEST_F(SettleTest, WhatADeadProcessSentIsSettledByName) {
  const Said said = Say({"spend", "settle", "8", "--used-nothing"});
  EXPECT_EQ(said.exit, Exit::kDone) << said.err;
  EXPECT_EQ(said.out,
            "a: call 8 counts as 0 tokens and $0.0000, no longer as 1000 and "
            "$2.0000\n");
  EXPECT_THAT(Say({"spend", "settle", "8"}).err,
              HasSubstr("call 8: it is known what it used, or settled"));
  EXPECT_EQ(Say({"db", "doctor"}).exit, Exit::kDone);
}

TEST_F(SettleTest, WithoutAnEstimateItStaysAsReserved) {
  const Said said = Say({"spend", "settle"});
  EXPECT_EQ(said.exit, Exit::kFailure);
  EXPECT_THAT(said.out, HasSubstr("call 7: fewer than 5 like it were answered, "
                                  "by replay:model\n"));
  EXPECT_THAT(said.err, HasSubstr("2 left as reserved"));
}

TEST_F(SettleTest, JsonHasWhatWasSettled) {
  const auto json = nlohmann::json::parse(
      Say({"spend", "settle", "--used-nothing", "--json"}).out);
  ASSERT_EQ(json["settled"].size(), 2u);
  EXPECT_EQ(json["settled"][0]["call"], 7);
  EXPECT_EQ(json["settled"][0]["usd_before"], 2.0);
  EXPECT_EQ(json["left"].size(), 0u);
  EXPECT_THAT(Say({"spend", "settle"}).out, HasSubstr("nothing to settle"));
}

TEST_F(SettleTest, RefusesWhatIsNoCall) {
  EXPECT_EQ(Say({"spend", "settle", "x"}).exit, Exit::kUsage);
  EXPECT_EQ(Say({"spend", "settle", "99"}).exit, Exit::kUsage);
  EXPECT_EQ(Say({"spend", "settle", "1"}).exit, Exit::kUsage);  // Known.
}

TEST_F(SettleTest, ACallIsANumberOfTheView) {
  EXPECT_EQ(Say({"spend", "settle", "8", "x8"}).err,
            "coppice spend settle: x8: no number of a call; the view calls has "
            "them as call_id\n");
  // A line with a mistake settles nothing.
  EXPECT_THAT(Say({"spend", "settle", "8", "--used-nothing"}).out,
              HasSubstr("a: call 8 counts as 0 tokens"));
}

// Two lost calls may have cost two dollars each, which is said beside what is
// known: six calls of a quarter.
TEST_F(SettleTest, SpendTellsWhatIsNotSettled) {
  Say({"spend", "settle"});
  EXPECT_THAT(Say({"report", "spend"}).out,
              HasSubstr("a: $1.5000 for 2 improvements, $0.7500 each; "
                        "unanswered calls may have cost another $4.0000\n"));
  Say({"spend", "settle", "--used-nothing"});
  EXPECT_THAT(Say({"report", "spend"}).out,
              HasSubstr("a: $1.5000 for 2 improvements, $0.7500 each\n"));
}

}  // namespace
}  // namespace coppice::cli
