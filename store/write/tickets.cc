#include "store/write/tickets.h"

#include <utility>

#include "store/connection.h"
#include "store/named.h"
#include "store/read_rows.h"
#include "store/records/attempt.h"
#include "store/records/ticket.h"

namespace coppice::store {
namespace {

constexpr std::string_view kColumns =
    "SELECT t.ticket_id, t.uuid, t.campaign_id, t.attempt_id, t.epoch, t.agent,"
    " t.request, t.place, t.roles, t.asked_at_s, t.deadline_s, t.max_cost_usd,"
    " t.state, t.epoch <> a.epoch, t.plan_sha256, t.told_sha256, t.late_for"
    " FROM ticket t JOIN attempt a USING (attempt_id)";

TicketState StateAt(const Statement& row) {
  const std::string state = row.Text(12);
  if (state == Name(TicketState::kTold)) return TicketState::kTold;
  if (state == Name(TicketState::kGivenUp)) return TicketState::kGivenUp;
  return row.Int(13) != 0 ? TicketState::kLost : TicketState::kOpen;
}

Ticket RowAt(const Statement& row) {
  Ticket ticket;
  ticket.id = row.As<TicketId>(0);
  ticket.uuid = row.Uuid(1);
  ticket.campaign = row.As<CampaignId>(2);
  ticket.attempt = row.As<AttemptId>(3);
  ticket.epoch = row.Int(4);
  ticket.agent = row.Text(5);
  ticket.request = row.OptionalText(6);
  ticket.place = row.Int(7);
  ticket.roles = Roles(row.Int(8));
  ticket.asked_at_s = row.Real(9);
  ticket.deadline_s = row.Real(10);
  ticket.max_cost_usd = row.OptionalReal(11);
  ticket.state = StateAt(row);
  ticket.plan_sha256 = std::string(row.View(14));
  ticket.told_sha256 = std::string(row.View(15));
  ticket.late_for = row.OptionalAs<TicketId>(16);
  return ticket;
}

}  // namespace

Result<TicketId> Tickets::Issue(const Ticket& ticket) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<TicketId> {
    if (ticket.request) {
      Statement read = connection.Prepare(
          "SELECT 1 FROM ticket WHERE campaign_id = ? AND agent = ?"
          " AND request = ? AND place = ?");
      if (read.Bind(ticket.campaign, ticket.agent, ticket.request, ticket.place)
              .Step()) {
        return connection.FailHere(
            Errc::kBusy, "request " + *ticket.request + " has a ticket");
      }
    }
    connection.Run(
        "INSERT INTO ticket (uuid, campaign_id, attempt_id, epoch, agent,"
        " request, place, roles, asked_at_s, deadline_s, max_cost_usd,"
        " late_for) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ticket.uuid, ticket.campaign, ticket.attempt, ticket.epoch,
        ticket.agent, ticket.request, ticket.place, ticket.roles.bits(),
        ticket.asked_at_s, ticket.deadline_s, ticket.max_cost_usd,
        ticket.late_for);
    return static_cast<TicketId>(connection.LastRowId());
  });
}

Result<Ticket> Tickets::Find(const Uuid& uuid) {
  static const std::string sql = std::string(kColumns) + " WHERE t.uuid = ?";
  TRY(found, ReadOne(database_, sql, RowAt, uuid));
  if (found) return *std::move(found);
  return database_.connection().FailHere(Errc::kNotFound,
                                         "no ticket " + ToString(uuid));
}

Result<std::vector<Ticket>> Tickets::OfRequest(CampaignId campaign,
                                               std::string_view agent,
                                               std::string_view request) {
  static const std::string sql =
      std::string(kColumns) +
      " WHERE t.campaign_id = ? AND t.agent = ? AND t.request = ?"
      " ORDER BY t.place";
  return ReadRows(database_, sql, RowAt, campaign, agent, request);
}

Result<std::optional<Ticket>> Tickets::ExtraOf(TicketId lost) {
  static const std::string sql =
      std::string(kColumns) + " WHERE t.late_for = ?";
  return ReadOne(database_, sql, RowAt, lost);
}

Result<void> Tickets::Extend(const Ticket& ticket, double deadline_s) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    connection.Run(
        "UPDATE attempt SET lease_until_s = ?3 WHERE attempt_id = ?1"
        " AND epoch = ?2 AND stage < ?4",
        ticket.attempt, ticket.epoch, deadline_s, Stage::kCommitted);
    if (connection.Changes() == 0) {
      return connection.FailHere(
          Errc::kLost,
          "the attempt of " + Named(ticket.id) + " was taken over by another");
    }
    connection.Run("UPDATE ticket SET deadline_s = ?2 WHERE ticket_id = ?1",
                   ticket.id, deadline_s);
    return {};
  });
}

