#include "engine/steering/steering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/prompt/prompt_context.h"
#include "search/policy.h"
#include "search/tree.h"
#include "store/records/directive.h"
#include "store/records/random.h"

namespace coppice::engine {
namespace {

using enum DirectiveKind;
using testing::ElementsAre;
using testing::HasSubstr;

// Its nodes, each with the number of its parent; the root is 0.  All pass, the
// later the faster, but those that `failing` names.
search::Tree TreeOf(const std::vector<std::int64_t>& parents, Frost& frost,
                    const search::Policy& policy) {
  search::Tree tree = search::MakeTreeFor(policy);
  for (std::size_t i = 0; i <= parents.size(); ++i) {
    NodeSummary node;
    node.id = NodeId{static_cast<std::int64_t>(i)};
    if (i > 0) node.parent = NodeId{parents[i - 1]};
    node.verdict = Verdict::kPassed;
    node.runtime_s = 10.0 / static_cast<double>(i + 1);
    node.kernel_hash = i + 1;
    frost.Touch(node);
    tree.Add(node);
  }
  return tree;
}

class SteeringTest : public testing::Test {
 protected:
  // 0 - 1 - 2 - 3, and 4 below 1, 5 below the root.
  search::Tree Tree(std::vector<FreezeMark> marks = {}) const {
    Frost frost(std::move(marks));
    return TreeOf({0, 1, 2, 1, 0}, frost, *policy_);
  }

  Directive& Add(DirectiveKind kind, std::optional<std::int64_t> node = {},
                 std::optional<double> amount = {}) {
    Directive directive;
    directive.id = DirectiveId{std::ssize(all_) + 1};
    directive.author = "ana";
    directive.kind = kind;
    if (node) directive.node = NodeId{*node};
    directive.amount = amount;
    all_.push_back(directive);
    return all_.back();
  }

  // What was refused, and why; an empty text: it holds.
  std::vector<std::string> TakeUp(std::int64_t decision, Used used = {}) {
    std::vector<std::string> told;
    for (const TakenUp& each :
         TakeUpPending(all_, decision, Tree(), used,
                       [](DirectiveKind) { return true; })) {
      told.push_back(each.refusal);
    }
    return told;
  }

  std::string Chosen(std::int64_t decision) {
    const auto in_force = InForce(all_, decision);
    RandomStream stream(1, Purpose::kSelect,
                        static_cast<std::uint64_t>(decision));
    const search::Tree tree = Tree(FreezeMarks(in_force));
    const Choice choice = MakeChoice(*policy_, tree, in_force, stream);
    return std::to_string(Index(choice.selection.node)) + ": " +
           choice.selection.reason;
  }

