#include "engine/outside/ticket_issuer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stop_token>
#include <thread>

#include "config/settings.h"
#include "engine/campaign/ask.h"
#include "engine/campaign/cut.h"
#include "engine/outside/scripted_agent.h"
#include "engine/outside/ticket_offer.h"
#include "engine/outside/told.h"
#include "eval/judge/evaluator.h"
#include "store/care/maintenance.h"
#include "store/records/evaluation.h"
#include "store/write/directives.h"
#include "store/write/tickets.h"

namespace coppice::engine {
namespace {

using store::Must;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// So short that it is over before the next statement.
constexpr double kOver_s = 1e-9;
constexpr auto kHere = TicketIssuer::Judging::kHere;

// A campaign whose answers are known, since built-in agents gave them
// elsewhere: seed, policy and task are the same.
class TicketIssuerTest : public testing::Test {
 protected:
  static constexpr std::int64_t kBudget = 12;

  TicketIssuerTest() : built_in_(kBudget), rig_(kBudget) {
    answers_ = RunBuiltIn(built_in_);
    MeasureRoot(rig_);
  }

  // Nothing that these tests do may leave anything for doctor or replay.
  void TearDown() override { EXPECT_THAT(rig_.Findings(), IsEmpty()); }

  static AgentWish WishOf(const std::string& agent,
                          const std::string& request = "") {
    AgentWish wish;
    wish.agent = agent;
    if (!request.empty()) wish.request = request;
    return wish;
  }

  TicketOffer AskOf(TicketIssuer& ticket_issuer, const AgentWish& wish) {
    Asked asked = Must(ticket_issuer.Ask(wish));
    EXPECT_EQ(asked.none_because, "");
    return asked.offers.at(0);
  }

  Told AnswerTo(const TicketOffer& offer) const {
    return ToldOf(offer.role, answers_.at({offer.decision, offer.role}),
                  offer.annotate);
  }

  // Answers up to the node.
  Receipt Answer(TicketIssuer& ticket_issuer, TicketOffer offer) {
    for (;;) {
      Receipt receipt =
          Must(ticket_issuer.Tell(offer.ticket.uuid, AnswerTo(offer), kHere));
      if (!receipt.next) return receipt;
      offer = *receipt.next;
    }
  }

  Error Refused(const Result<Receipt>& told) {
    EXPECT_FALSE(told.has_value());
    return told ? Error{} : told.error();
  }

  std::vector<std::string> Tickets() {
    return rig_.Rows("SELECT decision, agent, state FROM tickets");
  }

