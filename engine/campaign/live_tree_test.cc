#include "engine/campaign/live_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/process_lock.h"
#include "engine/campaign/root_candidate.h"
#include "engine/run/simulated_rig.h"
#include "engine/steering/steering.h"
#include "eval/judge/evaluator.h"
#include "search/policy.h"
#include "search/tree.h"
#include "store/records/node.h"
#include "store/records/tier.h"
#include "store/scratch.h"
#include "store/write/directives.h"

namespace coppice::engine {
namespace {

using store::Must;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A live tree of this process beside others that are played by hand.  The root
// is there.
class LiveTreeTest : public ::testing::Test {
 protected:
  LiveTreeTest() { Must(live_tree_.Rebuild()); }

  void SetUp() override {
    NodeRecord root;
    root.uuid = FreshUuid(rig_.clock());
    root.candidate = RootCandidate(rig_.task());
    root.evaluation = Must(
        rig_.evaluator().Evaluate(rig_.task(), *root.candidate, Tier::kFast));
    Must(live_tree_.Commit(nullptr, root));
  }

  // What another process reserves, with a lease that has `lease_s` left.
  AttemptId ReserveAs(const std::string& owner, std::int64_t decision,
                      double lease_s) {
    Reservation reservation = store::ReservationOf(decision, kRootNode);
    reservation.lease_owner = owner;
    reservation.lease_until_s = rig_.clock().UnixSeconds() + lease_s;
    return Must(store::Attempts(*other_).Reserve(CampaignId{1}, reservation));
  }

  // It finishes an attempt, with no candidate, as the next node.
  void CommitAsOther(const Holding& attempt, std::int64_t number) {
    store::Calls calls(*other_);
    const CallId call =
        Must(calls.Begin(attempt, store::IntentOf(Role::kPlan), {}));
    Must(calls.EndWithoutCandidate(call, store::AnswerOf("no"), "no"));
    Must(store::Nodes(*other_).Commit(CampaignId{1}, attempt, Empty(number),
                                      1000.0));
  }

  static NodeRecord Empty(std::int64_t number) {
    NodeRecord node;
    node.id = NodeId{number};
    node.uuid = store::NextUuid();
    node.parent = kRootNode;
    node.evaluation.verdict = Verdict::kNoCandidate;
    return node;
  }

  // What a person asks, by another process.
  DirectiveId Ask(DirectiveKind kind, std::optional<std::int64_t> node = {},
                  std::optional<double> amount = {},
                  const std::string& aspect = "",
                  const std::string& text = "") {
    Directive directive;
    directive.uuid = store::NextUuid();
    directive.author = "ana";
    directive.kind = kind;
    if (node) directive.node = NodeId{*node};
    directive.amount = amount;
    directive.aspect = aspect;
    directive.text = text;
    return Must(store::AppendDirective(*other_, CampaignId{1}, directive)).id;
  }

  // "gate: applied", of each that was taken up since.
  std::vector<std::string> News() {
    std::vector<std::string> told;
    for (const Directive& each : live_tree_.TakeNews()) {
      told.push_back(std::string(Name(each.kind)) + ": " +
                     std::string(Name(each.outcome)));
    }
    return told;
  }

