#include "store/write/directives.h"

#include <algorithm>
#include <string>
#include <utility>

#include "store/connection.h"
#include "store/named.h"
#include "store/read_rows.h"
#include "store/records/formatted.h"
#include "store/write/campaigns.h"
#include "store/write/numbering.h"
#include "store/write/parents.h"

namespace coppice::store {
namespace {

constexpr std::string_view kColumns =
    "directive_id, uuid, at_s, author, kind, node_number, role, aspect, amount,"
    " target_id, text_blob, not_before, outcome, effective_decision, refusal,"
    " (SELECT count(*) FROM attempt a"
    "  WHERE a.directive_id = directive.directive_id)";

Directive RowAt(const Statement& row) {
  Directive directive;
  directive.id = row.As<DirectiveId>(0);
  directive.uuid = row.Uuid(1);
  directive.at_s = row.Real(2);
  directive.author = row.Text(3);
  const auto kind = DirectiveKindNamed(row.Text(4));
  if (!kind) ThrowDamage(Named(directive.id) + " is of no kind");
  directive.kind = *kind;
  directive.node = row.OptionalAs<NodeId>(5);
  directive.role = row.OptionalAs<Role>(6);
  directive.aspect = row.Text(7);
  directive.amount = row.OptionalReal(8);
  directive.target = row.OptionalAs<DirectiveId>(9);
  directive.not_before = row.Int(11);
  const auto outcome = DirectiveOutcomeNamed(row.Text(12));
  if (!outcome) ThrowDamage(Named(directive.id) + " has no outcome");
  directive.outcome = *outcome;
  directive.effective_decision = row.OptionalInt(13);
  directive.refusal = row.Text(14);
  directive.attempts = row.Int(15);
  return directive;
}

// The row of a request that was sent before.  One that is sent to another
// campaign is no such.
Result<std::optional<DirectiveId>> FindByUuid(Connection& connection,
                                              CampaignId campaign,
                                              const Uuid& uuid) {
  Statement read = connection.Prepare(
      "SELECT directive_id, campaign_id, name FROM directive"
      " JOIN campaign USING (campaign_id) WHERE directive.uuid = ?");
  if (!read.Bind(uuid).Step()) return std::optional<DirectiveId>();
  const auto id = read.As<DirectiveId>(0);
  if (read.As<CampaignId>(1) == campaign) return std::optional(id);
  return connection.FailHere(
      Errc::kUsage, "the uuid " + ToString(uuid) + " is that of " + Named(id) +
                        ", which is another campaign's, " + read.Text(2) +
                        ": send a new one");
}

// On a campaign as a whole, kinds that undo each other are one subject.
std::string_view SubjectOf(DirectiveKind kind) {
  return kind == DirectiveKind::kResume ? Name(DirectiveKind::kPause)
                                        : Name(kind);
}

// The newest of the same subject that came after `seen`.
std::optional<DirectiveId> FindConflict(Connection& connection,
                                        CampaignId campaign,
                                        const Directive& directive,
                                        DirectiveId seen) {
  Statement read = connection.Prepare(
      "SELECT directive_id, kind, aspect, target_id FROM directive"
      " WHERE campaign_id = ? AND directive_id > ? AND node_number IS ?"
      " AND outcome <> 'withdrawn' ORDER BY directive_id DESC",
      campaign, seen, directive.node);
  while (read.Step()) {
    const auto kind = DirectiveKindNamed(read.Text(1));
    const bool is_same =
        directive.node ||
        (kind && SubjectOf(*kind) == SubjectOf(directive.kind) &&
         read.Text(2) == directive.aspect &&
         read.OptionalAs<DirectiveId>(3) == directive.target);
    if (is_same) return read.As<DirectiveId>(0);
  }
  return std::nullopt;
}

// None: the campaign has no such directive.
std::optional<std::string> OutcomeOf(Connection& connection,
                                     CampaignId campaign, DirectiveId id) {
  return connection.Find<std::string>(
      "SELECT outcome FROM directive WHERE campaign_id = ?"
      " AND directive_id = ?",
      campaign, id);
}

Result<void> CheckSubject(Connection& connection, CampaignId campaign,
                          const Directive& directive) {
  if (directive.node && !HasNode(connection, campaign, *directive.node)) {
    return connection.FailHere(Errc::kUsage,
                               "there is no " + Named(*directive.node));
  }
  if (!directive.target) return {};
  const auto outcome = OutcomeOf(connection, campaign, *directive.target);
  if (!outcome) {
    return connection.FailHere(Errc::kUsage,
                               "there is no " + Named(*directive.target));
  }
  if (*outcome != "applied") {
    return connection.FailHere(Errc::kUsage,
                               Named(*directive.target) + " is " + *outcome +
                                   ": only what is applied can be lifted");
  }
  return {};
}

Result<DirectiveId> Insert(Connection& connection, CampaignId campaign,
                           const Directive& directive) {
  TRY(text,
      connection.blobs().Put(directive.text, std::nullopt, Future::kLeaf));
  connection.Run(
      "INSERT INTO directive (uuid, campaign_id, at_s, author, kind,"
      " node_number, role, aspect, amount, target_id, text_blob, "
      "not_before,"
      " outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      directive.uuid, campaign, directive.at_s, directive.author,
      Name(directive.kind), directive.node, directive.role, directive.aspect,
      directive.amount, directive.target, text.id, directive.not_before,
      Name(Steers(directive.kind) ? DirectiveOutcome::kPending
                                  : DirectiveOutcome::kApplied));
  return static_cast<DirectiveId>(connection.LastRowId());
}

// A limit that holds becomes the campaign's own.
void SetLimit(Connection& connection, CampaignId campaign, DirectiveId id) {
  std::string aspect;
  double amount = 0.0;
  {
    Statement read = connection.Prepare(
        "SELECT kind, aspect, amount FROM directive WHERE directive_id = ?");
    if (!read.Bind(id).Step() || read.Text(0) != "budget") return;
    aspect = read.Text(1);
    amount = read.Real(2);
  }
  if (aspect == kAttemptsAspect) {
    connection.Run(
        "UPDATE campaign SET budget_attempts = ?2 WHERE campaign_id = ?1",
        campaign, static_cast<std::int64_t>(amount));
  } else if (aspect == kUsdAspect || aspect == kTokensAspect) {
    // What its requests may use becomes the setting by which it goes on.
    PutSetting(connection, campaign,
               {"cap_" + aspect, Formatted("%.15g", amount), Named(id)});
  } else {
    connection.Run("UPDATE campaign SET budget_s = ?2 WHERE campaign_id = ?1",
                   campaign, amount);
  }
}

}  // namespace

Result<Appended> AppendDirective(Database& database, CampaignId campaign,
                                 const Directive& directive,
                                 std::optional<DirectiveId> expected_last) {
  TRY_DONE(CheckDirective(directive));
  Connection& connection = database.connection();
  return connection.Write([&]() -> Result<Appended> {
    TRY(known, FindByUuid(connection, campaign, directive.uuid));
    if (known) return Appended{*known, false};
    TRY_DONE(CheckSubject(connection, campaign, directive));
    if (expected_last) {
      const auto other =
          FindConflict(connection, campaign, directive, *expected_last);
      if (other) return Appended{*other, true};
    }
    TRY(id, Insert(connection, campaign, directive));
    return Appended{id, false};
  });
}

Result<std::vector<Directive>> ReadDirectives(Database& database,
                                              CampaignId campaign) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::vector<Directive>> {
    std::vector<Directive> directives;
    Statement read = connection.Prepare(
        "SELECT " + std::string(kColumns) +
            " FROM directive WHERE campaign_id = ? ORDER BY directive_id",
        campaign);
    while (read.Step()) {
      Directive& directive = directives.emplace_back(RowAt(read));
      TRY_ASSIGN(directive.text, connection.blobs().Text(read.As<BlobId>(10)));
    }
    return directives;
  });
}