  const std::unique_ptr<search::Policy> policy_ = *search::MakePolicy("greedy");
  std::vector<Directive> all_;
};

TEST_F(SteeringTest, WhatIsFrozenIsFrozenWithAllBelowIt) {
  const search::Tree tree = Tree({{NodeId{1}, true}});
  std::vector<bool> frozen;
  for (int i = 0; i < 6; ++i) frozen.push_back(tree.Node(NodeId{i}).is_frozen);
  EXPECT_THAT(frozen, ElementsAre(false, true, true, true, true, false));
  EXPECT_EQ(tree.Eligible().Count(), 2);
}

// Two marks speak of a node or of what is above it.
TEST_F(SteeringTest, TheLaterMarkHolds) {
  const std::vector<FreezeMark> thawed = {{NodeId{1}, true},
                                          {NodeId{2}, false}};
  const search::Tree tree = Tree(thawed);
  EXPECT_TRUE(tree.Node(NodeId{1}).is_frozen);
  EXPECT_FALSE(tree.Node(NodeId{3}).is_frozen);
  EXPECT_TRUE(tree.Node(NodeId{4}).is_frozen);
  const std::vector<FreezeMark> again = {{NodeId{2}, false}, {NodeId{1}, true}};
  EXPECT_TRUE(Tree(again).Node(NodeId{3}).is_frozen);
  for (const auto& marks : {thawed, again}) {
    const search::Tree other = Tree(marks);
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ(IsFrozen(other, marks, NodeId{i}),
                other.Node(NodeId{i}).is_frozen);
    }
  }
}

TEST_F(SteeringTest, WhatCannotHoldIsRefusedWithTheReason) {
  Add(kFreeze, 0);
  Add(kUnfreeze, 2);
  Add(kFreeze, 1);
  Add(kBoost, 2, 1.0);
  Add(kBudget, {}, 3.0).aspect = kAttemptsAspect;
  Add(kBudget, {}, 9.5).aspect = kSecondsAspect;
  Add(kPolicy).text = "gredy";
  Add(kForbid).aspect = kPatternAspect;
  all_.back().text = "(";
  Add(kLift).target = DirectiveId{1};
  EXPECT_THAT(
      TakeUp(4, {.attempts = 4, .seconds = 12.0}),
      ElementsAre(HasSubstr("node 0 is the root"), "node 2 is not frozen", "",
                  "node 2 is frozen: unfreeze it first",
                  "4 attempts are reserved already", "12 s are used already",
                  HasSubstr("gredy"), HasSubstr("Unmatched"),
                  "directive 1 does not hold"));
}

// It would start on the machine of whoever goes on with the file.
TEST_F(SteeringTest, AModelThatIsACommandIsForWhoRunsTheCampaign) {
  Add(kModel).text = "exec:touch it";
  EXPECT_THAT(TakeUp(4), ElementsAre(HasSubstr("is for --code-model of who")));
  EXPECT_EQ(FindModel({&all_[0]}, Role::kCode), nullptr);
}

// Whoever goes on with the campaign would have to say its file again.
TEST_F(SteeringTest, APolicyInPythonIsForWhoRunsTheCampaign) {
  search::AddPolicy("python:mine.py:Mine", "python:Mine@01234567",
                    [] { return search::MakePolicy("greedy"); });
  Add(kPolicy).text = "python:Mine@01234567";
  EXPECT_THAT(TakeUp(4), ElementsAre(HasSubstr("is for --policy of who runs")));
}

// Another program may make such rows; they are neither taken up nor hold.
TEST_F(SteeringTest, ARowThatLacksWhatItsKindNeedsHoldsNothing) {
  Add(kBoost);
  Add(kBoost, 2);
  Add(kFreeze);
  Add(kForbid).aspect = "nonsense";
  all_.back().text = "x";
  EXPECT_THAT(TakeUp(4),
              ElementsAre("boost: needs a node", "boost: needs a number",
                          "freeze: needs a node",
                          HasSubstr("forbid: expected one of technique")));
  for (Directive& each : all_) each.outcome = DirectiveOutcome::kApplied;
  EXPECT_THAT(InForce(all_, 4), ElementsAre());
}

TEST_F(SteeringTest, OneWaitsForItsDecisionAndForItsNode) {
  Add(kAdvise).not_before = 3;
  all_.back().text = "later";
  Add(kFreeze, 6);  // There are nodes 0 to 5.
  EXPECT_THAT(TakeUp(2), ElementsAre());
  EXPECT_THAT(TakeUp(3), ElementsAre(""));
  EXPECT_EQ(all_[0].effective_decision, 3);
  EXPECT_EQ(all_[1].outcome, DirectiveOutcome::kPending);
}

// A person's choices come one after the other, and then the policy's: 5, the
// fastest.
TEST_F(SteeringTest, ABoostIsMadeSoOftenAndNoMore) {
  Add(kBoost, 2, 2.0);
  TakeUp(7);
  EXPECT_EQ(Chosen(6).substr(0, 2), "5:");
  EXPECT_EQ(Chosen(7), "2: boost 2 (1 of 2)");
  all_[0].attempts = 1;
  EXPECT_EQ(Chosen(8), "2: boost 2 (2 of 2)");
  all_[0].attempts = 2;
  EXPECT_EQ(Chosen(9).substr(0, 2), "5:");
}

TEST_F(SteeringTest, ALaterBoostOfTheSameNodeIsInItsPlace) {
  Add(kBoost, 2, 9.0);
  Add(kBoost, 3, 1.0);
  Add(kBoost, 2, 1.0);
  TakeUp(0);
  EXPECT_EQ(Chosen(0), "3: boost 3 (1 of 1)");
  all_[1].attempts = 1;
  EXPECT_EQ(Chosen(1), "2: boost 2 (1 of 1)");
  all_[2].attempts = 1;
  EXPECT_EQ(Chosen(2).substr(0, 2), "5:");
}

TEST_F(SteeringTest, FreezingBeatsBoosting) {
  Add(kBoost, 2, 1.0);
  Add(kFreeze, 1);
  TakeUp(0);
  EXPECT_EQ(Chosen(0).substr(0, 2), "5:");
  Add(kUnfreeze, 1);
  TakeUp(1);
  EXPECT_EQ(Chosen(1), "2: boost 2 (1 of 1)");
}

TEST_F(SteeringTest, WhatIsLiftedHoldsNoLonger) {
  Add(kBoost, 2, 5.0);
  TakeUp(0);
  Add(kLift).target = DirectiveId{1};
  EXPECT_THAT(TakeUp(2), ElementsAre(""));
  EXPECT_EQ(Chosen(1), "2: boost 2 (1 of 5)");
  EXPECT_EQ(Chosen(2).substr(0, 2), "5:");
}

TEST_F(SteeringTest, AnInsertedKernelComesOnce) {
  Add(kInsert, 4).text = "mine";
  TakeUp(0);
  EXPECT_EQ(Chosen(0), "4: insert under 4 by ana");
  all_[0].attempts = 1;
  EXPECT_EQ(Chosen(1).substr(0, 2), "5:");
}

// The policy draws what it would have drawn: a forced choice moves nothing.
TEST_F(SteeringTest, AForcedChoiceDrawsNoRandomNumber) {
  Add(kBoost, 2, 1.0);
  TakeUp(0);
  const search::Tree tree = Tree();
  RandomStream forced(1, Purpose::kSelect, 0);
  MakeChoice(*policy_, tree, InForce(all_, 0), forced);
  RandomStream fresh(1, Purpose::kSelect, 0);
  EXPECT_EQ(forced.Below(1'000'000), fresh.Below(1'000'000));
}

// Halving goes on with a branch that it has begun, whatever became of it: then
// what is above stands in.
TEST_F(SteeringTest, NoPolicySelectsWhatIsFrozen) {
  Add(kFreeze, 1);
  TakeUp(0);
  const auto in_force = InForce(all_, 0);
  for (const std::string_view name : search::PolicyNames()) {
    const auto policy = *search::MakePolicy(name);
    Frost frost(FreezeMarks(in_force));
    const search::Tree tree = TreeOf({0, 1, 2, 1, 0}, frost, *policy);
    for (std::uint64_t decision = 0; decision < 200; ++decision) {
      RandomStream stream(3, Purpose::kSelect, decision);
      const Choice choice = MakeChoice(*policy, tree, in_force, stream);
      EXPECT_FALSE(tree.Node(choice.selection.node).is_frozen)
          << name << ": " << choice.selection.reason;
    }
  }
}

TEST_F(SteeringTest, APauseHoldsUntilSomebodyResumes) {
  Add(kPause);
  TakeUp(1);
  Add(kResume);
  TakeUp(3);
  EXPECT_EQ(FindPause(InForce(all_, 0)), nullptr);
  EXPECT_EQ(FindPause(InForce(all_, 2)), all_.data());
  EXPECT_EQ(FindPause(InForce(all_, 3)), nullptr);
}

TEST_F(SteeringTest, TheLastPolicyAndTemperatureHold) {
  Add(kPolicy).text = "greedy";
  Add(kPolicy).text = "stark";
  Add(kTemperature, {}, 0.2);
  Add(kTemperature, {}, 0.9).role = Role::kPlan;
  TakeUp(0);
  const auto in_force = InForce(all_, 0);
  EXPECT_EQ(FindPolicy(in_force)->text, "stark");
  EXPECT_EQ(FindTemperature(in_force, Role::kPlan), 0.9);
  EXPECT_EQ(FindTemperature(in_force, Role::kCode), 0.2);
  EXPECT_EQ(FindTemperature({}, Role::kCode), std::nullopt);
}

TEST_F(SteeringTest, OfMoneyNoLimitIsBelowWhatIsUsed) {
  Add(kBudget, {}, 1.5).aspect = kUsdAspect;
  Add(kBudget, {}, 2.0).aspect = kUsdAspect;
  Add(kBudget, {}, 99.0).aspect = kTokensAspect;
  EXPECT_THAT(
      TakeUp(4, {.usd = 1.75, .tokens = 100}),
      ElementsAre("$1.75 are used already", "", "100 tokens are used already"));
}

// Asked for from decision 3 on, with two approved before 3 and one at 6: so 3
// and 4 may be made, then 6 may.
TEST_F(SteeringTest, AGateOpensForWhatIsApproved) {
  const auto gated = [&](std::int64_t decision, double usd = 0.0) {
    return FindGate(InForce(all_, decision), decision, usd) != nullptr;
  };
  Add(kApprove, {}, 1.0).aspect = kAttemptsAspect;
  EXPECT_THAT(TakeUp(1), ElementsAre("no attempt waits for an approval"));
  Add(kGate);
  TakeUp(3);
  EXPECT_FALSE(gated(2));
  EXPECT_TRUE(gated(3));
  Add(kApprove, {}, 2.0).aspect = kAttemptsAspect;
  TakeUp(3);
  EXPECT_FALSE(gated(3));
  EXPECT_FALSE(gated(4));
  EXPECT_TRUE(gated(5));
  Add(kApprove, {}, 1.0).aspect = kAttemptsAspect;
  TakeUp(6);
  EXPECT_FALSE(gated(6));
  EXPECT_TRUE(gated(7));
  // All of them, until a dollar is used in all.
  Add(kApprove, {}, 1.0).aspect = kUsdAspect;
  TakeUp(7);
  EXPECT_FALSE(gated(7, 0.99));
  EXPECT_TRUE(gated(7, 1.0));
  // Another gate asks anew.
  Add(kGate);
  TakeUp(8);
  EXPECT_TRUE(gated(8, 0.5));
}

// Else nothing that is held back could be let go.
TEST_F(SteeringTest, WhatLiftsAPauseOrAGateNeedsNoDecision) {
  Add(kPause);
  Add(kGate);
  Add(kAdvise).text = "x";
  TakeUp(0);
  for (const std::int64_t target : {1, 2, 3}) {
    Add(kLift).target = DirectiveId{target};
  }
  const auto taken = TakeUpPending(all_, 2, Tree(), {}, ConcernsNoDecision);
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(FindPause(InForce(all_, 2)), nullptr);
  EXPECT_EQ(FindGate(InForce(all_, 2), 2, 0.0), nullptr);
  EXPECT_EQ(TakeUpPending(all_, 2, Tree(), {}, ConcernsDecision).size(), 1U);
}

TEST_F(SteeringTest, TheLastModelOfARoleIsAsked) {
  Add(kModel).text = "a:x";
  Add(kModel).text = "b:y";
  all_.back().role = Role::kPlan;
  Add(kModel).text = "a:x,b:y";
  EXPECT_THAT(TakeUp(0), ElementsAre("", "", HasSubstr("expected one")));
  const auto in_force = InForce(all_, 0);
  EXPECT_EQ(FindModel(in_force, Role::kPlan)->text, "b:y");
  EXPECT_EQ(FindModel(in_force, Role::kDebug)->text, "a:x");
}

TEST_F(SteeringTest, WhatElseSpeaksAgainstOneIsItsRefusal) {
  Add(kModel).text = "a:x";
  const auto taken = TakeUpPending(
      all_, 0, Tree(), {}, ConcernsDecision,
      [](const Directive& each) { return each.text + " has no key"; });
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].refusal, "a:x has no key");
}