  SimulatedRig rig_{5, "best_of_k"};
  std::unique_ptr<store::Database> database_ = rig_.Connect();
  std::unique_ptr<store::Database> other_ = rig_.Connect();
  const CampaignParts parts_ = rig_.PartsFor(*database_);
  LiveTree live_tree_{parts_, rig_.Row(),
                      LeaseTerms{rig_.path(), "ours", 60.0}};
};

TEST_F(LiveTreeTest, ReservingBeginsAnAttemptAndSaysWhatWasSeen) {
  const auto attempt = Must(live_tree_.Reserve(5));
  ASSERT_TRUE(attempt.has_value());
  EXPECT_EQ(attempt->reservation.decision, 0);
  EXPECT_EQ(attempt->reservation.nodes_seen, 1);
  EXPECT_EQ(attempt->reservation.attempts_left, 5);
  EXPECT_EQ(live_tree_.tree().InFlight(kRootNode), 1);
  EXPECT_FALSE(live_tree_.HasForeign());
  EXPECT_FALSE(Must(live_tree_.Reserve(1)).has_value());  // The limit.
}

TEST_F(LiveTreeTest, WhatOthersDoIsSeenBeforeTheNextMove) {
  const auto process_lock =
      Must(ProcessLock::Join(rig_.path(), CampaignId{1}, "theirs"));
  const AttemptId theirs = ReserveAs("theirs", 0, 60.0);
  const auto ours = Must(live_tree_.Reserve(5));
  EXPECT_EQ(ours->reservation.decision, 1);
  EXPECT_EQ(live_tree_.tree().InFlight(kRootNode), 2);
  EXPECT_TRUE(live_tree_.HasForeign());
  CommitAsOther(theirs, 1);
  Must(live_tree_.CatchUp());
  EXPECT_EQ(live_tree_.tree().Size(), 2);
  EXPECT_EQ(live_tree_.tree().InFlight(kRootNode), 1);
  EXPECT_FALSE(live_tree_.HasForeign());
}

// Ours would have been node 1.
TEST_F(LiveTreeTest, ANodeGetsTheNextNumberWhoeverCommittedBefore) {
  const auto ours = Must(live_tree_.Reserve(5));
  CommitAsOther(ReserveAs("theirs", 1, 60.0), 1);
  store::Calls calls(*database_);
  const CallId call =
      Must(calls.Begin(ours->id, store::IntentOf(Role::kPlan), {}));
  Must(calls.EndWithoutCandidate(call, store::AnswerOf("no"), "no"));
  NodeRecord node = Empty(1);
  Must(live_tree_.Commit(&*ours, node));
  EXPECT_EQ(node.id, NodeId{2});
  EXPECT_EQ(live_tree_.tree().Size(), 3);
  EXPECT_EQ(live_tree_.tree().InFlight(kRootNode), 0);
}

// The tree is built anew, and what is in flight here stays ours.
TEST_F(LiveTreeTest, ANodeThatAnotherProcessEvaluatedAgainCountsAnew) {
  const auto first = Must(live_tree_.Reserve(5));
  store::Calls calls(*database_);
  const CallId call =
      Must(calls.Begin(first->id, store::IntentOf(Role::kDebug), {}));
  NodeRecord node = Empty(1);
  node.candidate = Candidate{Language::kSim, "point", "point"};
  node.evaluation = store::EvaluationOf(Verdict::kPassed, 2.0);
  Must(calls.EndWithCandidate(call, store::AnswerOf("x"), *node.candidate, {}));
  Must(live_tree_.Commit(&*first, node));
  EXPECT_EQ(live_tree_.tree().Best(), NodeId{1});
  const auto ours = Must(live_tree_.Reserve(5));
  Must(store::Nodes(*other_).AddEvaluation(
      CampaignId{1}, NodeId{1},
      store::EvaluationOf(Verdict::kWrongOutput, std::nullopt), 1000.0));
  Must(live_tree_.CatchUp());
  EXPECT_EQ(live_tree_.tree().Best(), kRootNode);
  EXPECT_EQ(live_tree_.further(), 1);
  EXPECT_FALSE(live_tree_.HasForeign());
  EXPECT_EQ(Must(live_tree_.Reserve(5))->reservation.further_seen, 1);
}

TEST_F(LiveTreeTest, WhatALiveProcessHoldsIsNotTaken) {
  const auto process_lock =
      Must(ProcessLock::Join(rig_.path(), CampaignId{1}, "theirs"));
  ReserveAs("theirs", 0, 60.0);
  EXPECT_FALSE(Must(live_tree_.AdoptOrphan(Orphans::kStoppedToo)).has_value());
}

TEST_F(LiveTreeTest, WhatADeadProcessLeftIsTakenOnceWhateverItsLease) {
  const AttemptId left = ReserveAs("dead", 0, 60.0);
  const auto adopted = Must(live_tree_.AdoptOrphan(Orphans::kStoppedToo));
  ASSERT_TRUE(adopted.has_value());
  EXPECT_EQ(adopted->id, left);
  EXPECT_EQ(adopted->reservation.lease_owner, "ours");
  EXPECT_FALSE(Must(live_tree_.AdoptOrphan(Orphans::kStoppedToo)).has_value());
  EXPECT_FALSE(live_tree_.HasForeign());
}

// It lives, but does not renew: it is stopped, or cannot write.
TEST_F(LiveTreeTest, ARunOutLeaseIsTakenFromTheLivingToo) {
  const auto process_lock =
      Must(ProcessLock::Join(rig_.path(), CampaignId{1}, "theirs"));
  ReserveAs("theirs", 0, -1.0);
  EXPECT_TRUE(Must(live_tree_.AdoptOrphan(Orphans::kStoppedToo)).has_value());
}

TEST_F(LiveTreeTest, WhoLostAnAttemptLeavesItToWhoTookIt) {
  const auto ours = Must(live_tree_.Reserve(5));
  const double now = rig_.clock().UnixSeconds();
  const Holding theirs = Must(store::Attempts(*other_).Adopt(
                                  ours->id, "theirs", now, now + 60.0, "ours"))
                             .AsHeld();
  NodeRecord node = Empty(1);
  EXPECT_EQ(live_tree_.Commit(&*ours, node).error().code, Errc::kLost);
  live_tree_.Leave(*ours);
  EXPECT_TRUE(live_tree_.HasForeign());
  CommitAsOther(theirs, 1);
  EXPECT_EQ(live_tree_.Commit(&*ours, node).error().code, Errc::kLost);
  EXPECT_FALSE(live_tree_.HasForeign());  // It has its node.
  EXPECT_EQ(live_tree_.tree().Size(), 2);
}

TEST_F(LiveTreeTest, ABoardThatIsRebuiltKnowsWhatIsInFlight) {
  Must(live_tree_.Reserve(5));
  LiveTree again{parts_, rig_.Row(), LeaseTerms{rig_.path(), "later", 60.0}};
  Must(again.Rebuild());
  EXPECT_EQ(again.tree().InFlight(kRootNode), 1);
  EXPECT_EQ(again.decisions(), 1);
  EXPECT_TRUE(again.HasForeign());
}

TEST_F(LiveTreeTest, APersonsPauseHoldsUntilAnotherEndsIt) {
  EXPECT_EQ(live_tree_.HeldBackBy(0.0), nullptr);
  Ask(DirectiveKind::kPause);
  EXPECT_EQ(live_tree_.HeldBackBy(0.0), nullptr);  // Not heard yet.
  Must(live_tree_.HearPeople({}));
  ASSERT_NE(live_tree_.HeldBackBy(0.0), nullptr);
  EXPECT_EQ(live_tree_.HeldBackBy(0.0)->kind, DirectiveKind::kPause);
  EXPECT_THAT(News(), ElementsAre("pause: applied"));
  Must(live_tree_.HearPeople({}));
  EXPECT_THAT(News(), ElementsAre());  // It is told once.
  Ask(DirectiveKind::kResume);
  Must(live_tree_.HearPeople({}));
  EXPECT_EQ(live_tree_.HeldBackBy(0.0), nullptr);
}

// Two decisions are made, so that a budget of one attempt cannot hold.
TEST_F(LiveTreeTest, ALimitBelowWhatIsUsedIsRefused) {
  Must(live_tree_.Reserve(5));
  Must(live_tree_.Reserve(5));
  Ask(DirectiveKind::kBudget, {}, 1.0, std::string(kAttemptsAspect));
  Ask(DirectiveKind::kBudget, {}, 2.0, std::string(kAttemptsAspect));
  Must(live_tree_.HearPeople({}));
  EXPECT_THAT(News(), ElementsAre("budget: refused", "budget: applied"));
  EXPECT_EQ(rig_.Row().spec.budget_attempts, 2);
}

// Whoever takes a directive up first tells of it; the other only sees it.
TEST_F(LiveTreeTest, WhatAnotherProcessTookUpHoldsHereToo) {
  const DirectiveId pause = Ask(DirectiveKind::kPause);
  Must(store::TakeUpAlone(*other_, CampaignId{1}, 0, {{pause, ""}}));
  Must(live_tree_.HearPeople({}));
  EXPECT_NE(live_tree_.HeldBackBy(0.0), nullptr);
  EXPECT_THAT(News(), ElementsAre());
}

TEST_F(LiveTreeTest, ABoostIsTheReasonOfTheNextDecisions) {
  Must(live_tree_.Reserve(5));
  CommitAsOther(Must(live_tree_.Reserve(5))->AsHeld(), 1);
  const DirectiveId boost = Ask(DirectiveKind::kBoost, 0, 2.0);
  for (const char* reason : {"boost 0 (1 of 2)", "boost 0 (2 of 2)"}) {
    const auto attempt = Must(live_tree_.Reserve(9));
    ASSERT_TRUE(attempt);
    EXPECT_EQ(attempt->reservation.reason, reason);
    EXPECT_EQ(attempt->reservation.policy, kHumanPolicy);
    EXPECT_EQ(attempt->reservation.directive, boost);
  }
  const auto after = Must(live_tree_.Reserve(9));
  EXPECT_EQ(after->reservation.policy, "best_of_k");
  EXPECT_EQ(after->reservation.directive, std::nullopt);
}

TEST_F(LiveTreeTest, NothingIsReservedBeyondTheLimit) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Must(live_tree_.Reserve(3)));
  EXPECT_FALSE(Must(live_tree_.Reserve(3)));
  EXPECT_FALSE(Must(live_tree_.Reserve(0)));
  EXPECT_TRUE(Must(live_tree_.Reserve(4)));
}