Result<InboxMark> ReadInboxMark(Database& database, CampaignId campaign) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<InboxMark> {
    Statement read = connection.Prepare(
        "SELECT coalesce(max(directive_id), -1), sum(outcome = 'pending'),"
        " sum((SELECT count(*) FROM attempt a"
        "      WHERE a.directive_id = d.directive_id))"
        " FROM directive d WHERE campaign_id = ?",
        campaign);
    read.Step();
    return InboxMark{read.Int(0), read.Int(1), read.Int(2)};
  });
}

Result<std::int64_t> CountPending(Database& database, CampaignId campaign,
                                  std::optional<DirectiveKind> kind) {
  std::optional<std::string> name;
  if (kind) name = Name(*kind);
  return ReadNumber(database,
                    "SELECT count(*) FROM directive"
                    " WHERE campaign_id = ?1 AND outcome = 'pending'"
                    " AND kind = coalesce(?2, kind)",
                    campaign, name);
}

Result<std::vector<Forced>> ReadForced(Database& database,
                                       CampaignId campaign) {
  return ReadRows(
      database,
      "SELECT a.directive_id, a.decision FROM directive d"
      " CROSS JOIN attempt a ON a.directive_id = d.directive_id"
      " WHERE d.campaign_id = ? ORDER BY a.decision",
      [](const Statement& read) {
        return Forced{read.As<DirectiveId>(0), read.Int(1)};
      },
      campaign);
}

