#include "store/write/calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/care/maintenance.h"
#include "store/records/window.h"
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
  intent.sample_index = 4;
  intent.templates = "abc";
  intent.template_set = "coppice";
  Must(calls_.Begin(attempt_, intent, {}));
  EXPECT_THAT(
      Rows(database_,
           "SELECT uuid, role, provider, model, outcome,"
           " sent_at_s, ended_at_s, blob_text(system_prompt_blob),"
           " blob_text(user_prompt_blob), answer_blob, template_set,"
           " blob_text(template_blob) FROM calls"),
      ElementsAre(ToString(intent.uuid) +
                  "|plan|replay|model|sent|1000|-|"
                  "You are an agent: plan|Do what an agent does.|-|coppice|"
                  "abc"));
}

// The hash is that of `printf abc | sha256sum`.
TEST_F(CallsTest, TemplatesAreKnownByTheirHash) {
  CallIntent intent = IntentOf(Role::kPlan);
  Must(calls_.Begin(attempt_, intent, {}));
  intent.uuid.bytes[0] ^= 1;
  intent.templates = "abc";
  Must(calls_.Begin(attempt_, intent, {}));
  EXPECT_THAT(Rows(database_, "SELECT template_hash FROM calls"),
              ElementsAre("-",
                          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410"
                          "ff61f20015ad"));
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

// The children of node 0 are 1, 2, 3, 5; of node 1: 4 and 6; of node 2: 7.
class CutWindowTest : public CallsTest {
 protected:
  CutWindowTest() {
    for (const int parent : {0, 0, 0, 1, 0, 1, 2}) {
      Grow(database_, campaign_, NodeId{parent});
    }
  }

  // "node kinship" of what is shown, then of what is cut, for an attempt on
  // `selected`.
  std::vector<std::string> Stored(Role role, std::int64_t selected,
                                  const Window& window) {
    const AttemptId attempt = Must(Attempts(database_).Reserve(
        campaign_, ReservationOf(8, NodeId{selected})));
    const CallId call = Must(calls_.Begin(attempt, IntentOf(role), window));
    return Rows(database_,
                "SELECT position, node, kinship, shown FROM windows"
                " WHERE call_id = " +
                    std::to_string(Index(call)) +
                    " ORDER BY shown DESC, position, node");
  }
};

WindowEntry Shown(std::int64_t node, Kinship kinship) {
  return {NodeId{node}, kinship};
}
WindowCut Cut(Kinship kinship, std::int64_t first, std::int64_t last,
              std::int64_t nodes) {
  return {kinship, NodeId{first}, NodeId{last}, nodes};
}

// Node 4, a child of another, is between the children that were cut.
TEST_F(CutWindowTest, ChildrenAndLeadersThatWereCutAreKnown) {
  EXPECT_THAT(
      Stored(
          Role::kPlan, 0,
          {{Shown(0, Kinship::kSelected), Shown(2, Kinship::kChild),
            Shown(6, Kinship::kLeader)},
           {Cut(Kinship::kChild, 1, 1, 1), Cut(Kinship::kChild, 3, 5, 2),
            Cut(Kinship::kLeader, 7, 7, 1), Cut(Kinship::kLeader, 4, 4, 1)}}),
      ElementsAre("0|0|selected|1", "1|2|child|1", "2|6|leader|1",
                  "-|1|child|0", "-|3|child|0", "-|4|leader|0", "-|5|child|0",
                  "-|7|leader|0"));
  EXPECT_THAT(Rows(database_,
                   "SELECT nodes_cut FROM calls ORDER BY call_id DESC LIMIT 1"),
              ElementsAre("5"));
}

TEST_F(CutWindowTest, NephewsThatWereCutAreKnown) {
  EXPECT_THAT(Stored(Role::kCode, 3,
                     {{Shown(3, Kinship::kSelected), Shown(0, Kinship::kRoot)},
                      {Cut(Kinship::kNephew, 4, 7, 3)}}),
              ElementsAre("0|3|selected|1", "1|0|root|1", "-|4|nephew|0",
                          "-|6|nephew|0", "-|7|nephew|0"));
}

// Node 2 itself is between its siblings.
TEST_F(CutWindowTest, SiblingsThatWereCutAreKnown) {
  EXPECT_THAT(Stored(Role::kDebug, 2,
                     {{Shown(2, Kinship::kSelected), Shown(0, Kinship::kRoot),
                       Shown(5, Kinship::kSibling)},
                      {Cut(Kinship::kSibling, 1, 3, 2)}}),
              ElementsAre("0|2|selected|1", "1|0|root|1", "2|5|sibling|1",
                          "-|1|sibling|0", "-|3|sibling|0"));
}

TEST_F(CallsTest, AWindowShowsOnlyNodesThatExist) {
  EXPECT_FALSE(calls_
                   .Begin(attempt_, IntentOf(Role::kPlan),
                          {{{NodeId{8}, Kinship::kChild}}, {}})
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