TEST_F(LiveTreeTest, AnAgentsWishIsOutsideAndThePolicysChoiceIsSaidBeside) {
  const TicketTerms ticket = {"ticket:1", 600.0, kRootNode, "asked for by ana"};
  const auto attempt = Must(live_tree_.Reserve(5, &ticket));
  EXPECT_EQ(attempt->reservation.policy, kOutsidePolicy);
  EXPECT_THAT(
      attempt->reservation.reason,
      ::testing::StartsWith("asked for by ana; best_of_k takes node 0"));
  EXPECT_EQ(attempt->reservation.lease_owner, "ticket:1");
  EXPECT_TRUE(live_tree_.HasForeign());  // It is the agent's.
  EXPECT_TRUE(live_tree_.Take(*attempt));
  EXPECT_FALSE(live_tree_.Take(*attempt));
  EXPECT_FALSE(live_tree_.HasForeign());
}

// No process holds a ticket's lease: only its time tells.
TEST_F(LiveTreeTest, ATicketIsTakenOverOnceItsLeaseHasRunOut) {
  ReserveAs("ticket:7", 0, 60.0);
  for (const Orphans orphans : {Orphans::kDead, Orphans::kStoppedToo}) {
    EXPECT_FALSE(Must(live_tree_.AdoptOrphan(orphans)));
  }
  const AttemptId late = ReserveAs("ticket:8", 1, -1.0);
  const auto adopted = Must(live_tree_.AdoptOrphan(Orphans::kDead));
  ASSERT_TRUE(adopted);
  EXPECT_EQ(adopted->id, late);
  EXPECT_TRUE(live_tree_.HasForeign());  // Ticket 7.
}

