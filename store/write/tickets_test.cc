#include "store/write/tickets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/scratch.h"
#include "store/write/shared_transaction.h"
#include "store/write/wire_calls.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TicketsTest : public testing::Test {
 protected:
  Ticket IssueTo(const std::string& agent, AttemptId attempt,
                 std::int64_t epoch = 0) {
    Ticket ticket;
    ticket.uuid = NextUuid();
    ticket.campaign = campaign_;
    ticket.attempt = attempt;
    ticket.epoch = epoch;
    ticket.agent = agent;
    ticket.roles = *RolesNamed("plan,code");
    ticket.deadline_s = 10.0;
    ticket.id = Must(Tickets(database_).Issue(ticket));
    return ticket;
  }

  AttemptId Reserve(std::int64_t decision) {
    return Must(Attempts(database_).Reserve(
        campaign_, ReservationOf(decision, kRootNode)));
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
  AttemptId attempt_ = Reserve(0);
  Tickets tickets_{database_};
};

TEST_F(TicketsTest, AnAttemptHasOneTicketInEachEpoch) {
  IssueTo("ana", attempt_);
  Ticket second;
  second.uuid = NextUuid();
  second.campaign = campaign_;
  second.attempt = attempt_;
  second.agent = "ben";
  second.roles = Roles::All();
  EXPECT_FALSE(Tickets(database_).Issue(second).has_value());
  second.epoch = 1;
  EXPECT_TRUE(Tickets(database_).Issue(second).has_value());
}

TEST_F(TicketsTest, WhoseAttemptIsTakenOverHasLostIt) {
  const Ticket ticket = IssueTo("ana", attempt_);
  Must(Attempts(database_).Release(ticket.AsHeld(), 5.0));
  EXPECT_EQ(Must(Tickets(database_).Find(ticket.uuid)).state,
            TicketState::kLost);
  const auto extended = Tickets(database_).Extend(ticket, 20.0);
  ASSERT_FALSE(extended.has_value());
  EXPECT_EQ(extended.error().code, Errc::kLost);
  const auto handed = Attempts(database_).HandOver(ticket.AsHeld(), "p", 20.0);
  ASSERT_FALSE(handed.has_value());
  EXPECT_EQ(handed.error().code, Errc::kLost);
  EXPECT_THAT(Rows(database_, "SELECT state, roles FROM tickets"),
              ElementsAre("lost|plan+code"));
}

TEST_F(TicketsTest, APartThatFailsUndoesTheWholeTransaction) {
  const auto done = InSharedTransaction(database_, [&]() -> Result<void> {
    IssueTo("ana", attempt_);
    // Whoever goes on in spite of it keeps nothing, either.
    (void)Tickets(database_).NoteGivenUp(TicketId{99}, 5.0);
    return {};
  });
  EXPECT_FALSE(done.has_value());
  EXPECT_THAT(Rows(database_, "SELECT agent FROM tickets"), IsEmpty());
  Must(InSharedTransaction(database_, [&]() -> Result<void> {
    IssueTo("ben", attempt_);
    return {};
  }));
  EXPECT_THAT(Rows(database_, "SELECT agent FROM tickets"), ElementsAre("ben"));
}

TEST_F(TicketsTest, OneIsReadAsItWasIssued) {
  Ticket ticket;
  ticket.uuid = NextUuid();
  ticket.campaign = campaign_;
  ticket.attempt = attempt_;
  ticket.agent = "ana";
  ticket.request = "r1";
  ticket.place = 2;
  ticket.roles = *RolesNamed("plan,code");
  ticket.asked_at_s = 5.0;
  ticket.deadline_s = 10.0;
  ticket.max_cost_usd = 0.5;
  ticket.id = Must(tickets_.Issue(ticket));
  const Ticket read = Must(tickets_.Find(ticket.uuid));
  EXPECT_EQ(read.id, ticket.id);
  EXPECT_EQ(read.attempt, attempt_);
  EXPECT_EQ(read.agent, "ana");
  EXPECT_EQ(read.request, "r1");
  EXPECT_EQ(read.place, 2);
  EXPECT_EQ(read.roles, ticket.roles);
  EXPECT_EQ(read.asked_at_s, 5.0);
  EXPECT_EQ(read.deadline_s, 10.0);
  EXPECT_EQ(read.max_cost_usd, 0.5);
  EXPECT_EQ(read.state, TicketState::kOpen);
  EXPECT_EQ(read.late_for, std::nullopt);
  EXPECT_EQ(tickets_.Find(NextUuid()).error().code, Errc::kNotFound);
}

