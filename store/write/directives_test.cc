#include "store/write/directives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/care/maintenance.h"
#include "store/records/evaluation.h"
#include "store/records/node.h"
#include "store/scratch.h"
#include "store/write/attempts.h"
#include "store/write/nodes.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Campaign "a" has a root and node 1.
class DirectivesTest : public ::testing::Test {
 protected:
  DirectivesTest() { Grow(database_, a_, kRootNode); }

  static Directive Made(DirectiveKind kind) {
    Directive directive;
    directive.uuid = NextUuid();
    directive.at_s = 1500.0;
    directive.author = "ana";
    directive.kind = kind;
    return directive;
  }

  static Directive OnNode(DirectiveKind kind, std::int64_t node) {
    Directive directive = Made(kind);
    directive.node = NodeId{node};
    return directive;
  }

  static Directive Advice(const std::string& text) {
    Directive directive = Made(DirectiveKind::kAdvise);
    directive.text = text;
    return directive;
  }

  DirectiveId Append(const Directive& directive) {
    return Must(AppendDirective(database_, a_, directive)).id;
  }

  Result<AttemptId> Reserve(std::int64_t decision,
                            const std::vector<TakenUp>& taken) {
    return Attempts(database_).Reserve(a_, ReservationOf(decision, kRootNode),
                                       taken);
  }

  std::vector<std::string> States() {
    return Rows(database_,
                "SELECT directive, outcome, effective_decision, refusal"
                " FROM directives ORDER BY directive");
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId a_ = Plant(database_, "a");
};

TEST_F(DirectivesTest, OneIsReadAsItWasWritten) {
  Directive advice = Advice("Tile for L2.\nThen stop.");
  advice.node = NodeId{1};
  advice.role = Role::kPlan;
  advice.not_before = 4;
  Append(advice);
  const std::vector<Directive> all = Must(ReadDirectives(database_, a_));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].uuid, advice.uuid);
  EXPECT_EQ(all[0].author, "ana");
  EXPECT_EQ(all[0].kind, DirectiveKind::kAdvise);
  EXPECT_EQ(all[0].node, NodeId{1});
  EXPECT_EQ(all[0].role, Role::kPlan);
  EXPECT_EQ(all[0].text, "Tile for L2.\nThen stop.");
  EXPECT_EQ(all[0].not_before, 4);
  EXPECT_EQ(all[0].outcome, DirectiveOutcome::kPending);
  EXPECT_EQ(all[0].effective_decision, std::nullopt);
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(DirectivesTest, TheSameUuidIsOneRow) {
  const Directive advice = Advice("x");
  EXPECT_EQ(Append(advice), Append(advice));
  EXPECT_EQ(Must(CountPending(database_, a_)), 1);
  EXPECT_EQ(Must(CountPending(database_, a_, DirectiveKind::kAdvise)), 1);
  EXPECT_EQ(Must(CountPending(database_, a_, DirectiveKind::kPause)), 0);
}