Result<bool> IsSteered(Database& database, CampaignId campaign) {
  TRY(steered, ReadNumber(database,
                          "SELECT s.steered FROM campaign c JOIN campaigns s"
                          " ON s.campaign = c.name WHERE c.campaign_id = ?",
                          campaign));
  return steered != 0;
}

Result<std::vector<std::string>> ReadSteered(Database& database) {
  return ReadRows(
      database,
      "SELECT campaign FROM campaigns WHERE steered ORDER BY campaign",
      [](const Statement& read) { return read.Text(0); });
}

Result<void> WithdrawDirective(Database& database, CampaignId campaign,
                               DirectiveId id) {
  Connection& connection = database.connection();
  return connection.Write([&]() -> Result<void> {
    const auto outcome = OutcomeOf(connection, campaign, id);
    if (!outcome) {
      return connection.FailHere(Errc::kNotFound, "there is no " + Named(id));
    }
    if (*outcome != "pending") {
      return connection.FailHere(Errc::kUsage,
                                 Named(id) + " is " + *outcome + " already");
    }
    connection.Run(
        "UPDATE directive SET outcome = 'withdrawn'"
        " WHERE directive_id = ?",
        id);
    return {};
  });
}

Result<void> TakeUp(Connection& connection, CampaignId campaign,
                    std::int64_t decision, const std::vector<TakenUp>& taken) {
  for (const TakenUp& each : taken) {
    connection.Run(
        "UPDATE directive SET outcome = ?3, effective_decision = ?4,"
        " refusal = ?5 WHERE campaign_id = ?1 AND directive_id = ?2"
        " AND outcome = 'pending'",
        campaign, each.id,
        Name(each.refusal.empty() ? DirectiveOutcome::kApplied
                                  : DirectiveOutcome::kRefused),
        decision, each.refusal);
    if (connection.Changes() != 1) {
      return connection.FailHere(Errc::kBusy,
                                 Named(each.id) + " waits no longer");
    }
    if (each.refusal.empty()) SetLimit(connection, campaign, each.id);
  }
  return {};
}

Result<void> TakeUpAlone(Database& database, CampaignId campaign,
                         std::int64_t decision,
                         const std::vector<TakenUp>& taken) {
  Connection& connection = database.connection();
  return connection.Write([&]() -> Result<void> {
    return TakeUp(connection, campaign, decision, taken);
  });
}

}  // namespace coppice::store