TEST_F(LiveTreeTest, OnlyWantedOrphansAreAdopted) {
  ReserveAs("dead", 0, 60.0);
  const auto adopt = [&](Stage wanted) {
    return Must(live_tree_.AdoptOrphan(Orphans::kDead,
                                       [&](Stage stage, NodeId parent) {
                                         return stage == wanted &&
                                                parent == kRootNode;
                                       }))
        .has_value();
  };
  EXPECT_FALSE(adopt(Stage::kPlanned));
  EXPECT_TRUE(adopt(Stage::kReserved));
  EXPECT_FALSE(adopt(Stage::kReserved));
}

// A ticket takes over what a dead process left, and holds it as its own.
TEST_F(LiveTreeTest, WhatATicketAdoptsIsNotOurs) {
  ReserveAs("dead", 0, 60.0);
  const TicketTerms ticket = {"ticket:2", 600.0};
  const auto adopted =
      Must(live_tree_.AdoptOrphan(Orphans::kDead, {}, &ticket));
  ASSERT_TRUE(adopted);
  EXPECT_EQ(adopted->reservation.lease_owner, "ticket:2");
  EXPECT_TRUE(live_tree_.HasForeign());
  EXPECT_FALSE(Must(live_tree_.AdoptOrphan(Orphans::kDead)));
}

// The root cannot be judged again, and node 1 has no kernel; both are told.
TEST_F(LiveTreeTest, WhatCannotBeJudgedAgainIsRefusedOnTheWay) {
  CommitAsOther(Must(live_tree_.Reserve(5))->AsHeld(), 1);
  Must(live_tree_.CatchUp());
  Ask(DirectiveKind::kJudge, 0);
  Ask(DirectiveKind::kJudge, 1);
  Must(live_tree_.HearPeople({}));
  EXPECT_FALSE(Must(live_tree_.TakeJudgement()));
  EXPECT_THAT(News(), ElementsAre("judge: refused", "judge: refused"));
}