TEST_F(DirectivesTest, TakenUpItHoldsFromThatDecisionOn) {
  const DirectiveId advice = Append(Advice("x"));
  const DirectiveId freeze = Append(OnNode(DirectiveKind::kFreeze, 1));
  Must(Reserve(1, {{advice, ""}, {freeze, "no"}}));
  EXPECT_THAT(States(), ElementsAre("1|applied|1|-", "2|refused|1|no"));
  EXPECT_THAT(Rows(database_, "SELECT steered FROM campaigns"),
              ElementsAre("1"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

// Neither the attempt nor what was taken up with it.
TEST_F(DirectivesTest, WhatWasWithdrawnMeanwhileLeavesNoAttempt) {
  const DirectiveId one = Append(Advice("x"));
  const DirectiveId two = Append(Advice("y"));
  Must(WithdrawDirective(database_, a_, two));
  const auto reserved = Reserve(1, {{one, ""}, {two, ""}});
  ASSERT_FALSE(reserved);
  EXPECT_EQ(reserved.error().code, Errc::kBusy);
  EXPECT_THAT(States(), ElementsAre("1|pending|-|-", "2|withdrawn|-|-"));
  EXPECT_THAT(Rows(database_, "SELECT attempts FROM campaigns"),
              ElementsAre("1"));
}

TEST_F(DirectivesTest, OnlyWhatWaitsIsWithdrawn) {
  const DirectiveId id = Append(Advice("x"));
  Must(Reserve(1, {{id, ""}}));
  const auto withdrawn = WithdrawDirective(database_, a_, id);
  ASSERT_FALSE(withdrawn);
  EXPECT_EQ(withdrawn.error().code, Errc::kUsage);
  EXPECT_THAT(withdrawn.error().what,
              testing::HasSubstr("directive 1 is applied already"));
  EXPECT_EQ(WithdrawDirective(database_, a_, DirectiveId{9}).error().code,
            Errc::kNotFound);
}

TEST_F(DirectivesTest, ANoteTouchesNoDecisionAndSteersNothing) {
  Directive note = Made(DirectiveKind::kNote);
  note.text = "Driver updated.";
  Append(note);
  Append(OnNode(DirectiveKind::kPin, 1));
  EXPECT_THAT(States(), ElementsAre("1|applied|-|-", "2|applied|-|-"));
  EXPECT_THAT(Rows(database_, "SELECT steered FROM campaigns"),
              ElementsAre("0"));
}

TEST_F(DirectivesTest, ALimitThatHoldsIsTheCampaigns) {
  Directive budget = Made(DirectiveKind::kBudget);
  budget.aspect = kAttemptsAspect;
  budget.amount = 7.0;
  const DirectiveId attempts = Append(budget);
  budget.uuid = NextUuid();
  budget.aspect = kSecondsAspect;
  budget.amount = 90.0;
  const DirectiveId seconds = Append(budget);
  budget.uuid = NextUuid();
  budget.amount = 1.0;
  const DirectiveId refused = Append(budget);
  Must(TakeUpAlone(database_, a_, 1,
                   {{attempts, ""}, {seconds, ""}, {refused, "too low"}}));
  EXPECT_THAT(Rows(database_,
                   "SELECT budget_attempts, budget_s, steered"
                   " FROM campaigns"),
              ElementsAre("7|90|0"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

// Ana saw directive 1, and ben froze node 1 since.
TEST_F(DirectivesTest, WhoHasNotSeenTheLastOnTheSameNodeIsTold) {
  const DirectiveId first = Append(Advice("x"));
  const DirectiveId ben = Append(OnNode(DirectiveKind::kFreeze, 1));
  const auto ana = Must(AppendDirective(
      database_, a_, OnNode(DirectiveKind::kUnfreeze, 1), first));
  EXPECT_TRUE(ana.is_conflict);
  EXPECT_EQ(ana.id, ben);
  EXPECT_EQ(Must(CountPending(database_, a_)), 2);
  EXPECT_FALSE(Must(AppendDirective(database_, a_,
                                    OnNode(DirectiveKind::kUnfreeze, 1), ben))
                   .is_conflict);
  // On the campaign a pause and its end are one subject, advice another.
  const DirectiveId pause = Append(Made(DirectiveKind::kPause));
  EXPECT_EQ(
      Must(AppendDirective(database_, a_, Made(DirectiveKind::kResume), ben))
          .id,
      pause);
  Directive budget = Made(DirectiveKind::kBudget);
  budget.aspect = kAttemptsAspect;
  budget.amount = 7.0;
  EXPECT_FALSE(Must(AppendDirective(database_, a_, budget, ben)).is_conflict);
}

TEST_F(DirectivesTest, WhatIsNotThereCannotBeSteered) {
  const auto what = [&](const Directive& directive) {
    const auto appended = AppendDirective(database_, a_, directive);
    return appended ? "appended" : appended.error().what;
  };
  EXPECT_THAT(what(OnNode(DirectiveKind::kFreeze, 2)),
              testing::HasSubstr("there is no node 2"));
  Directive lift = Made(DirectiveKind::kLift);
  lift.target = DirectiveId{1};
  EXPECT_THAT(what(lift), testing::HasSubstr("there is no directive 1"));
  Append(Advice("x"));
  EXPECT_THAT(what(lift), testing::HasSubstr("directive 1 is pending"));
}

TEST_F(DirectivesTest, TheMarkChangesWithWhateverIsToBeReadAgain) {
  const InboxMark none = Must(ReadInboxMark(database_, a_));
  EXPECT_EQ(none, InboxMark{});
  const DirectiveId id = Append(OnNode(DirectiveKind::kFreeze, 1));
  const InboxMark waits = Must(ReadInboxMark(database_, a_));
  EXPECT_NE(waits, none);
  EXPECT_EQ(Must(ReadInboxMark(database_, a_)), waits);
  Must(Reserve(1, {{id, ""}}));
  EXPECT_NE(Must(ReadInboxMark(database_, a_)), waits);
}

// By its own directive, with the person's source and no call.
TEST_F(DirectivesTest, AnInsertedKernelIsCodedWithItsAttempt) {
  Directive insert = OnNode(DirectiveKind::kInsert, 0);
  insert.text = "mine";
  const DirectiveId id = Append(insert);
  Reservation reservation = ReservationOf(1, kRootNode);
  reservation.policy = kHumanPolicy;
  reservation.directive = id;
  const AttemptId attempt = Must(Attempts(database_).Reserve(
      a_, reservation, {{id, ""}}, Candidate{Language::kCpp, "mine", "run"}));
  const AttemptRecord record = Must(Attempts(database_).Load(attempt));
  EXPECT_EQ(record.stage, Stage::kCoded);
  EXPECT_TRUE(record.reservation.is_inserted);
  EXPECT_EQ(record.reservation.directive, id);
  EXPECT_EQ(record.candidate->source, "mine");
  EXPECT_EQ(Must(ReadDirectives(database_, a_))[0].attempts, 1);
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(DirectivesTest, WhatAPersonChoseWithoutADirectiveIsDamage) {
  Reservation reservation = ReservationOf(1, kRootNode);
  reservation.policy = kHumanPolicy;
  Must(Attempts(database_).Reserve(a_, reservation));
  EXPECT_THAT(Must(Diagnose(database_)),
              ElementsAre(testing::HasSubstr("was chosen by a person")));
}

// It tells nothing of what is pending.
TEST_F(DirectivesTest, TheFingerprintTellsWhatHeldSinceWhen) {
  const std::string before = Must(Fingerprint(database_, a_));
  const DirectiveId id = Append(Advice("x"));
  EXPECT_EQ(Must(Fingerprint(database_, a_)), before);
  Must(TakeUpAlone(database_, a_, 1, {{id, ""}}));
  EXPECT_NE(Must(Fingerprint(database_, a_)), before);
}

TEST_F(DirectivesTest, WhatIsPooledLeavesSteeredCampaignsOut) {
  const CampaignId b = Plant(database_, "b");
  Grow(database_, b, kRootNode);
  EXPECT_THAT(Rows(database_, "SELECT policy, campaigns FROM rates"),
              ElementsAre("stark|2"));
  Must(Reserve(1, {{Append(Advice("x")), ""}}));
  EXPECT_THAT(Rows(database_, "SELECT policy, campaigns FROM rates"),
              ElementsAre("stark|1"));
  EXPECT_THAT(Rows(database_,
                   "SELECT DISTINCT campaigns FROM fast_p"
                   " UNION ALL SELECT DISTINCT campaigns FROM policy_curve"),
              ElementsAre("1", "1"));
}

// Who reads the answer would take it for one on his own.
TEST_F(DirectivesTest, AnotherCampaignsUuidIsRefused) {
  const CampaignId b = Plant(database_, "b");
  const Directive advice = Advice("Tile.");
  Append(advice);
  const auto sent_to_b = AppendDirective(database_, b, advice);
  ASSERT_FALSE(sent_to_b);
  EXPECT_EQ(sent_to_b.error().code, Errc::kUsage);
  EXPECT_THAT(sent_to_b.error().what,
              testing::HasSubstr(" is that of directive 1, which is another "
                                 "campaign's, a: send a new one"));
  EXPECT_THAT(Must(ReadDirectives(database_, b)), IsEmpty());
}

TEST_F(DirectivesTest, ALimitOfMoneyBecomesTheSetting) {
  Directive limit = Made(DirectiveKind::kBudget);
  limit.aspect = kTokensAspect;
  limit.amount = 123456789.0;
  const DirectiveId id = Append(limit);
  ASSERT_TRUE(TakeUpAlone(database_, a_, 1, {{id, ""}}));
  EXPECT_THAT(Rows(database_,
                   "SELECT value, origin FROM settings"
                   " WHERE key = 'cap_tokens'"),
              ElementsAre("123456789|directive 1"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

// The evaluation and the word that wanted it are one transaction: whoever comes
// second adds none.
TEST_F(DirectivesTest, WhatIsJudgedAgainIsTakenUpWithItsEvaluation) {
  const DirectiveId id = Append(OnNode(DirectiveKind::kJudge, 1));
  Nodes nodes(database_);
  const Evaluation again = Must(nodes.Load(a_, NodeId{1})).evaluation;
  const auto evaluations = [&] {
    return Rows(database_, "SELECT count(*) FROM evaluations WHERE node = 1");
  };
  ASSERT_TRUE(nodes.AddEvaluation(a_, NodeId{1}, again, 1600.0, id));
  EXPECT_THAT(evaluations(), ElementsAre("2"));
  // One attempt is there, decision 0, which knew nothing of it.
  EXPECT_THAT(States(), ElementsAre("1|applied|1|-"));
  const auto second = nodes.AddEvaluation(a_, NodeId{1}, again, 1601.0, id);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::kBusy);
  EXPECT_THAT(evaluations(), ElementsAre("2"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

// A note steers nothing, nor does what was taken back, nor what is pending.
TEST_F(DirectivesTest, SteeredIsWhereWordsTouchedTheSearch) {
  const CampaignId b = Plant(database_, "b");
  Directive words = Made(DirectiveKind::kNote);
  words.text = "Look here.";
  Append(words);
  Append(Advice("x"));
  EXPECT_FALSE(Must(IsSteered(database_, a_)));
  EXPECT_THAT(Must(ReadSteered(database_)), IsEmpty());
  const Directive advice = Advice("y");
  const DirectiveId id = Must(AppendDirective(database_, b, advice)).id;
  Must(TakeUpAlone(database_, b, 0, {{id, ""}}));
  EXPECT_TRUE(Must(IsSteered(database_, b)));
  EXPECT_FALSE(Must(IsSteered(database_, a_)));
  EXPECT_FALSE(Must(IsSteered(database_, CampaignId{9})));
  Must(Reserve(1, {{Append(Advice("z")), ""}}));
  EXPECT_THAT(Must(ReadSteered(database_)), ElementsAre("a", "b"));
}

// Ids count on through the whole file, so that each is of one campaign.
TEST_F(DirectivesTest, OnlyADirectiveOfTheCampaignIsLifted) {
  const CampaignId other = Plant(database_, "b");
  const DirectiveId theirs =
      Must(AppendDirective(database_, other, Advice("Tile."))).id;
  const DirectiveId ours = Append(Advice("Do not tile."));
  const auto lift = [&](DirectiveId target) {
    Directive directive = Made(DirectiveKind::kLift);
    directive.target = target;
    return AppendDirective(database_, a_, directive).error().what;
  };
  EXPECT_THAT(lift(theirs), testing::HasSubstr("there is no directive"));
  EXPECT_THAT(lift(DirectiveId{99}),
              testing::HasSubstr("there is no directive 99"));
  // It is there, and was not taken up yet.
  EXPECT_THAT(lift(ours), testing::HasSubstr("is pending"));
}

}  // namespace
}  // namespace coppice::store
