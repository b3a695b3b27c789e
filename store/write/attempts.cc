#include "store/write/attempts.h"

#include <optional>
#include <utility>

#include "store/connection.h"
#include "store/named.h"
#include "store/read_rows.h"
#include "store/write/directives.h"
#include "store/write/epoch_check.h"
#include "store/write/events.h"
#include "store/write/model_picks.h"
#include "store/write/numbering.h"
#include "store/write/plans.h"
#include "store/write/reopening.h"

namespace coppice::store {
namespace {

// It is coded by that.
Result<void> StoreCandidate(Connection& connection, AttemptId attempt,
                            const Candidate& candidate) {
  TRY(source,
      connection.blobs().Put(candidate.source, std::nullopt, Future::kBase));
  connection.Run(
      "UPDATE attempt SET stage = ?2, source_blob = ?3, language = ?4,"
      " entry_symbol = ?5 WHERE attempt_id = ?1",
      attempt, Stage::kCoded, source.id, candidate.language,
      candidate.entry_symbol);
  return {};
}

AttemptRecord ReadRow(const Statement& row) {
  AttemptRecord attempt;
  attempt.id = row.As<AttemptId>(0);
  attempt.reservation.uuid = row.Uuid(1);
  attempt.reservation.decision = row.Int(2);
  attempt.reservation.parent = row.As<NodeId>(3);
  attempt.reservation.policy = row.Text(4);
  attempt.reservation.reason = row.Text(5);
  attempt.stage = row.As<Stage>(6);
  attempt.reservation.lease_owner = row.Text(7);
  attempt.reservation.lease_until_s = row.Real(8);
  attempt.reservation.reserved_at_s = row.Real(9);
  attempt.footprint = {row.As<int>(10), row.As<int>(11)};
  attempt.no_candidate_reason = row.Text(12);
  attempt.reservation.nodes_seen = row.Int(17);
  attempt.reservation.further_seen = row.Int(18);
  attempt.epoch = row.Int(19);
  attempt.reservation.attempts_left = row.OptionalInt(20);
  attempt.reservation.mate = row.OptionalAs<NodeId>(21);
  if (!row.IsNull(22)) {
    attempt.reservation.directive = row.As<DirectiveId>(22);
    attempt.reservation.is_inserted = row.Int(23) != 0;
  }
  return attempt;
}

Result<void> LoadProducts(Connection& connection, const Statement& row,
                          AttemptRecord& attempt) {
  if (!row.IsNull(13)) {
    TRY_ASSIGN(attempt.plan, LoadPlan(connection, row.As<PlanId>(13)));
  }
  if (!row.IsNull(14)) {
    TRY(source, connection.blobs().Text(row.As<BlobId>(14)));
    attempt.candidate =
        Candidate{row.As<Language>(15), std::move(source), row.Text(16)};
  }
  return {};
}

}  // namespace

Result<AttemptId> Attempts::Reserve(CampaignId campaign,
                                    const Reservation& reservation,
                                    const std::vector<TakenUp>& taken,
                                    const std::optional<Candidate>& inserted) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<AttemptId> {
    TRY(counts, CountsOf(connection, campaign));
    const std::int64_t decision = reservation.decision;
    TRY_DONE(CheckNext(connection, NamedDecision(decision), decision,
                       counts.attempts));
    TRY_DONE(TakeUp(connection, campaign, decision, taken));
    if (!HasNode(connection, campaign, reservation.parent)) {
      return connection.FailHere(Errc::kUsage,
                                 "parent node " +
                                     std::to_string(Index(reservation.parent)) +
                                     " does not exist");
    }
    connection.Run(
        "INSERT INTO attempt (uuid, campaign_id, decision, parent_number,"
        " policy, reason, lease_owner, lease_until_s, reserved_at_s,"
        " nodes_seen, further_seen, attempts_left, directive_id)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        reservation.uuid, campaign, decision, reservation.parent,
        reservation.policy, reservation.reason, reservation.lease_owner,
        reservation.lease_until_s, reservation.reserved_at_s,
        reservation.nodes_seen, reservation.further_seen,
        reservation.attempts_left, reservation.directive);
    const auto id = static_cast<AttemptId>(connection.LastRowId());
    if (reservation.mate) {
      connection.Run("INSERT INTO attempt_parent VALUES (?, 1, ?, ?)", id,
                     campaign, *reservation.mate);
    }
    InsertPicks(connection, id, reservation.picks);
    if (inserted) TRY_DONE(StoreCandidate(connection, id, *inserted));
    connection.Run(
        "UPDATE campaign SET attempts = attempts + 1"
        " WHERE campaign_id = ?",
        campaign);
    Reopen(connection, campaign, reservation.reserved_at_s);
    return id;
  });
}

Result<void> Attempts::GiveCandidate(const Holding& holding,
                                     const Candidate& candidate) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    TRY(held, FindHeld(connection, holding));
    if (held.stage != Stage::kReserved) {
      return connection.FailHere(
          Errc::kUsage, Named(holding.attempt) + " is past its reservation");
    }
    return StoreCandidate(connection, holding.attempt, candidate);
  });
}

