#include "store/calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/maintenance.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CallsTest : public ::testing::Test {
 protected:
  CallId Begin(Role role) {
    return Must(calls_.Begin(attempt_, IntentOf(role), {}));
  }
  std::string Stage() {
    return Rows(database_, "SELECT stage FROM attempts")[0];
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
  AttemptId attempt_ =
      Must(Attempts(database_).Reserve(campaign_, ReservationOf(0, kRootNode)));
  Calls calls_{database_};
  const Plan plan_{"tile", "tile", "<<<x>>>", 1, true};
  const Candidate candidate_{Language::kCpp, "int x;", "x"};
};

// However its call would have ended, the attempt is as it was when it was taken
// over, and the call is of unknown outcome.
TEST_F(CallsTest, WhoLostTheAttemptChangesNothingOfIt) {
  const CallId plan = Begin(Role::kPlan);
  const CallId code = Begin(Role::kCode);
  const AttemptRecord adopted =
      Must(Attempts(database_).Adopt(attempt_, "other", 2000.0, 3000.0));
  const auto code_of = [](const auto& result) { return result.error().code; };
  EXPECT_EQ(code_of(calls_.Begin(attempt_, IntentOf(Role::kPlan), {})),
            Errc::kLost);
  EXPECT_EQ(code_of(calls_.End(plan, AnswerOf("p"))), Errc::kLost);
  EXPECT_EQ(code_of(calls_.EndWithPlan(plan, AnswerOf("p"), plan_)),
            Errc::kLost);
  EXPECT_EQ(
      code_of(calls_.EndWithCandidate(code, AnswerOf("c"), candidate_, {})),
      Errc::kLost);
  EXPECT_EQ(code_of(calls_.EndWithoutCandidate(code, AnswerOf("?"), "none")),
            Errc::kLost);
  EXPECT_THAT(Rows(database_, "SELECT DISTINCT outcome FROM calls"),
              ElementsAre("outcome_unknown"));
  EXPECT_EQ(Stage(), "reserved");
  Must(calls_.EndWithoutCandidate(
      Must(calls_.Begin(adopted.AsHeld(), IntentOf(Role::kPlan), {})),
      AnswerOf("?"), "none"));
  // Coded by now, which would be misuse if it were still ours.
  EXPECT_EQ(code_of(calls_.Begin(attempt_, IntentOf(Role::kPlan), {})),
            Errc::kLost);
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(CallsTest, AnIntentIsThereBeforeItsAnswer) {
  CallIntent intent = IntentOf(Role::kPlan);
  intent.sampling.temperature = 0.8;
  intent.sample_index = 4;
  Must(calls_.Begin(attempt_, intent, {}));
  EXPECT_THAT(
      Rows(database_,
           "SELECT uuid, role, provider, model, temperature, top_p, outcome,"
           " sent_at_s, ended_at_s, blob_text(system_prompt_blob),"
           " blob_text(user_prompt_blob), answer_blob FROM calls"),
      ElementsAre(ToString(intent.uuid) +
                  "|plan|replay|model|0.8|-|sent|1000|-|"
                  "You are an agent: plan|Do what an agent does.|-"));
}

TEST_F(CallsTest, AnAnswerThatNothingWasMadeOfIsFoundAgain) {
  EXPECT_FALSE(Must(calls_.LastRejected(attempt_, Role::kPlan)).has_value());
  CallEnd end = AnswerOf("no idea");
  end.error = "no code block";
  Must(calls_.End(Begin(Role::kPlan), end));
  const auto rejected = Must(calls_.LastRejected(attempt_, Role::kPlan));
  ASSERT_TRUE(rejected.has_value());
  EXPECT_EQ(rejected->answer, "no idea");
  EXPECT_EQ(rejected->fault, "no code block");
  EXPECT_FALSE(Must(calls_.LastRejected(attempt_, Role::kCode)).has_value());
  Must(calls_.EndWithPlan(Begin(Role::kPlan), AnswerOf("tile"), plan_));
  EXPECT_FALSE(Must(calls_.LastRejected(attempt_, Role::kPlan)).has_value());
}

TEST_F(CallsTest, AWindowKeepsItsOrderAndHowMuchWasCut) {
  Grow(database_, campaign_, kRootNode);
  const Window window = {{NodeId{0}, Kinship::kSelected, true},
                         {NodeId{1}, Kinship::kSibling, false},
                         {NodeId{1}, Kinship::kChild, true},
                         {NodeId{1}, Kinship::kLeader, false}};
  Must(calls_.Begin(attempt_, IntentOf(Role::kDebug), window));
  EXPECT_THAT(Rows(database_,
                   "SELECT position, node, kinship FROM windows"
                   " WHERE role = 'debug' ORDER BY position"),
              ElementsAre("0|0|selected", "1|1|child"));
  EXPECT_THAT(
      Rows(database_, "SELECT nodes_cut FROM calls WHERE role = 'debug'"),
      ElementsAre("2"));
}

TEST_F(CallsTest, AWindowShowsOnlyNodesThatExist) {
  EXPECT_FALSE(calls_
                   .Begin(attempt_, IntentOf(Role::kPlan),
                          {{NodeId{8}, Kinship::kChild, true}})
                   .has_value());
  EXPECT_TRUE(Rows(database_, "SELECT * FROM calls").empty());
}

TEST_F(CallsTest, AnUnusableEndKeepsTheStage) {
  CallEnd end = AnswerOf("");
  end.outcome = CallOutcome::kFailed;
  end.error = "429 too many requests";
  const CallId first = Begin(Role::kPlan);
  Must(calls_.End(first, end));
  Begin(Role::kPlan);
  Begin(Role::kCode);  // The first of its role.
  EXPECT_EQ(Stage(), "reserved");
  EXPECT_THAT(
      Rows(database_, "SELECT outcome, error, retry_of FROM calls"),
      ElementsAre("failed|429 too many requests|-", "sent||1", "sent||-"));
}

TEST_F(CallsTest, ThePlanAndItsAnswerAreOneTransaction) {
  Must(calls_.EndWithPlan(Begin(Role::kPlan), AnswerOf("do: tile"), plan_));
  EXPECT_EQ(Stage(), "planned");
  EXPECT_THAT(Rows(database_,
                   "SELECT outcome, blob_text(answer_blob), input_tokens,"
                   " cached_input_tokens, output_tokens, cost_usd, latency_s,"
                   " ended_at_s FROM calls"),
              ElementsAre("answered|do: tile|100|40|10|0.25|2|1002"));
}

TEST_F(CallsTest, CodeFollowsThePlan) {
  Must(calls_.EndWithPlan(Begin(Role::kPlan), AnswerOf("p"), plan_));
  Must(calls_.EndWithCandidate(Begin(Role::kCode), AnswerOf("c"), candidate_,
                               {}));
  EXPECT_EQ(Stage(), "coded");
}

TEST_F(CallsTest, ACallEndsOnce) {
  const CallId call = Begin(Role::kPlan);
  Must(calls_.End(call, AnswerOf("x")));
  for (const auto& again :
       {calls_.End(call, AnswerOf("y")),
        calls_.EndWithPlan(call, AnswerOf("y"), plan_),
        calls_.EndWithoutCandidate(call, AnswerOf("y"), "why")}) {
    ASSERT_FALSE(again.has_value());
    EXPECT_EQ(again.error().code, Errc::kUsage);
    EXPECT_THAT(again.error().what, HasSubstr("call 1 has ended already"));
  }
  EXPECT_EQ(Stage(), "reserved");
}

TEST_F(CallsTest, StagesOnlyMoveForward) {
  const CallId first = Begin(Role::kPlan);
  const CallId second = Begin(Role::kPlan);
  const CallId third = Begin(Role::kCode);
  Must(calls_.EndWithPlan(first, AnswerOf("p"), plan_));
  const auto replanned = calls_.EndWithPlan(second, AnswerOf("q"), plan_);
  ASSERT_FALSE(replanned.has_value());
  EXPECT_EQ(replanned.error().code, Errc::kUsage);
  EXPECT_THAT(replanned.error().what,
              HasSubstr("attempt 1 is planned already"));
  Must(calls_.EndWithoutCandidate(third, AnswerOf("?"), "no code"));
  EXPECT_EQ(calls_.EndWithPlan(second, AnswerOf("q"), plan_).error().code,
            Errc::kUsage);
  EXPECT_EQ(calls_.Begin(attempt_, IntentOf(Role::kCode), {}).error().code,
            Errc::kUsage);
}

TEST_F(CallsTest, RolesGiveWhatIsTheirs) {
  EXPECT_EQ(
      calls_.EndWithPlan(Begin(Role::kCode), AnswerOf("x"), plan_).error().code,
      Errc::kUsage);
  EXPECT_EQ(
      calls_.EndWithCandidate(Begin(Role::kPlan), AnswerOf("x"), candidate_, {})
          .error()
          .code,
      Errc::kUsage);
}

TEST_F(CallsTest, AFailedCallHasNoProductButMayEndTheAttempt) {
  CallEnd failed = AnswerOf("");
  failed.outcome = CallOutcome::kFailed;
  failed.error = "context too long";
  const CallId call = Begin(Role::kPlan);
  EXPECT_EQ(calls_.EndWithPlan(call, failed, plan_).error().code, Errc::kUsage);
  Must(calls_.EndWithoutCandidate(call, failed, "context too long"));
  EXPECT_EQ(Stage(), "coded");
}

TEST_F(CallsTest, ACallCannotEndAsSentAndMustExist) {
  CallEnd end = AnswerOf("");
  end.outcome = CallOutcome::kSent;
  EXPECT_EQ(calls_.End(Begin(Role::kPlan), end).error().code, Errc::kUsage);
  EXPECT_EQ(calls_.End(CallId{99}, AnswerOf("")).error().code, Errc::kNotFound);
  EXPECT_EQ(calls_.Begin(AttemptId{99}, IntentOf(Role::kPlan), {}).error().code,
            Errc::kNotFound);
}

}  // namespace
}  // namespace coppice::store