// Another program took them up, though they say what cannot be.
TEST_F(SteeringTest, WhatCannotBeIsPassedOver) {
  Add(kPolicy).text = "greedy";
  Add(kPolicy).text = "gredy";
  Add(kModel).text = ":";
  for (Directive& each : all_) {
    each.outcome = DirectiveOutcome::kApplied;
    each.effective_decision = 0;
  }
  const auto in_force = InForce(all_, 0);
  EXPECT_EQ(FindPolicy(in_force)->text, "greedy");
  EXPECT_EQ(FindModel(in_force, Role::kCode), nullptr);
  EXPECT_THAT(Unusable(in_force), ElementsAre(&all_[1], &all_[2]));
}

// 3 is there and has a kernel; the root is what others are measured against.
TEST_F(SteeringTest, NodesAreJudgedAgainInTheirTurn) {
  Add(kJudge, 0);
  Add(kJudge, 3);
  Add(kJudge, 9);
  Add(kJudge, 4).not_before = 5;
  const search::Tree tree = Tree();
  // Neither with a decision nor alone.
  EXPECT_THAT(TakeUpPending(all_, 2, tree, {}, ConcernsDecision),
              ElementsAre());
  EXPECT_THAT(TakeUpPending(all_, 2, tree, {}, ConcernsNoDecision),
              ElementsAre());
  const auto root = NextJudgement(all_, 2, tree, {});
  ASSERT_TRUE(root);
  EXPECT_THAT(root->refusal, HasSubstr("node 0 is the root"));
  const auto next = NextJudgement(all_, 2, tree, {DirectiveId{1}});
  ASSERT_TRUE(next);
  EXPECT_EQ(next->node, NodeId{3});
  EXPECT_EQ(next->refusal, "");
  const std::set<DirectiveId> begun = {DirectiveId{1}, DirectiveId{2}};
  EXPECT_FALSE(NextJudgement(all_, 4, tree, begun));
  EXPECT_EQ(NextJudgement(all_, 5, tree, begun)->node, NodeId{4});
}

TEST_F(SteeringTest, AgentsAreToldWhatConcernsThem) {
  Add(kAdvise).text = "all";
  Add(kAdvise, 1).text = "below 1";
  Add(kAdvise).text = "planners";
  all_.back().role = Role::kPlan;
  Add(kRequire, 5).aspect = kConstraintAspect;
  all_.back().text = "no-atomics";
  TakeUp(0);
  const search::Tree tree = Tree();
  const auto told = [&](Role role, std::int64_t parent) {
    std::vector<std::string> texts;
    for (const agents::Wish& wish :
         WishesFor(InForce(all_, 0), role, NodeId{parent},
                   [&](NodeId node, NodeId top) {
                     return tree.IsWithin(node, top);
                   })) {
      texts.push_back(wish.text);
    }
    return texts;
  };
  EXPECT_THAT(told(Role::kPlan, 0), ElementsAre("all", "planners"));
  EXPECT_THAT(told(Role::kCode, 3), ElementsAre("all", "below 1"));
  EXPECT_THAT(told(Role::kCode, 5),
              ElementsAre("all", "must not use atomic operations"));
}

}  // namespace
}  // namespace coppice::engine