  SimulatedRig built_in_;
  SimulatedRig rig_;
  Answers answers_;
};

TEST_F(TicketIssuerTest, EqualTellsGiveTheTreeOfBuiltInAgents) {
  ServingProcess serving(rig_);
  for (std::int64_t i = 0; i < kBudget; ++i) {
    const Receipt receipt = Answer(
        *serving, AskOf(*serving, WishOf("ana", "s" + std::to_string(i))));
    EXPECT_EQ(receipt.node, NodeId{i + 1});
  }
  const auto print = [](SimulatedRig& rig) {
    const auto database = rig.Connect();
    return Must(store::Fingerprint(*database, rig.Row().id));
  };
  EXPECT_EQ(print(rig_), print(built_in_));
  EXPECT_TRUE(Must(serving->IsDone()));
}

TEST_F(TicketIssuerTest, AskedAgainGivesTheSameTicket) {
  ServingProcess serving(rig_);
  const TicketOffer first = AskOf(*serving, WishOf("ana", "step-1"));
  const TicketOffer again = AskOf(*serving, WishOf("ana", "step-1"));
  EXPECT_EQ(again.ticket.uuid, first.ticket.uuid);
  EXPECT_EQ(again.user_prompt, first.user_prompt);
  EXPECT_NE(AskOf(*serving, WishOf("ben", "step-1")).ticket.uuid,
            first.ticket.uuid);
  EXPECT_THAT(Tickets(), ElementsAre("0|ana|open", "1|ben|open"));
}

TEST_F(TicketIssuerTest, ToldAgainGivesTheSameReceipt) {
  ServingProcess serving(rig_);
  const TicketOffer offer = AskOf(*serving, WishOf("ana"));
  Told all = AnswerTo(offer);
  TicketOffer code;
  code.role = Role::kCode;
  all.source = AnswerTo(code).source;
  const Receipt first = Must(serving->Tell(offer.ticket.uuid, all, kHere));
  const Receipt again = Must(serving->Tell(offer.ticket.uuid, all, kHere));
  EXPECT_EQ(first.node, NodeId{1});
  EXPECT_EQ(again.node, first.node);
  EXPECT_EQ(again.verdict, first.verdict);
  Told other = all;
  *other.source += "\n// another";
  EXPECT_THAT(Refused(serving->Tell(offer.ticket.uuid, other, kHere)).what,
              StartsWith("already told"));
  EXPECT_THAT(rig_.Rows("SELECT count(*) FROM nodes"), ElementsAre("2"));
}

TEST_F(TicketIssuerTest, ALateTellCountsWhileNobodyHasAdopted) {
  ServingProcess serving(rig_);
  AgentWish wish = WishOf("ana");
  wish.lease_s = kOver_s;
  const TicketOffer offer = AskOf(*serving, wish);
  EXPECT_EQ(Answer(*serving, offer).node, NodeId{1});
}

TEST_F(TicketIssuerTest, ADeadAgentsAttemptComesAgainWithANewTicket) {
  ServingProcess serving(rig_);
  AgentWish wish = WishOf("ana");
  wish.lease_s = kOver_s;
  const TicketOffer lost = AskOf(*serving, wish);
  ServingProcess other(rig_);
  const TicketOffer found = AskOf(*other, WishOf("ben"));
  EXPECT_EQ(found.decision, lost.decision);
  EXPECT_EQ(found.parent, lost.parent);
  EXPECT_EQ(found.user_prompt, lost.user_prompt);
  EXPECT_NE(found.ticket.uuid, lost.ticket.uuid);
  EXPECT_THAT(Tickets(), ElementsAre("0|ana|lost", "0|ben|open"));
  const Error error =
      Refused(serving->Tell(lost.ticket.uuid, AnswerTo(lost), kHere));
  EXPECT_EQ(error.code, Errc::kLost);
  EXPECT_EQ(Answer(*other, found).node, NodeId{1});
}

TEST_F(TicketIssuerTest, ALostCandidateMayBeAnExtraThatCountsAgainstTheBudget) {
  ServingProcess serving(rig_);
  AgentWish wish = WishOf("ana");
  wish.lease_s = kOver_s;
  const TicketOffer lost = AskOf(*serving, wish);
  const TicketOffer taken = AskOf(*serving, WishOf("ben"));
  ASSERT_EQ(taken.decision, 0);
  Told told;
  told.source = answers_.at({0, Role::kCode});
  told.source = *agents::ParseCodeAnswer(*told.source);
  const Receipt extra =
      Must(serving->TellAsExtra(lost.ticket.uuid, told, kHere));
  EXPECT_EQ(extra.node, NodeId{1});
  EXPECT_EQ(Must(serving->TellAsExtra(lost.ticket.uuid, told, kHere)).node,
            extra.node);
  EXPECT_THAT(
      rig_.Rows("SELECT decision, parent, policy, reason FROM attempts"
                " WHERE node = 1"),
      ElementsAre(StartsWith("1|0|outside|late, told by ana; stark takes")));
  EXPECT_THAT(rig_.Rows("SELECT attempts FROM campaigns"), ElementsAre("2"));
}

// Nobody else is asked there, whatever the parent did.
TEST_F(TicketIssuerTest, AnExtraOfOneWhoWorksAloneIsTheCodeAgents) {
  ServingProcess serving(rig_, {}, 64, nullptr, nullptr,
                         config::Agents::kAlone);
  Told told;
  told.source = "no kernel";
  const Receipt failed = Must(
      serving->Tell(AskOf(*serving, WishOf("ana")).ticket.uuid, told, kHere));
  ASSERT_EQ(failed.verdict, Verdict::kCompileFailed);
  AgentWish wish = WishOf("ana");
  wish.parent = failed.node;
  wish.lease_s = kOver_s;
  const TicketOffer lost = AskOf(*serving, wish);
  AskOf(*serving, WishOf("ben"));  // Takes it over.
  told.source = *agents::ParseCodeAnswer(answers_.at({0, Role::kCode}));
  EXPECT_EQ(Must(serving->TellAsExtra(lost.ticket.uuid, told, kHere)).node,
            NodeId{2});
  EXPECT_THAT(rig_.Rows("SELECT attempt_id, r.name FROM model_call"
                        " JOIN role r USING (role) ORDER BY call_id"),
              ElementsAre("1|code", "2|code", "2|code", "3|code"));
}

// What was told late was charged then: told again as an extra it is free.
TEST_F(TicketIssuerTest, WhatAnAgentClaimsIsChargedOnceHoweverOftenItIsTold) {
  ServingProcess serving(rig_);
  AgentWish wish = WishOf("ana");
  wish.lease_s = kOver_s;
  const TicketOffer late = AskOf(*serving, wish);
  const TicketOffer straight = AskOf(*serving, wish);
  AskOf(*serving, WishOf("ben"));
  Told told;
  told.source = *agents::ParseCodeAnswer(answers_.at({0, Role::kCode}));
  told.use.cost_usd = 1.0;
  EXPECT_EQ(Refused(serving->Tell(late.ticket.uuid, told, kHere)).code,
            Errc::kLost);
  Must(serving->TellAsExtra(late.ticket.uuid, told, kHere));
  const std::string spent = "SELECT sum(cost_usd) FROM wire_call";
  EXPECT_THAT(rig_.Rows(spent), ElementsAre("1"));
  AskOf(*serving, WishOf("cyd"));
  Must(serving->TellAsExtra(straight.ticket.uuid, told, kHere));
  EXPECT_THAT(rig_.Rows(spent), ElementsAre("2"));
}

TEST_F(TicketIssuerTest, AMalformedTellIsRefusedWithAllReasons) {
  ServingProcess serving(rig_);
  const TicketOffer offer = AskOf(*serving, WishOf("ana"));
  Told told;
  told.plan = "Make it fast.";  // No block, so no anchors.
  told.source = std::string(kMostOfATold_bytes + 1, 'x');
  told.language = "python";
  told.use.usage.output_tokens = kMostOfAClaim_tokens + 1;
  told.use.cost_usd = 1e300;
  const Error error = Refused(serving->Tell(offer.ticket.uuid, told, kHere));
  EXPECT_EQ(error.code, Errc::kUsage);
  EXPECT_THAT(error.what,
              AllOf(HasSubstr("source has 262145 bytes"), HasSubstr("plan: "),
                    HasSubstr("source: is in python, and the task is in sim"),
                    HasSubstr("usage: expected 0 to 1000000000000 tokens"),
                    HasSubstr("usage: cost_usd is no amount of money")));
  EXPECT_THAT(rig_.Rows("SELECT calls, answered FROM spend"),
              ElementsAre("1|0"));
  EXPECT_EQ(Answer(*serving, offer).node, NodeId{1});
}

TEST_F(TicketIssuerTest, WhatAMalformedTellClaimsIsChargedOnce) {
  ServingProcess serving(rig_);
  const TicketOffer offer = AskOf(*serving, WishOf("ana"));
  Told told;
  told.plan = "Make it fast.";
  told.use.cost_usd = 0.25;
  for (int i = 0; i < 2; ++i) {
    Refused(serving->Tell(offer.ticket.uuid, told, kHere));
  }
  EXPECT_THAT(rig_.Rows("SELECT cost_usd, claimed_usd FROM improvement_costs"),
              ElementsAre("0|0.25"));
  EXPECT_EQ(Answer(*serving, offer).node, NodeId{1});
}

// Not by a malformed answer, and not by a late one.
TEST_F(TicketIssuerTest, WhatNobodyCanHaveUsedIsNeitherChargedNorSummed) {
  ServingProcess serving(rig_);
  AgentWish wish = WishOf("ana");
  wish.lease_s = kOver_s;
  const TicketOffer late = AskOf(*serving, wish);
  const TicketOffer open = AskOf(*serving, WishOf("ben"));
  ASSERT_EQ(open.decision, late.decision);  // Taken over.
  std::vector<ClaimedUse> uses(4);
  uses[0].cost_usd = 1.7e308;
  uses[1].cost_usd = HUGE_VAL;
  uses[2].usage.input_tokens = std::numeric_limits<std::int64_t>::max();
  uses[3].usage.output_tokens = kMostOfAClaim_tokens + 1;
  for (const ClaimedUse& use : uses) {
    Told told;
    told.plan = "Make it fast.";
    told.use = use;
    for (const TicketOffer& offer : {late, open}) {
      const Error error =
          Refused(serving->Tell(offer.ticket.uuid, told, kHere));
      EXPECT_EQ(error.code, Errc::kUsage);
      EXPECT_THAT(error.what, HasSubstr("usage: "));
      EXPECT_THAT(error.what, Not(HasSubstr("constraint")));
    }
  }
  EXPECT_THAT(
      rig_.Rows("SELECT count(*) FROM wire_calls WHERE charged_tokens > 0"
                " OR charged_usd > 0"),
      ElementsAre("0"));
}

TEST_F(TicketIssuerTest, ASpentBudgetSaysWhichAndByHowMuch) {
  ServingProcess serving(rig_);
  for (std::int64_t i = 0; i < kBudget; ++i) {
    Answer(*serving, AskOf(*serving, WishOf("ana")));
  }
  const Asked asked = Must(serving->Ask(WishOf("ana")));
  EXPECT_THAT(asked.offers, IsEmpty());
  EXPECT_TRUE(asked.is_spent);
  EXPECT_EQ(asked.none_because,
            "the budget of 12 attempts is spent: 12 were begun");
}

TEST_F(TicketIssuerTest, UnderACapOnMoneyAnAgentDeclaresAndIsHeldToIt) {
  store::Caps caps;
  caps.campaign.usd = 1.0;
  ServingProcess serving(rig_, caps);
  const auto undeclared = serving->Ask(WishOf("ana"));
  ASSERT_FALSE(undeclared.has_value());
  EXPECT_THAT(undeclared.error().what, HasSubstr("declare"));
  AgentWish wish = WishOf("ana");
  wish.max_cost_usd = 0.75;
  const TicketOffer offer = AskOf(*serving, wish);
  // 0.75 are reserved, so that another 0.75 would pass the cap of 1.
  const auto second = serving->Ask(wish);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, Errc::kSpent);
  Told told = AnswerTo(offer);
  told.use.cost_usd = 0.125;
  const Receipt planned = Must(serving->Tell(offer.ticket.uuid, told, kHere));
  EXPECT_THAT(rig_.Rows("SELECT sum(charged_usd) FROM wire_calls"),
              ElementsAre("0.75"));  // 0.125 claimed, and the rest reserved.
  told = AnswerTo(*planned.next);
  told.use.cost_usd = 0.25;
  Must(serving->Tell(offer.ticket.uuid, told, kHere));
  EXPECT_THAT(
      rig_.Rows("SELECT role, cost_usd, is_claimed FROM spend ORDER BY role"),
      ElementsAre("code|0.25|1", "plan|0.125|1"));
  EXPECT_THAT(rig_.Rows("SELECT DISTINCT price_version FROM wire_calls"),
              ElementsAre("claimed"));
}

// What is spent is spent: 5 of 1 are noted with the plan, or with what is no
// plan, and who asks next hears of it.
TEST_F(TicketIssuerTest, AClaimBeyondTheCapIsChargedAndThePlanKept) {
  store::Caps caps;
  caps.campaign.usd = 1.0;
  ServingProcess serving(rig_, caps);
  AgentWish wish = WishOf("ana");
  wish.max_cost_usd = 0.5;
  const TicketOffer offer = AskOf(*serving, wish);
  Told malformed;
  malformed.plan = "Make it fast.";
  malformed.use.cost_usd = 5.0;
  EXPECT_EQ(Refused(serving->Tell(offer.ticket.uuid, malformed, kHere)).code,
            Errc::kUsage);
  const std::string claimed = "SELECT sum(charged_usd) FROM wire_calls";
  EXPECT_THAT(rig_.Rows(claimed), ElementsAre("5"));
  Told told = AnswerTo(offer);
  told.use.cost_usd = 2.0;
  const Receipt planned = Must(serving->Tell(offer.ticket.uuid, told, kHere));
  EXPECT_THAT(rig_.Rows(claimed), ElementsAre("7"));
  const auto next = serving->Ask(wish);
  ASSERT_FALSE(next.has_value());
  EXPECT_THAT(next.error().what, HasSubstr("is passed: spent $7.00"));
  EXPECT_EQ(Answer(*serving, *planned.next).node, NodeId{1});
}

TEST_F(TicketIssuerTest, APlanAloneLeavesTheCodeToAnother) {
  ServingProcess serving(rig_);
  AgentWish planner = WishOf("ana");
  planner.roles = *RolesNamed("plan,debug");
  const TicketOffer plan = AskOf(*serving, planner);
  ASSERT_EQ(plan.role, Role::kPlan);
  const Receipt planned =
      Must(serving->Tell(plan.ticket.uuid, AnswerTo(plan), kHere));
  EXPECT_EQ(planned.stage, Stage::kPlanned);
  EXPECT_FALSE(planned.next.has_value());
  AgentWish coder = WishOf("ben");
  coder.roles = *RolesNamed("code");
  const TicketOffer code = AskOf(*serving, coder);
  EXPECT_EQ(code.decision, plan.decision);
  EXPECT_EQ(code.role, Role::kCode);
  EXPECT_EQ(Answer(*serving, code).node, NodeId{1});
  EXPECT_EQ(Must(serving->Ask(coder)).none_because,
            "nothing is open for the roles code");
}

TEST_F(TicketIssuerTest, SeveralAreReservedInOneTransaction) {
  ServingProcess serving(rig_);
  AgentWish wish = WishOf("ana", "all");
  wish.count = 3;
  const Asked asked = Must(serving->Ask(wish));
  ASSERT_EQ(asked.offers.size(), 3U);
  EXPECT_EQ(Must(serving->Ask(wish)).offers.at(2).ticket.uuid,
            asked.offers[2].ticket.uuid);
  EXPECT_THAT(rig_.Rows("SELECT decision, request, place FROM tickets"),
              ElementsAre("0|all|0", "1|all|1", "2|all|2"));
}

TEST_F(TicketIssuerTest, WhereAllPlacesAreTakenThereIsNone) {
  ServingProcess serving(rig_, {}, 1);
  const TicketOffer offer = AskOf(*serving, WishOf("ana"));
  const Asked none = Must(serving->Ask(WishOf("ben")));
  EXPECT_THAT(none.none_because,
              StartsWith("as many attempts are under way as may be at a time; "
                         "1 in flight"));
  EXPECT_FALSE(none.is_spent);
  Answer(*serving, offer);
  EXPECT_EQ(AskOf(*serving, WishOf("ben")).decision, 1);
}

TEST_F(TicketIssuerTest, APausedCampaignSaysByWhom) {
  Directive pause;
  pause.uuid = store::NextUuid();
  pause.author = "ana";
  pause.kind = DirectiveKind::kPause;
  const auto database = rig_.Connect();
  Must(store::AppendDirective(*database, rig_.Row().id, pause));
  ServingProcess serving(rig_);
  EXPECT_EQ(Must(serving->Ask(WishOf("ben"))).none_because, "paused by ana");
}

TEST_F(TicketIssuerTest, ANodeAskedForStandsBesideThePolicysOwn) {
  ServingProcess serving(rig_);
  Answer(*serving, AskOf(*serving, WishOf("ana")));
  AgentWish wish = WishOf("ana");
  wish.parent = NodeId{1};
  const TicketOffer offer = AskOf(*serving, wish);
  EXPECT_EQ(offer.parent, NodeId{1});
  EXPECT_EQ(offer.policy, "outside");
  EXPECT_THAT(offer.reason, StartsWith("asked for by ana; stark takes node "));
  wish.parent = NodeId{7};
  const auto missing = serving->Ask(wish);
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(missing.error().what, HasSubstr("there is no node 7"));
  Told none;
  none.none_reason = "no idea";
  Must(serving->Tell(offer.ticket.uuid, none, kHere));
  wish.parent = NodeId{2};
  const auto empty = serving->Ask(wish);
  ASSERT_FALSE(empty.has_value());
  EXPECT_THAT(empty.error().what, HasSubstr("node 2 has no candidate"));
}

TEST_F(TicketIssuerTest, WhatIsGivenUpIsTheFirstToBeAskedForAgain) {
  ServingProcess serving(rig_);
  const TicketOffer offer = AskOf(*serving, WishOf("ana"));
  AskOf(*serving, WishOf("ben"));
  Must(serving->GiveUp(offer.ticket.uuid, "no idea"));
  EXPECT_EQ(AskOf(*serving, WishOf("cy")).decision, offer.decision);
  EXPECT_THAT(Tickets(),
              ElementsAre("0|ana|given_up", "1|ben|open", "0|cy|open"));
}

TEST_F(TicketIssuerTest, WhatIsGivenUpAfterAClaimEndsWithoutACandidate) {
  ServingProcess serving(rig_);
  const TicketOffer offer = AskOf(*serving, WishOf("ana"));
  Told told = AnswerTo(offer);
  told.use.cost_usd = 0.5;
  Must(serving->Tell(offer.ticket.uuid, told, kHere));
  const Receipt receipt = Must(serving->GiveUp(offer.ticket.uuid, "no idea"));
  EXPECT_EQ(receipt.verdict, Verdict::kNoCandidate);
  EXPECT_EQ(receipt.node, NodeId{1});
}

TEST_F(TicketIssuerTest, ALeaseThatIsRenewedIsNobodyElses) {
  ServingProcess serving(rig_);
  AgentWish wish = WishOf("ana");
  wish.lease_s = kOver_s;
  const TicketOffer offer = AskOf(*serving, wish);
  Must(serving->Renew(offer.ticket.uuid, 600.0));
  EXPECT_EQ(AskOf(*serving, WishOf("ben")).decision, 1);
  EXPECT_EQ(Answer(*serving, offer).node, NodeId{1});
  const auto told = serving->Renew(offer.ticket.uuid, 600.0);
  ASSERT_FALSE(told.has_value());
  EXPECT_THAT(told.error().what, HasSubstr("is told"));
}

TEST_F(TicketIssuerTest, WhatWasToldToADeadProcessIsJudgedByTheNext) {
  TicketOffer offer;
  {
    ServingProcess serving(rig_);
    offer = AskOf(*serving, WishOf("ana"));
    const Receipt planned =
        Must(serving->Tell(offer.ticket.uuid, AnswerTo(offer), kHere));
    const Receipt coded =
        Must(serving->Tell(offer.ticket.uuid, AnswerTo(*planned.next),
                           TicketIssuer::Judging::kLater));
    EXPECT_EQ(coded.stage, Stage::kCoded);
    EXPECT_FALSE(coded.node.has_value());
    offer = *planned.next;
  }
  ServingProcess next(rig_);
  const Receipt again =
      Must(next->Tell(offer.ticket.uuid, AnswerTo(offer), kHere));
  EXPECT_EQ(again.node, NodeId{1});
}

TEST_F(TicketIssuerTest, AnyRunnerOfTheCampaignGoesOnWithWhatIsLeft) {
  {
    ServingProcess serving(rig_);
    AgentWish wish = WishOf("ana");
    wish.lease_s = kOver_s;
    AskOf(*serving, wish);
  }
  const auto database = rig_.Connect();
  const CampaignParts parts = rig_.PartsFor(*database);
  Silent silent;
  Must(Campaign(parts, rig_.Row(), rig_.OptionsFor(1)).Run(silent));
  const auto print = [](SimulatedRig& rig) {
    const auto connection = rig.Connect();
    return Must(store::Fingerprint(*connection, rig.Row().id));
  };
  EXPECT_EQ(print(rig_), print(built_in_));
}

TEST_F(TicketIssuerTest, ARunnerWhoseAgentsAreOutsideJudgesWhatTheyTell) {
  ServingProcess serving(rig_);
  const TicketOffer kept = AskOf(*serving, WishOf("ana"));
  for (std::int64_t i = 1; i < kBudget; ++i) {
    TicketOffer offer = AskOf(*serving, WishOf("ben"));
    Told none;
    none.none_reason = "no idea";
    Must(serving->Tell(offer.ticket.uuid, none, TicketIssuer::Judging::kLater));
  }
  Told none;
  none.none_reason = "no idea, either";
  Must(serving->Tell(kept.ticket.uuid, none, TicketIssuer::Judging::kLater));
  const auto database = rig_.Connect();
  const CampaignParts parts = rig_.PartsFor(*database);
  Campaign::Options options = rig_.OptionsFor(1);
  options.extent = Extent::kTold;
  Silent silent;
  EXPECT_EQ(Must(Campaign(parts, rig_.Row(), options).Run(silent)),
            Ending::kBudgetSpent);
  // The root and all that was told, some of it by who asked next.
  EXPECT_THAT(rig_.Rows("SELECT state, nodes FROM campaigns"),
              ElementsAre("finished|13"));
  EXPECT_GE(silent.commits, 1);
}

// Agents ask while somebody ends the campaign, which was given more.
TEST_F(TicketIssuerTest, WhoEndsACampaignLeavesWhatAgentsHold) {
  ServingProcess serving(rig_);
  const TicketOffer told = AskOf(*serving, WishOf("ben"));
  AgentWish wish = WishOf("ana");
  wish.lease_s = kOver_s;  // It may be taken over.
  AskOf(*serving, wish);
  Told none;
  none.none_reason = "no idea";
  Must(serving->Tell(told.ticket.uuid, none, TicketIssuer::Judging::kLater));
  const auto database = rig_.Connect();
  const CampaignParts parts = rig_.PartsFor(*database);
  Campaign::Options options = rig_.OptionsFor(1);
  options.extent = Extent::kToldYet;
  Silent silent;
  Must(Campaign(parts, rig_.Row(), options).Run(silent));
  EXPECT_THAT(rig_.Rows("SELECT stage FROM attempts ORDER BY decision"),
              ElementsAre("committed", "reserved"));
  EXPECT_THAT(rig_.Rows("SELECT state FROM campaigns"), ElementsAre("paused"));
}

// A process that found it without a root comes to it late: what agents hold of
// another one is not to be waited for, nor is anything to be decided.
TEST_F(TicketIssuerTest, WhoOnlyNeedsTheRootDoesNotWaitForAgents) {
  ServingProcess serving(rig_);
  const TicketOffer held = AskOf(*serving, WishOf("ana"));
  MeasureRoot(rig_);
  EXPECT_THAT(rig_.Rows("SELECT count(*) FROM nodes"), ElementsAre("1"));
  EXPECT_EQ(Answer(*serving, held).node, NodeId{1});
}

// A directive of a kind that takes effect at the next attempt.
Directive Said(DirectiveKind kind) {
  Directive said;
  said.uuid = store::NextUuid();
  said.author = "ana";
  said.kind = kind;
  return said;
}

TEST_F(TicketIssuerTest, AnExtraHearsOfAPauseThatItMayComeLater) {
  ServingProcess serving(rig_);
  AgentWish wish = WishOf("ana");
  wish.lease_s = kOver_s;
  const TicketOffer lost = AskOf(*serving, wish);
  AskOf(*serving, WishOf("ben"));
  const auto database = rig_.Connect();
  Must(store::AppendDirective(*database, rig_.Row().id,
                              Said(DirectiveKind::kPause)));
  Told told;
  told.source = *agents::ParseCodeAnswer(answers_.at({0, Role::kCode}));
  const Error error =
      Refused(serving->TellAsExtra(lost.ticket.uuid, told, kHere));
  EXPECT_EQ(error.code, Errc::kBusy);
  EXPECT_EQ(error.what, "paused by ana");
}

// The service does so: it takes the answer in at once, and a job judges it.
TEST_F(TicketIssuerTest, AnExtraWithAPlanIsToldAgainAsItWas) {
  ServingProcess serving(rig_);
  AgentWish wish = WishOf("ana");
  wish.lease_s = kOver_s;
  const TicketOffer lost = AskOf(*serving, wish);
  AskOf(*serving, WishOf("ben"));
  Told told;
  told.plan = answers_.at({0, Role::kPlan});
  told.source = *agents::ParseCodeAnswer(answers_.at({0, Role::kCode}));
  Must(serving->TellAsExtra(lost.ticket.uuid, told,
                            TicketIssuer::Judging::kLater));
  EXPECT_TRUE(Must(serving->HasOrphans()));
  EXPECT_EQ(Must(serving->TellAsExtra(lost.ticket.uuid, told, kHere)).node,
            NodeId{1});
  EXPECT_FALSE(Must(serving->HasOrphans()));
}

TEST_F(TicketIssuerTest, ALimitOnMoneyThatSomebodySetsHoldsForAgentsOutside) {
  ServingProcess serving(rig_);
  AskOf(*serving, WishOf("ana"));
  Directive limit = Said(DirectiveKind::kBudget);
  limit.aspect = kUsdAspect;
  limit.amount = 0.5;
  const auto database = rig_.Connect();
  Must(store::AppendDirective(*database, rig_.Row().id, limit));
  AgentWish wish = WishOf("ben");
  const auto undeclared = serving->Ask(wish);
  ASSERT_FALSE(undeclared.has_value());
  EXPECT_THAT(undeclared.error().what, HasSubstr("declare"));
  wish.max_cost_usd = 0.75;
  const auto passes = serving->Ask(wish);
  ASSERT_FALSE(passes.has_value());
  EXPECT_EQ(passes.error().code, Errc::kSpent);
  wish.max_cost_usd = 0.25;
  EXPECT_EQ(AskOf(*serving, wish).decision, 1);
}

class Breakable final : public eval::Evaluator {
 public:
  explicit Breakable(eval::Evaluator& inner) : inner_(inner) {}
  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override {
    ++calls;
    if (is_broken) return Fail(Errc::kUnavailable, "the device is gone");
    return inner_.Evaluate(task, candidate, tier);
  }
  bool is_broken = false;
  int calls = 0;