// Requests are an agent's own names: ben's "r" is another one.
TEST_F(TicketsTest, ThoseOfARequestComeByPlace) {
  const auto issue = [this](const std::string& agent, std::int64_t decision,
                            std::int64_t place) {
    Ticket ticket;
    ticket.uuid = NextUuid();
    ticket.campaign = campaign_;
    ticket.attempt = Reserve(decision);
    ticket.agent = agent;
    ticket.request = "r";
    ticket.place = place;
    ticket.roles = Roles::All();
    return tickets_.Issue(ticket);
  };
  Must(issue("ana", 1, 1));
  Must(issue("ana", 2, 0));
  Must(issue("ben", 3, 0));
  EXPECT_EQ(issue("ana", 4, 1).error().code, Errc::kBusy);
  const auto ours = Must(tickets_.OfRequest(campaign_, "ana", "r"));
  ASSERT_EQ(ours.size(), 2u);
  EXPECT_EQ(ours[0].place, 0);
  EXPECT_EQ(ours[1].place, 1);
  EXPECT_TRUE(Must(tickets_.OfRequest(campaign_, "ana", "s")).empty());
  EXPECT_TRUE(Must(tickets_.OfRequest(CampaignId{9}, "ana", "r")).empty());
}

TEST_F(TicketsTest, AnExtraIsFoundByTheTicketThatWasLost) {
  const Ticket lost = IssueTo("ana", attempt_);
  EXPECT_FALSE(Must(tickets_.ExtraOf(lost.id)).has_value());
  Ticket extra = lost;
  extra.uuid = NextUuid();
  extra.attempt = Reserve(1);
  extra.late_for = lost.id;
  extra.id = Must(tickets_.Issue(extra));
  EXPECT_EQ(Must(tickets_.ExtraOf(lost.id))->id, extra.id);
  EXPECT_FALSE(Must(tickets_.ExtraOf(extra.id)).has_value());
}

TEST_F(TicketsTest, ALeaseIsExtendedWithItsTicket) {
  const Ticket ticket = IssueTo("ana", attempt_);
  Reserve(1);
  Must(tickets_.Extend(ticket, 30.0));
  EXPECT_EQ(Must(tickets_.Find(ticket.uuid)).deadline_s, 30.0);
  EXPECT_THAT(Rows(database_, "SELECT lease_until_s FROM attempt"),
              ElementsAre("30", "2000"));
}

// SHA-256 has 32 bytes.
TEST_F(TicketsTest, WhatIsToldIsToldOnce) {
  const Ticket ticket = IssueTo("ana", attempt_);
  const Ticket other = IssueTo("ben", Reserve(1));
  const std::string plan(32, 'p');
  const std::string told(32, 't');
  Must(tickets_.NotePlan(ticket.id, plan));
  EXPECT_EQ(tickets_.NotePlan(ticket.id, plan).error().code, Errc::kUsage);
  Must(tickets_.NoteTold(ticket.id, told, 7.0));
  const Ticket read = Must(tickets_.Find(ticket.uuid));
  EXPECT_EQ(read.state, TicketState::kTold);
  EXPECT_EQ(read.plan_sha256, plan);
  EXPECT_EQ(read.told_sha256, told);
  EXPECT_EQ(tickets_.NoteTold(ticket.id, told, 8.0).error().code, Errc::kUsage);
  EXPECT_EQ(tickets_.NotePlan(ticket.id, plan).error().code, Errc::kUsage);
  EXPECT_EQ(tickets_.NoteGivenUp(ticket.id, 8.0).error().code, Errc::kUsage);
  EXPECT_EQ(Must(tickets_.Find(other.uuid)).state, TicketState::kOpen);
  Must(tickets_.NoteGivenUp(other.id, 9.0));
  EXPECT_EQ(Must(tickets_.Find(other.uuid)).state, TicketState::kGivenUp);
  EXPECT_THAT(Rows(database_, "SELECT told_at_s FROM tickets"),
              ElementsAre("7", "9"));
}

