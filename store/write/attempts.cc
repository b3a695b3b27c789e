#include "store/write/attempts.h"

#include <optional>
#include <utility>

#include "store/connection.h"
#include "store/read_rows.h"
#include "store/write/directives.h"
#include "store/write/epoch_check.h"
#include "store/write/events.h"
#include "store/write/model_picks.h"
#include "store/write/plans.h"

namespace coppice::store {
namespace {

// Decisions are dense: the next one is the number of attempts.
Result<void> CheckDecision(Connection& connection, CampaignId campaign,
                           std::int64_t decision) {
  Statement read =
      connection.Prepare("SELECT attempts FROM campaign WHERE campaign_id = ?");
  if (!read.Bind(campaign).Step()) {
    return connection.NoSuchCampaign(campaign);
  }
  const std::int64_t next = read.Int(0);
  if (decision == next) return {};
  const std::string what = "decision " + std::to_string(decision);
  if (decision < next) {
    return connection.FailHere(Errc::kBusy, what +
                                                " is taken: another process "
                                                "works on this campaign");
  }
  return connection.FailHere(
      Errc::kUsage, what + " is not the next, " + std::to_string(next));
}

// It is coded by that.
Result<void> StoreCandidate(Connection& connection, AttemptId attempt,
                            const Candidate& candidate) {
  TRY(source,
      connection.blobs().Put(candidate.source, std::nullopt, Future::kBase));
  connection
      .Prepare(
          "UPDATE attempt SET stage = ?2, source_blob = ?3, language = ?4,"
          " entry_symbol = ?5 WHERE attempt_id = ?1")
      .Bind(attempt, Stage::kCoded, source.id, candidate.language,
            candidate.entry_symbol)
      .Run();
  return {};
}

Result<void> CheckHeldNow(Connection& connection, const Holding& holding) {
  Statement read =
      connection.Prepare("SELECT epoch FROM attempt WHERE attempt_id = ?");
  if (!read.Bind(holding.attempt).Step()) {
    return connection.FailHere(
        Errc::kNotFound,
        "attempt " + std::to_string(Index(holding.attempt)) + " is missing");
  }
  return CheckHeld(connection, holding, read.Int(0));
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
  attempt.footprint.changed_inside = static_cast<int>(row.Int(10));
  attempt.footprint.changed_outside = static_cast<int>(row.Int(11));
  attempt.no_candidate_reason = row.Text(12);
  attempt.reservation.nodes_seen = row.Int(17);
  attempt.reservation.further_seen = row.Int(18);
  attempt.epoch = row.Int(19);
  attempt.reservation.attempts_left = row.OptionalInt(20);
  if (!row.IsNull(21)) attempt.reservation.mate = row.As<NodeId>(21);
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
    TRY_DONE(CheckDecision(connection, campaign, reservation.decision));
    TRY_DONE(TakeUp(connection, campaign, reservation.decision, taken));
    {
      Statement parent = connection.Prepare(
          "SELECT 1 FROM node WHERE campaign_id = ? AND number = ?");
      if (!parent.Bind(campaign, reservation.parent).Step()) {
        return connection.FailHere(
            Errc::kUsage, "parent node " +
                              std::to_string(Index(reservation.parent)) +
                              " does not exist");
      }
    }
    connection
        .Prepare(
            "INSERT INTO attempt (uuid, campaign_id, decision, parent_number,"
            " policy, reason, lease_owner, lease_until_s, reserved_at_s,"
            " nodes_seen, further_seen, attempts_left, directive_id)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .Bind(reservation.uuid, campaign, reservation.decision,
              reservation.parent, reservation.policy, reservation.reason,
              reservation.lease_owner, reservation.lease_until_s,
              reservation.reserved_at_s, reservation.nodes_seen,
              reservation.further_seen, reservation.attempts_left,
              reservation.directive)
        .Run();
    const auto id = static_cast<AttemptId>(connection.LastRowId());
    if (reservation.mate) {
      connection.Prepare("INSERT INTO attempt_parent VALUES (?, 1, ?, ?)")
          .Bind(id, campaign, *reservation.mate)
          .Run();
    }
    InsertPicks(connection, id, reservation.picks);
    if (inserted) TRY_DONE(StoreCandidate(connection, id, *inserted));
    connection
        .Prepare(
            "UPDATE campaign SET attempts = attempts + 1"
            " WHERE campaign_id = ?")
        .Bind(campaign)
        .Run();
    return id;
  });
}

Result<void> Attempts::GiveCandidate(const Holding& holding,
                                     const Candidate& candidate) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    const std::string name =
        "attempt " + std::to_string(Index(holding.attempt));
    {
      Statement read = connection.Prepare(
          "SELECT epoch, stage FROM attempt WHERE attempt_id = ?");
      if (!read.Bind(holding.attempt).Step()) {
        return connection.FailHere(Errc::kNotFound, name + " is missing");
      }
      TRY_DONE(CheckHeld(connection, holding, read.Int(0)));
      if (read.As<Stage>(1) != Stage::kReserved) {
        return connection.FailHere(Errc::kUsage,
                                   name + " is past its reservation");
      }
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
    if (!read.Bind(attempt).Step()) {
      return connection.FailHere(
          Errc::kNotFound,
          "attempt " + std::to_string(Index(attempt)) + " is missing");
    }
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
      const std::string name = "attempt " + std::to_string(Index(attempt));
      if (!read.Bind(attempt).Step()) {
        return connection.FailHere(Errc::kNotFound, name + " is missing");
      }
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
    connection
        .Prepare(
            "UPDATE attempt SET lease_owner = ?2, lease_until_s = ?3"
            " WHERE attempt_id = ?1")
        .Bind(attempt, owner, lease_until_s)
        .Run();
    RecordEvent(connection, campaign, now_s, "adopted", decision, owner);
    return Load(attempt);
  });
}

Result<void> Attempts::RenewLeases(CampaignId campaign,
                                   const std::string& owner,
                                   double lease_until_s) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    connection
        .Prepare(
            "UPDATE attempt SET lease_until_s = ?3 WHERE campaign_id = ?1"
            " AND lease_owner = ?2 AND stage < 3")
        .Bind(campaign, owner, lease_until_s)
        .Run();
    return {};
  });
}

Result<void> Attempts::HandOver(const Holding& holding,
                                const std::string& owner,
                                double lease_until_s) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    TRY_DONE(CheckHeldNow(connection, holding));
    connection
        .Prepare(
            "UPDATE attempt SET lease_owner = ?2, lease_until_s = ?3"
            " WHERE attempt_id = ?1 AND stage < 3")
        .Bind(holding.attempt, owner, lease_until_s)
        .Run();
    return {};
  });
}

Result<void> Attempts::Release(const Holding& holding, double now_s) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    TRY_DONE(CheckHeldNow(connection, holding));
    TakeAway(connection, holding.attempt, now_s);
    connection
        .Prepare(
            "UPDATE attempt SET lease_owner = '', lease_until_s = ?2"
            " WHERE attempt_id = ?1 AND stage < 3")
        .Bind(holding.attempt, now_s)
        .Run();
    return {};
  });
}

}  // namespace coppice::store
