#include "store/read/trajectories.h"

#include <gtest/gtest.h>

#include "store/scratch.h"

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

}  // namespace
}  // namespace coppice::store