// What was spent is what a request that was answered says.
TEST_F(TicketsTest, AClaimIsAnAnsweredRequestThatUsedSomething) {
  const Ticket ticket = IssueTo("ana", attempt_);
  EXPECT_FALSE(Must(tickets_.HasClaimed(ticket)));
  EXPECT_EQ(tickets_.FindCall(ticket).error().code, Errc::kNotFound);
  Calls calls(database_);
  WireCalls wire(database_);
  WireIntent intent;
  intent.request = "{}";
  const CallId call =
      Must(calls.Begin(ticket.AsHeld(), IntentOf(Role::kPlan),
                       {{{kRootNode, Kinship::kSelected}}, {}}));
  const WireCallId sent = Must(wire.Begin(call, intent, {}));
  EXPECT_FALSE(Must(tickets_.HasClaimed(ticket)));
  const Tickets::OpenCall open = Must(tickets_.FindCall(ticket));
  EXPECT_EQ(open.call, call);
  EXPECT_EQ(open.wire, sent);
  EXPECT_EQ(open.role, Role::kPlan);
  EXPECT_EQ(open.sent_at_s, 1000.0);
  EXPECT_EQ(open.system_prompt, "You are an agent: plan");
  EXPECT_EQ(open.user_prompt, "Do what an agent does.");
  const auto shown = Must(tickets_.ShownIn(call));
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].node, kRootNode);
  EXPECT_EQ(shown[0].kinship, "selected");

  CallEnd end = AnswerOf("p");
  end.wire = EndedWireCall{.call = sent, .end = {}};
  end.wire->end.answer = "p";
  Must(calls.EndWithPlan(call, end, {"a", "t", "s", 1, true}));
  EXPECT_FALSE(Must(tickets_.HasClaimed(ticket)));  // Nothing was used.
  const CallId code =
      Must(calls.Begin(ticket.AsHeld(), IntentOf(Role::kCode), {}));
  end.wire =
      EndedWireCall{.call = Must(wire.Begin(code, intent, {})), .end = {}};
  end.wire->end.answer = "c";
  end.wire->end.usage.output_tokens = 1;
  EXPECT_EQ(Must(tickets_.FindCall(ticket)).role, Role::kCode);
  Must(calls.EndWithoutCandidate(code, end, "none"));
  EXPECT_TRUE(Must(tickets_.HasClaimed(ticket)));
  Ticket before = ticket;
  before.epoch = 7;
  EXPECT_FALSE(Must(tickets_.HasClaimed(before)));
}

TEST_F(TicketsTest, AttemptsInFlightAreCountedWithTheFirstDeadline) {
  const CampaignId other = Plant(database_, "b");
  EXPECT_EQ(Must(tickets_.CountInFlight(other)).attempts, 0);
  EXPECT_EQ(Must(tickets_.CountInFlight(other)).first_deadline_s, std::nullopt);
  EXPECT_EQ(Must(tickets_.NodeOf(attempt_)), std::nullopt);
  Reserve(1);
  Must(tickets_.Extend(IssueTo("ana", attempt_), 1500.0));
  const Tickets::InFlight flying = Must(tickets_.CountInFlight(campaign_));
  EXPECT_EQ(flying.attempts, 2);
  EXPECT_EQ(flying.first_deadline_s, 1500.0);
  Grow(database_, other, kRootNode);
  EXPECT_EQ(Must(tickets_.CountInFlight(other)).attempts, 0);
  EXPECT_EQ(Must(tickets_.NodeOf(AttemptId{3})), NodeId{1});
}

TEST(RolesTest, AreNamedByWhatTheyHold) {
  EXPECT_EQ(NameOf(Roles::All()), "plan+code+debug");
  EXPECT_EQ(RolesNamed("debug,plan"), RolesNamed("plan+debug"));
  EXPECT_FALSE(RolesNamed("plan+judge").has_value());
  EXPECT_FALSE(RolesNamed("").has_value());
}

}  // namespace
}  // namespace coppice::store
