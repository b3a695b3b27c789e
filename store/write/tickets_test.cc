#include "store/write/tickets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/scratch.h"
#include "store/write/shared_transaction.h"

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

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
  AttemptId attempt_ =
      Must(Attempts(database_).Reserve(campaign_, ReservationOf(0, kRootNode)));
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

TEST(RolesTest, AreNamedByWhatTheyHold) {
  EXPECT_EQ(NameOf(Roles::All()), "plan+code+debug");
  EXPECT_EQ(RolesNamed("debug,plan"), RolesNamed("plan+debug"));
  EXPECT_FALSE(RolesNamed("plan+judge").has_value());
  EXPECT_FALSE(RolesNamed("").has_value());
}

}  // namespace
}  // namespace coppice::store