Result<std::vector<AttemptRecord>> Attempts::Unfinished(CampaignId campaign) {
  Connection& connection = database_.connection();
  return connection.Read([&]() -> Result<std::vector<AttemptRecord>> {
    std::vector<AttemptRecord> attempts;
    TRY(leases, Leases(campaign));
    for (const Lease& lease : leases) {
      TRY(attempt, Load(lease.attempt));
      attempts.push_back(std::move(attempt));
    }
    return attempts;
  });
}

Result<std::vector<Lease>> Attempts::Leases(CampaignId campaign) {
  return ReadRows(
      database_,
      "SELECT attempt_id, decision, lease_owner, lease_until_s, stage"
      " FROM attempt WHERE campaign_id = ? AND stage < 3 ORDER BY decision",
      [](const Statement& read) {
        return Lease{read.As<AttemptId>(0), read.Int(1), read.Text(2),
                     read.Real(3), read.As<Stage>(4)};
      },
      campaign);
}

Result<std::int64_t> Attempts::FurtherSeen(CampaignId campaign,
                                           std::int64_t nodes) {
  return ReadNumber(database_,
                    "SELECT further_seen FROM attempt WHERE campaign_id = ?"
                    " AND nodes_seen <= ? ORDER BY decision DESC LIMIT 1",
                    campaign, nodes);
}

Result<AttemptRecord> Attempts::Load(AttemptId attempt) {
  Connection& connection = database_.connection();
  return connection.Read([&]() -> Result<AttemptRecord> {
    Statement read = connection.Prepare(
        "SELECT attempt_id, uuid, decision, parent_number, policy, reason,"
        " stage, lease_owner, lease_until_s, reserved_at_s, changed_inside,"
        " changed_outside, no_candidate_reason, plan_id, source_blob, language,"
        " entry_symbol, nodes_seen, further_seen, epoch, attempts_left,"
        " (SELECT p.parent_number FROM attempt_parent p"
        "  WHERE p.attempt_id = attempt.attempt_id AND p.position = 1),"
        " directive_id, (SELECT d.kind = 'insert' FROM directive d"
        "  WHERE d.directive_id = attempt.directive_id)"
        " FROM attempt WHERE attempt_id = ?");
    if (!read.Bind(attempt).Step()) return connection.Missing(Named(attempt));
    AttemptRecord record = ReadRow(read);
    record.reservation.picks = PicksOf(connection, attempt);
    TRY_DONE(LoadProducts(connection, read, record));
    return record;
  });
}

Result<AttemptRecord> Attempts::Adopt(AttemptId attempt,
                                      const std::string& owner, double now_s,
                                      double lease_until_s,
                                      const std::string& dead) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<AttemptRecord> {
    CampaignId campaign{};
    std::int64_t decision = 0;
    {
      Statement read = connection.Prepare(
          "SELECT campaign_id, decision, stage, lease_owner, lease_until_s"
          " FROM attempt WHERE attempt_id = ?");
      const std::string name = Named(attempt);
      if (!read.Bind(attempt).Step()) return connection.Missing(name);
      if (read.As<Stage>(2) == Stage::kCommitted) {
        return connection.FailHere(Errc::kBusy, name + " is finished");
      }
      const std::string holder = read.Text(3);
      if (holder != owner && holder != dead && read.Real(4) > now_s) {
        return connection.FailHere(
            Errc::kBusy, name + " is held by " + holder + " for another " +
                             std::to_string(read.Real(4) - now_s) + " s");
      }
      campaign = read.As<CampaignId>(0);
      decision = read.Int(1);
    }
    TakeAway(connection, attempt, now_s);
    connection.Run(
        "UPDATE attempt SET lease_owner = ?2, lease_until_s = ?3"
        " WHERE attempt_id = ?1",
        attempt, owner, lease_until_s);
    RecordEvent(connection, campaign, now_s, "adopted", decision, owner);
    return Load(attempt);
  });
}

Result<void> Attempts::RenewLeases(CampaignId campaign,
                                   const std::string& owner,
                                   double lease_until_s) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    connection.Run(
        "UPDATE attempt SET lease_until_s = ?3 WHERE campaign_id = ?1"
        " AND lease_owner = ?2 AND stage < 3",
        campaign, owner, lease_until_s);
    return {};
  });
}

Result<void> Attempts::HandOver(const Holding& holding,
                                const std::string& owner,
                                double lease_until_s) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    TRY_DONE(FindHeld(connection, holding));
    connection.Run(
        "UPDATE attempt SET lease_owner = ?2, lease_until_s = ?3"
        " WHERE attempt_id = ?1 AND stage < 3",
        holding.attempt, owner, lease_until_s);
    return {};
  });
}

Result<void> Attempts::Release(const Holding& holding, double now_s) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    TRY_DONE(FindHeld(connection, holding));
    TakeAway(connection, holding.attempt, now_s);
    connection.Run(
        "UPDATE attempt SET lease_owner = '', lease_until_s = ?2"
        " WHERE attempt_id = ?1 AND stage < 3",
        holding.attempt, now_s);
    return {};
  });
}

}  // namespace coppice::store