TEST_F(LiveTreeTest, ALimitIsInForceOnceItWasTakenUp) {
  const DirectiveId budget =
      Ask(DirectiveKind::kBudget, {}, 9.0, std::string(kAttemptsAspect));
  Ask(DirectiveKind::kPause);
  EXPECT_THAT(Must(live_tree_.LimitsInForce()), IsEmpty());
  Must(live_tree_.HearPeople({}));
  EXPECT_THAT(Must(live_tree_.LimitsInForce()), ElementsAre(budget));
}

// The one of before it was asked is checked by none, however late.
TEST_F(LiveTreeTest, AnAttemptGoesByTheRulesOfItsDecision) {
  const auto before = Must(live_tree_.Reserve(5));
  const DirectiveId rule = Ask(DirectiveKind::kForbid, {}, {},
                               std::string(kTechniqueAspect), "tile");
  const auto after = Must(live_tree_.Reserve(5));
  EXPECT_THAT(Must(live_tree_.RulesOn(*before)).in_force, IsEmpty());
  const RulesInForce rules = Must(live_tree_.RulesOn(*after));
  ASSERT_EQ(rules.in_force.size(), 1u);
  EXPECT_EQ(rules.in_force.front()->id, rule);
  EXPECT_EQ(rules.in_force.front()->text, "tile");
}

// Node 1 is a child of the root, which all attempts are on here.
TEST_F(LiveTreeTest, ARuleOnANodeIsOfWhatIsBelowIt) {
  CommitAsOther(Must(live_tree_.Reserve(5))->AsHeld(), 1);
  Must(live_tree_.CatchUp());
  const auto forbid = [&](std::int64_t node) {
    return Ask(DirectiveKind::kForbid, node, {}, std::string(kTechniqueAspect),
               "tile");
  };
  const DirectiveId on_root = forbid(0);
  const DirectiveId on_child = forbid(1);
  auto attempt = Must(live_tree_.Reserve(5));
  const auto rules_below = [&](NodeId parent) {
    attempt->reservation.parent = parent;
    const RulesInForce rules = Must(live_tree_.RulesOn(*attempt));
    std::vector<DirectiveId> ids;
    for (const Directive* rule : rules.in_force) ids.push_back(rule->id);
    return ids;
  };
  EXPECT_THAT(rules_below(kRootNode), ElementsAre(on_root));
  EXPECT_THAT(rules_below(NodeId{1}), ElementsAre(on_root, on_child));
}

TEST_F(LiveTreeTest, ATemperatureIsOfTheDecisionsFromThenOn) {
  const auto before = Must(live_tree_.Reserve(5));
  Ask(DirectiveKind::kTemperature, {}, 0.25);
  const auto after = Must(live_tree_.Reserve(5));
  EXPECT_EQ(Must(live_tree_.TemperatureFor(Role::kCode, *before)),
            std::nullopt);
  EXPECT_EQ(Must(live_tree_.TemperatureFor(Role::kCode, *after)), 0.25);
}

TEST_F(LiveTreeTest, SaysOfItsNodesWhatTheTreeHas) {
  EXPECT_EQ(live_tree_.nodes(), 1);
  EXPECT_EQ(live_tree_.Best(), kRootNode);
  CommitAsOther(Must(live_tree_.Reserve(5))->AsHeld(), 1);
  Must(live_tree_.CatchUp());
  EXPECT_EQ(live_tree_.nodes(), 2);
  EXPECT_EQ(live_tree_.Node(NodeId{1}).verdict, Verdict::kNoCandidate);
  EXPECT_EQ(live_tree_.verdicts()[static_cast<int>(Verdict::kNoCandidate)], 1);
  EXPECT_EQ(live_tree_.family().CountRelatives(Kinship::kChild, kRootNode), 1);
}

TEST_F(LiveTreeTest, AnUnknownDecisionHasNoEarlierAttempts) {
  const auto first = Must(live_tree_.Reserve(5));
  const auto second = Must(live_tree_.Reserve(5));
  EXPECT_EQ(live_tree_.EarlierAttempts(first->reservation.decision), 0);
  EXPECT_EQ(live_tree_.EarlierAttempts(second->reservation.decision), 1);
  EXPECT_EQ(live_tree_.EarlierAttempts(77), 0);
  EXPECT_EQ(live_tree_.EarlierAttempts(-1), 0);
}

}  // namespace
}  // namespace coppice::engine
