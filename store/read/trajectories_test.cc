#include "store/read/trajectories.h"

#include <gtest/gtest.h>

#include "store/scratch.h"
#include "store/write/wire_calls.h"

namespace coppice::store {
namespace {

class TrajectoriesTest : public ::testing::Test {
 protected:
  // "plan 0 of 1 passed", a line each.
  std::vector<std::string> Scan(std::size_t most = 100) {
    std::vector<std::string> lines;
    Must(ScanTrajectories(database_, campaign_, [&](const Trajectory& call) {
      const Endeavour& attempt = call.attempt;
      lines.push_back(
          std::string(Name(call.asked.role)) + " " +
          std::to_string(attempt.decision) + " on " +
          std::to_string(Index(attempt.lineage.back())) + " " +
          (attempt.verdict ? std::string(Name(*attempt.verdict)) : "open"));
      return lines.size() < most;
    }));
    return lines;
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId beside_ = PlantBeside(database_);
  CampaignId campaign_ = Plant(database_, "a");
};

using CallLines = std::vector<std::string>;

TEST_F(TrajectoriesTest, CallsComeByDecisionThenInOrder) {
  EXPECT_EQ(Scan(), CallLines());
  const NodeId one = Grow(database_, campaign_, kRootNode);
  Plant(database_, "b");
  Grow(database_, campaign_, one, {.verdict = Verdict::kCrashed});
  Must(Attempts(database_).Reserve(campaign_, ReservationOf(2, one)));
  EXPECT_EQ(Scan(), (CallLines{"plan 0 on 0 passed", "code 0 on 0 passed",
                               "plan 1 on 1 crashed", "code 1 on 1 crashed"}));
  EXPECT_EQ(Scan(3).size(), 3u);
}

TEST_F(TrajectoriesTest, TellWhatCameOfACall) {
  const NodeId one = Grow(database_, campaign_, kRootNode, {.runtime_s = 2.0});
  const NodeId two =
      Grow(database_, campaign_, one, {.source = "fast", .runtime_s = 0.5});
  int calls = 0;
  const auto check = [&](const Trajectory& call) {
    ++calls;
    const Endeavour& attempt = call.attempt;
    EXPECT_EQ(attempt.lineage, (std::vector<NodeId>{kRootNode, one}));
    EXPECT_EQ(attempt.parent_speedup, 2.0);  // 4 s / 2 s
    EXPECT_EQ(attempt.node, two);
    EXPECT_EQ(attempt.speedup->ratio, 8.0);  // 4 s / 0.5 s
    EXPECT_EQ(attempt.plan->technique, "tile");
    EXPECT_TRUE(attempt.plan->grounded);
    EXPECT_EQ(attempt.footprint.changed_inside, 3);
    EXPECT_EQ(call.asked.user_prompt, "Do what an agent does.");
    EXPECT_EQ(call.end.cost_usd, 0.25);
    EXPECT_EQ(call.end.usage.cached_input_tokens, 40);
    if (call.asked.role == Role::kCode) {
      EXPECT_EQ(call.end.answer, "code: fast");
    }
    return true;
  };
  Must(ScanTrajectoriesOf(database_, campaign_, two, check));
  EXPECT_EQ(calls, 2);
  Must(ScanTrajectoriesOf(database_, campaign_, kRootNode, check));
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(
      ScanTrajectoriesOf(database_, campaign_, NodeId{9}, check).error().code,
      Errc::kNotFound);
}

// A call that was sent, then lost, then made again.
TEST_F(TrajectoriesTest, ARepeatedCallNamesTheOneBeforeIt) {
  const AttemptId attempt =
      Must(Attempts(database_).Reserve(campaign_, ReservationOf(0, kRootNode)));
  Calls calls(database_);
  CallIntent lost = IntentOf(Role::kPlan);
  Must(calls.Begin(attempt, lost, {}));
  const AttemptRecord adopted =
      Must(Attempts(database_).Adopt(attempt, "other", 3000.0, 4000.0));
  Must(calls.Begin(adopted.AsHeld(), IntentOf(Role::kPlan), {}));
  std::vector<CallOutcome> outcomes;
  Must(ScanTrajectories(database_, campaign_, [&](const Trajectory& call) {
    if (outcomes.empty()) {
      EXPECT_FALSE(call.retry_of.has_value());
    } else {
      EXPECT_EQ(call.retry_of, lost.uuid);
    }
    EXPECT_FALSE(call.attempt.verdict.has_value());
    outcomes.push_back(call.end.outcome);
    return true;
  }));
  EXPECT_EQ(outcomes, (std::vector{CallOutcome::kUnknown, CallOutcome::kSent}));
}

// A refuted node is worth what refuted it.
TEST_F(TrajectoriesTest, AQuarantinedNodeHasTheVerdictThatRefutedIt) {
  const NodeId one = Grow(database_, campaign_, kRootNode);
  Must(Nodes(database_).AddEvaluation(
      campaign_, one, EvaluationOf(Verdict::kWrongOutput, std::nullopt),
      2000.0));
  Must(ScanTrajectories(database_, campaign_, [&](const Trajectory& call) {
    EXPECT_EQ(call.attempt.verdict, Verdict::kWrongOutput);
    EXPECT_FALSE(call.attempt.speedup.has_value());
    return true;
  }));
  EXPECT_EQ(Scan().size(), 2u);
}

// Its uuid finds a call, in whatever campaign, and those of its attempt.
TEST_F(TrajectoriesTest, ACallIsFoundWithThoseOfItsAttempt) {
  const CampaignId other = Plant(database_, "b");
  Grow(database_, campaign_, kRootNode);
  Grow(database_, other, kRootNode, {.source = "elsewhere"});
  Grow(database_, other, kRootNode, {.source = "later"});
  std::vector<Uuid> calls;
  Must(ScanTrajectories(database_, other, [&](const Trajectory& call) {
    calls.push_back(call.asked.uuid);
    return true;
  }));
  ASSERT_EQ(calls.size(), 4u);
  std::vector<std::string> answers;
  Must(ScanTrajectoriesWith(database_, calls[1], [&](const Trajectory& call) {
    answers.push_back(call.end.answer);
    return true;
  }));
  EXPECT_EQ(answers, (CallLines{"plan: tile the loop", "code: elsewhere"}));
  EXPECT_EQ(ScanTrajectoriesWith(database_, NextUuid(),
                                 [](const Trajectory&) { return true; })
                .error()
                .code,
            Errc::kNotFound);
}

TEST_F(TrajectoriesTest, IngredientsAreTheWindowAndTheTemplates) {
  Grow(database_, campaign_, kRootNode);
  const AttemptId attempt =
      Must(Attempts(database_).Reserve(campaign_, ReservationOf(1, kRootNode)));
  CallIntent intent = IntentOf(Role::kPlan);
  intent.templates = "system user";
  intent.template_set = "coppice";
  const Window window{
      {{NodeId{1}, Kinship::kLeader}, {kRootNode, Kinship::kSelected}},
      {{Kinship::kChild, NodeId{1}, NodeId{1}, 1}}};
  const CallId call = Must(Calls(database_).Begin(attempt, intent, window));
  const Ingredients made_of = Must(ReadIngredients(database_, call));
  ASSERT_EQ(made_of.shown.size(), 2u);
  EXPECT_EQ(made_of.shown[0].node, NodeId{1});
  EXPECT_EQ(made_of.shown[0].kinship, Kinship::kLeader);
  EXPECT_EQ(made_of.shown[1].node, kRootNode);
  EXPECT_EQ(made_of.nodes_cut, 1);
  EXPECT_EQ(made_of.templates, "system user");
  const Ingredients of_none = Must(ReadIngredients(database_, CallId{1}));
  EXPECT_EQ(of_none.shown.size(), 1u);
  EXPECT_EQ(of_none.templates, "");
  EXPECT_TRUE(Must(ReadIngredients(database_, CallId{99})).shown.empty());
}

// The first request failed; prices and settings are those of the second.
TEST_F(TrajectoriesTest, ACallIsToldByItsLastRequest) {
  const AttemptId attempt =
      Must(Attempts(database_).Reserve(campaign_, ReservationOf(0, kRootNode)));
  const CallId call =
      Must(Calls(database_).Begin(attempt, IntentOf(Role::kPlan), {}));
  WireCalls wire(database_);
  std::optional<WireCallId> before;
  for (const char* effort : {"low", "high"}) {
    WireIntent intent;
    intent.request = "{}";
    intent.retry_of = before;
    intent.sampling = {0.5, 0.9, 900, effort};
    before = Must(wire.Begin(call, intent, {}));
    EndedWireCall ended{.call = *before, .end = {}};
    ended.end.outcome = CallOutcome::kFailed;
    ended.end.usage.cache_write_tokens = 7;
    ended.end.price_version = std::string(effort) + " price";
    ended.end.served_model = std::string(effort) + " model";
    Must(wire.End(ended));
  }
  int calls = 0;
  Must(ScanTrajectories(database_, campaign_, [&](const Trajectory& read) {
    ++calls;
    EXPECT_EQ(read.sampling.temperature, 0.5);
    EXPECT_EQ(read.sampling.top_p, 0.9);
    EXPECT_EQ(read.sampling.max_output_tokens, 900);
    EXPECT_EQ(read.sampling.effort, "high");
    EXPECT_EQ(read.served_model, "high model");
    EXPECT_EQ(read.price_version, "high price");
    EXPECT_EQ(read.end.usage.cache_write_tokens, 14);
    return true;
  }));
  EXPECT_EQ(calls, 1);
}

TEST_F(TrajectoriesTest, AFailedCallTellsWhy) {
  const AttemptId attempt =
      Must(Attempts(database_).Reserve(campaign_, ReservationOf(0, kRootNode)));
  Calls calls(database_);
  const CallId call = Must(calls.Begin(attempt, IntentOf(Role::kPlan), {}));
  CallEnd end = AnswerOf("");
  end.outcome = CallOutcome::kFailed;
  end.error = "429 too many requests";
  Must(calls.End(call, end));
  int seen = 0;
  Must(ScanTrajectories(database_, campaign_, [&](const Trajectory& read) {
    ++seen;
    EXPECT_EQ(read.id, call);
    EXPECT_EQ(read.end.outcome, CallOutcome::kFailed);
    EXPECT_EQ(read.end.error, "429 too many requests");
    EXPECT_EQ(read.end.latency_s, 2.0);
    EXPECT_EQ(read.end.ended_at_s, 1002.0);
    EXPECT_EQ(read.asked.provider, "replay");
    EXPECT_EQ(read.asked.model, "model");
    EXPECT_EQ(read.asked.sent_at_s, 1000.0);
    EXPECT_EQ(read.attempt.policy, "stark");
    return true;
  }));
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace coppice::store
