#include "store/write/claims.h"

#include <utility>

#include "store/connection.h"
#include "store/read_rows.h"
#include "store/records/attempt.h"
#include "store/records/formatted.h"
#include "store/write/campaigns.h"
#include "store/write/evaluations.h"
#include "store/write/numbering.h"
#include "store/write/plans.h"
#include "store/write/reopening.h"

namespace coppice::store {
namespace {

std::string ReasonFor(const Claim& claim) {
  std::string reason = claim.origin;
  if (!claim.author.empty()) reason += ", by " + claim.author;
  if (!claim.speedup) return reason;
  return reason + Formatted(", said to be %.3gx", *claim.speedup);
}

AttemptId BeginAttempt(Connection& connection, CampaignId campaign,
                       const Counts& place, const Claim& claim, BlobId source,
                       const Uuid& uuid, double now_s) {
  connection.Run(
      "INSERT INTO attempt (uuid, campaign_id, decision, parent_number,"
      " policy, reason, stage, lease_owner, lease_until_s, reserved_at_s,"
      " nodes_seen, further_seen, source_blob, language, entry_symbol)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, '', ?8, ?8, ?9, ?10, ?11, ?12,"
      " ?13)",
      uuid, campaign, place.attempts, kRootNode, kImportPolicy,
      ReasonFor(claim), Stage::kCoded, now_s, place.nodes, place.further,
      source, claim.candidate.language, claim.candidate.entry_symbol);
  const auto attempt = static_cast<AttemptId>(connection.LastRowId());
  connection.Run(
      "UPDATE campaign SET attempts = attempts + 1,"
      " budget_attempts = budget_attempts + 1 WHERE campaign_id = ?",
      campaign);
  return attempt;
}

void InsertClaim(Connection& connection, CampaignId campaign,
                 const Claim& claim, BlobId source, double now_s) {
  connection.Run(
      "INSERT INTO claim (campaign_id, source_blob, language, origin,"
      " author, is_correct, speedup, runtime_s, imported_at_s)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      campaign, source, claim.candidate.language, claim.origin, claim.author,
      claim.is_correct, claim.speedup, claim.runtime_s, now_s);
}

struct Known {
  std::int64_t id = 0;
  bool is_judged = false;  // It has an attempt.
};

// The claim about a source; none: the campaign has none.
std::optional<Known> FindClaim(Connection& connection, CampaignId campaign,
                               BlobId source) {
  Statement read = connection.Prepare(
      "SELECT claim_id, attempt_id IS NOT NULL FROM claim"
      " WHERE campaign_id = ? AND source_blob = ?",
      campaign, source);
  if (!read.Step()) return std::nullopt;
  return Known{read.Int(0), read.Int(1) == 1};
}

ClaimLine ClaimAt(const Statement& row) {
  ClaimLine line;
  line.id = row.Int(0);
  line.origin = row.Text(1);
  line.author = row.OptionalText(2).value_or("");
  line.claimed_speedup = row.OptionalReal(3);
  line.claimed_runtime_s = row.OptionalReal(4);
  if (!row.IsNull(5)) {
    line.node = row.As<NodeId>(5);
    line.verdict = row.As<Verdict>(6);
  }
  line.speedup = SpeedupAt(row, 7);
  line.decision = row.OptionalInt(10);
  return line;
}

constexpr const char* kClaims =
    "SELECT m.claim, m.origin, m.author, m.claimed_speedup,"
    " m.claimed_runtime_s, m.node, v.verdict, m.speedup, m.speedup_low,"
    " m.speedup_high, m.decision FROM campaign c JOIN claims m ON m.campaign = "
    "c.name"
    " LEFT JOIN verdict v ON v.name = m.verdict WHERE c.campaign_id = ?1";

}  // namespace

Result<Intake> SubmitClaims(Database& database, CampaignId campaign,
                            const std::vector<Claim>& claims, Judging judging,
                            const std::function<Uuid()>& mint, double now_s) {
  Connection& connection = database.connection();
  return connection.Write([&]() -> Result<Intake> {
    TRY(place, CountsOf(connection, campaign));
    if (judging == Judging::kByAttempt && place.nodes == 0) {
      return connection.FailHere(Errc::kUsage, "the root was not measured yet");
    }
    const std::optional<BlobId> root =
        SourceOf(connection, campaign, kRootNode);
    Intake intake;
    for (const Claim& claim : claims) {
      TRY(source,
          connection.blobs().Put(claim.candidate.source, root, Future::kBase));
      const std::optional<Known> known =
          FindClaim(connection, campaign, source.id);
      if (!known) {
        InsertClaim(connection, campaign, claim, source.id, now_s);
        ++intake.claims;
      }
      intake.ids.push_back(known ? known->id : connection.LastRowId());
      const bool is_judged = known && known->is_judged;
      if (judging == Judging::kByAttempt && !is_judged) {
        const AttemptId attempt = BeginAttempt(connection, campaign, place,
                                               claim, source.id, mint(), now_s);
        connection.Run(
            "UPDATE claim SET attempt_id = ?3"
            " WHERE campaign_id = ?1 AND source_blob = ?2",
            campaign, source.id, attempt);
        ++place.attempts;
        ++intake.attempts;
      } else if (known) {
        ++intake.duplicates;
      }
    }
    if (intake.attempts > 0) Reopen(connection, campaign, now_s);
    return intake;
  });
}

Result<std::vector<ClaimLine>> ReadClaims(Database& database,
                                          CampaignId campaign) {
  static const std::string sql = std::string(kClaims) + " ORDER BY m.claim";
  return ReadRows(database, sql, ClaimAt, campaign);
}

Result<ClaimLine> ReadClaim(Database& database, CampaignId campaign,
                            std::int64_t id) {
  static const std::string sql = std::string(kClaims) + " AND m.claim = ?2";
  TRY(claim, ReadOne(database, sql, ClaimAt, campaign, id));
  if (claim) return *std::move(claim);
  return database.connection().FailHere(Errc::kNotFound,
                                        "no claim " + std::to_string(id));
}

}  // namespace coppice::store