 private:
  eval::Evaluator& inner_;
};

// Judges until it is cut, the first time.
class Endless final : public eval::Evaluator {
 public:
  Endless(eval::Evaluator& inner, const Flag& cut) : inner_(inner), cut_(cut) {}
  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override {
    if (calls++ > 0) return inner_.Evaluate(task, candidate, tier);
    begun.request_stop();
    while (!cut_.up()) std::this_thread::yield();
    return Fail(Errc::kCancelled, "evaluation: cancelled");
  }
  std::stop_source begun;
  int calls = 0;

 private:
  eval::Evaluator& inner_;
  const Flag& cut_;
};

TEST_F(TicketIssuerTest, WhoWaitsNoLongerHasItsJudgingCutForWhoComesNext) {
  Flag cut;
  Endless judge(rig_.evaluator(), cut);
  ServingProcess serving(rig_, {}, 64, &judge, &cut);
  const TicketOffer plan = AskOf(*serving, WishOf("ana"));
  const TicketOffer code =
      *Must(serving->Tell(plan.ticket.uuid, AnswerTo(plan), kHere)).next;
  std::stop_source stop;
  const std::stop_callback once_begun(judge.begun.get_token(),
                                      [&] { stop.request_stop(); });
  const auto told =
      serving->Tell(code.ticket.uuid, AnswerTo(code), kHere, stop.get_token());
  EXPECT_EQ(Refused(told).code, Errc::kCancelled);
  EXPECT_FALSE(cut.up());
  EXPECT_TRUE(Must(serving->HasOrphans()));
  ASSERT_TRUE(serving->JudgeOrphans());
  EXPECT_EQ(judge.calls, 2);
  EXPECT_THAT(rig_.Rows("SELECT count(*) FROM nodes"), ElementsAre("2"));
}

// The device is another's, who does not end before he is cut.
TEST_F(TicketIssuerTest, WhoIsCancelledBeforeItsTurnLeavesItToWhoComesNext) {
  Flag cut;
  Endless judge(rig_.evaluator(), cut);
  ServingProcess serving(rig_, {}, 64, &judge, &cut);
  const TicketOffer first = AskOf(*serving, WishOf("ana"));
  const TicketOffer second = AskOf(*serving, WishOf("ben"));
  TicketOffer code;
  code.role = Role::kCode;
  Told all = AnswerTo(first);
  all.source = AnswerTo(code).source;
  std::thread ana(
      [&] { EXPECT_TRUE(serving->Tell(first.ticket.uuid, all, kHere)); });
  while (!judge.begun.stop_requested()) std::this_thread::yield();
  std::stop_source stop;
  stop.request_stop();
  const auto told =
      serving->Tell(second.ticket.uuid, all, kHere, stop.get_token());
  EXPECT_EQ(Refused(told).code, Errc::kCancelled);
  EXPECT_EQ(judge.calls, 1);
  cut.Raise();
  ana.join();
  cut.Lower();
  ASSERT_TRUE(serving->JudgeOrphans());
  EXPECT_THAT(rig_.Rows("SELECT count(*) FROM nodes"), ElementsAre("3"));
}

TEST_F(TicketIssuerTest, WhatCannotBeJudgedIsHeardByItsOwnTicketAndTriedAgain) {
  Breakable judge(rig_.evaluator());
  ServingProcess serving(rig_, {}, 64, &judge);
  const TicketOffer plan = AskOf(*serving, WishOf("ana"));
  const Receipt planned =
      Must(serving->Tell(plan.ticket.uuid, AnswerTo(plan), kHere));
  const Told source = AnswerTo(*planned.next);
  judge.is_broken = true;
  const Error error = Refused(serving->Tell(plan.ticket.uuid, source, kHere));
  EXPECT_EQ(error.code, Errc::kUnavailable);
  EXPECT_THAT(rig_.Rows("SELECT count(*) FROM attempt WHERE lease_owner = ''"),
              ElementsAre("1"));  // Another process may judge it.
  const int calls = judge.calls;
  AskOf(*serving, WishOf("ben"));  // Nothing of it is tried for others.
  EXPECT_EQ(judge.calls, calls);
  judge.is_broken = false;
  EXPECT_EQ(Must(serving->Tell(plan.ticket.uuid, source, kHere)).node,
            NodeId{1});
}

TEST_F(TicketIssuerTest, WhoIsCancelledIsNotWaitedFor) {
  ServingProcess serving(rig_);
  const TicketOffer plan = AskOf(*serving, WishOf("ana"));
  const Receipt planned =
      Must(serving->Tell(plan.ticket.uuid, AnswerTo(plan), kHere));
  const Told source = AnswerTo(*planned.next);
  Must(serving->Tell(plan.ticket.uuid, source, TicketIssuer::Judging::kLater));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(
      Refused(serving->Tell(plan.ticket.uuid, source, kHere, stop.get_token()))
          .code,
      Errc::kCancelled);
  EXPECT_EQ(Must(serving->Tell(plan.ticket.uuid, source, kHere)).node,
            NodeId{1});
}

// Each process looks at the ticket before either has taken it in, now and then.
TEST_F(TicketIssuerTest, TwoProcessesThatAreToldTheSameGiveTheSameReceipt) {
  ServingProcess one(rig_);
  ServingProcess two(rig_);
  for (std::int64_t i = 0; i < kBudget; ++i) {
    const TicketOffer offer = AskOf(*one, WishOf("ana"));
    Told none;
    none.none_reason = "no idea";
    std::optional<Receipt> other;
    {
      const std::jthread beside(
          [&] { other = Must(two->Tell(offer.ticket.uuid, none, kHere)); });
      EXPECT_EQ(Must(one->Tell(offer.ticket.uuid, none, kHere)).node,
                NodeId{i + 1});
    }
    EXPECT_EQ(other->node, NodeId{i + 1});
  }
}

TEST_F(TicketIssuerTest, AWrongWishIsRefusedWithAllReasons) {
  ServingProcess serving(rig_);
  AgentWish wish = WishOf("a name");
  wish.lease_s = 0.0;
  wish.count = 65;
  const auto asked = serving->Ask(wish);
  ASSERT_FALSE(asked.has_value());
  EXPECT_EQ(asked.error().code, Errc::kUsage);
  EXPECT_THAT(
      asked.error().what,
      AllOf(StartsWith("agent: "), HasSubstr("lease: "), HasSubstr("count: ")));
}

}  // namespace
}  // namespace coppice::engine