Result<void> Tickets::Note(TicketId ticket, std::string_view sql,
                           std::string_view sha256, double now_s) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    connection.Run(sql, ticket, Bytes(sha256), now_s);
    if (connection.Changes() == 1) return {};
    return connection.FailHere(Errc::kUsage, Named(ticket) + " is not open");
  });
}

Result<void> Tickets::NotePlan(TicketId ticket, std::string_view sha256) {
  return Note(ticket,
              "UPDATE ticket SET plan_sha256 = ?2 WHERE ticket_id = ?1"
              " AND state = 'open' AND plan_sha256 IS NULL AND ?3 = 0",
              sha256, 0.0);
}

Result<void> Tickets::NoteTold(TicketId ticket, std::string_view sha256,
                               double now_s) {
  return Note(ticket,
              "UPDATE ticket SET state = 'told', told_sha256 = ?2,"
              " told_at_s = ?3 WHERE ticket_id = ?1 AND state = 'open'",
              sha256, now_s);
}

Result<void> Tickets::NoteGivenUp(TicketId ticket, double now_s) {
  return Note(ticket,
              "UPDATE ticket SET state = 'given_up', told_at_s = ?3"
              " WHERE ticket_id = ?1 AND state = 'open' AND length(?2) = 0",
              "", now_s);
}

Result<bool> Tickets::HasClaimed(const Ticket& ticket) {
  TRY(claimed,
      ReadNumber(database_,
                 "SELECT EXISTS (SELECT 1 FROM model_call m JOIN wire_call w"
                 " USING (call_id) WHERE m.attempt_id = ? AND m.epoch = ?"
                 " AND w.outcome = ? AND (w.cost_usd > 0"
                 "  OR w.input_tokens > 0 OR w.output_tokens > 0))",
                 ticket.attempt, ticket.epoch, CallOutcome::kAnswered));
  return claimed != 0;
}

Result<bool> Tickets::IsChargedLate(const Ticket& lost) {
  TRY(outcome,
      ReadValue<CallOutcome>(
          database_,
          "SELECT w.outcome FROM model_call m JOIN wire_call w USING (call_id)"
          " WHERE m.attempt_id = ? AND m.epoch = ?"
          " ORDER BY m.call_id DESC LIMIT 1",
          lost.attempt, lost.epoch));
  return outcome == CallOutcome::kAnswered;
}

Result<Tickets::OpenCall> Tickets::FindCall(const Ticket& ticket) {
  Connection& connection = database_.connection();
  return connection.Read([&]() -> Result<OpenCall> {
    OpenCall open;
    Statement read = connection.Prepare(
        "SELECT m.call_id, w.wire_call_id, m.role, m.sent_at_s,"
        " m.system_prompt_blob, m.user_prompt_blob FROM model_call m"
        " JOIN wire_call w USING (call_id) WHERE m.attempt_id = ?"
        " AND m.epoch = ? ORDER BY m.call_id DESC LIMIT 1",
        ticket.attempt, ticket.epoch);
    if (!read.Step()) {
      return connection.FailHere(Errc::kNotFound,
                                 Named(ticket.id) + " has no call");
    }
    open.call = read.As<CallId>(0);
    open.wire = read.As<WireCallId>(1);
    open.role = read.As<Role>(2);
    open.sent_at_s = read.Real(3);
    Blobs& blobs = connection.blobs();
    TRY_ASSIGN(open.system_prompt, blobs.Text(read.As<BlobId>(4)));
    TRY_ASSIGN(open.user_prompt, blobs.Text(read.As<BlobId>(5)));
    return open;
  });
}

Result<std::vector<Tickets::Shown>> Tickets::ShownIn(CallId call) {
  return ReadRows(
      database_,
      "SELECT w.node_number, k.name FROM window_entry w"
      " JOIN kinship k USING (kinship) WHERE w.call_id = ?"
      " ORDER BY w.position",
      [](const Statement& read) {
        return Shown{read.As<NodeId>(0), read.Text(1)};
      },
      call);
}

Result<Tickets::InFlight> Tickets::CountInFlight(CampaignId campaign) {
  Connection& connection = database_.connection();
  return connection.Read([&]() -> Result<InFlight> {
    // The number is that of attempt_unfinished: a bound one finds no index.
    Statement read = connection.Prepare(
        "SELECT count(*), min(lease_until_s) FROM attempt"
        " WHERE campaign_id = ? AND stage < 3",
        campaign);
    read.Step();
    return InFlight{read.Int(0), read.OptionalReal(1)};
  });
}

Result<std::optional<NodeId>> Tickets::NodeOf(AttemptId attempt) {
  return ReadValue<NodeId>(
      database_, "SELECT number FROM node WHERE attempt_id = ?", attempt);
}

}  // namespace coppice::store
