#include "store/write/directives.h"

#include <algorithm>
#include <string>
#include <utility>

#include "store/connection.h"
#include "store/read_rows.h"
#include "store/records/formatted.h"
#include "store/write/parents.h"

namespace coppice::store {
namespace {

constexpr std::string_view kColumns =
    "directive_id, uuid, at_s, author, kind, node_number, role, aspect, amount,"
    " target_id, text_blob, not_before, outcome, effective_decision, refusal,"
    " (SELECT count(*) FROM attempt a"
    "  WHERE a.directive_id = directive.directive_id)";

std::string Named(DirectiveId id) {
  return "directive " + std::to_string(Index(id));
}

Directive RowAt(const Statement& row) {
  Directive directive;
  directive.id = row.As<DirectiveId>(0);
  directive.uuid = row.Uuid(1);
  directive.at_s = row.Real(2);
  directive.author = row.Text(3);
  const auto kind = DirectiveKindNamed(row.Text(4));
  if (!kind) ThrowDamage(Named(directive.id) + " is of no kind");
  directive.kind = *kind;
  if (!row.IsNull(5)) directive.node = row.As<NodeId>(5);
  if (!row.IsNull(6)) directive.role = row.As<Role>(6);
  directive.aspect = row.Text(7);
  directive.amount = row.OptionalReal(8);
  if (!row.IsNull(9)) directive.target = row.As<DirectiveId>(9);
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
      " AND outcome <> 'withdrawn' ORDER BY directive_id DESC");
  read.Bind(campaign, seen, directive.node);
  while (read.Step()) {
    const auto kind = DirectiveKindNamed(read.Text(1));
    const bool is_same =
        directive.node ||
        (kind && SubjectOf(*kind) == SubjectOf(directive.kind) &&
         read.Text(2) == directive.aspect &&
         read.OptionalInt(3) == (directive.target
                                     ? std::optional(Index(*directive.target))
                                     : std::nullopt));
    if (is_same) return read.As<DirectiveId>(0);
  }
  return std::nullopt;
}

Result<void> CheckSubject(Connection& connection, CampaignId campaign,
                          const Directive& directive) {
  if (directive.node) {
    Statement read = connection.Prepare(
        "SELECT 1 FROM node WHERE campaign_id = ? AND number = ?");
    if (!read.Bind(campaign, *directive.node).Step()) {
      return connection.FailHere(
          Errc::kUsage,
          "there is no node " + std::to_string(Index(*directive.node)));
    }
  }
  if (!directive.target) return {};
  Statement read = connection.Prepare(
      "SELECT outcome, kind FROM directive WHERE campaign_id = ?"
      " AND directive_id = ?");
  if (!read.Bind(campaign, *directive.target).Step()) {
    return connection.FailHere(Errc::kUsage,
                               "there is no " + Named(*directive.target));
  }
  if (read.Text(0) != "applied") {
    return connection.FailHere(
        Errc::kUsage, Named(*directive.target) + " is " + read.Text(0) +
                          ": only what is applied can be lifted");
  }
  return {};
}

Result<DirectiveId> Insert(Connection& connection, CampaignId campaign,
                           const Directive& directive) {
  TRY(text,
      connection.blobs().Put(directive.text, std::nullopt, Future::kLeaf));
  const std::optional<std::int64_t> role =
      directive.role ? std::optional(static_cast<std::int64_t>(*directive.role))
                     : std::nullopt;
  connection
      .Prepare(
          "INSERT INTO directive (uuid, campaign_id, at_s, author, kind,"
          " node_number, role, aspect, amount, target_id, text_blob, "
          "not_before,"
          " outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .Bind(directive.uuid, campaign, directive.at_s, directive.author,
            Name(directive.kind), directive.node, role, directive.aspect,
            directive.amount, directive.target, text.id, directive.not_before,
            Name(Steers(directive.kind) ? DirectiveOutcome::kPending
                                        : DirectiveOutcome::kApplied))
      .Run();
  return static_cast<DirectiveId>(connection.LastRowId());
}

// What its requests may use becomes the setting by which it goes on.
void SetCap(Connection& connection, CampaignId campaign, DirectiveId id,
            const std::string& aspect, double amount) {
  const std::string value = Formatted("%.15g", amount);
  connection
      .Prepare(
          "INSERT INTO setting (campaign_id, key, value, origin)"
          " VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
          " value = excluded.value, origin = excluded.origin")
      .Bind(campaign, "cap_" + aspect, value, Named(id))
      .Run();
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
    connection
        .Prepare(
            "UPDATE campaign SET budget_attempts = ?2 WHERE campaign_id = ?1")
        .Bind(campaign, static_cast<std::int64_t>(amount))
        .Run();
  } else if (aspect == kUsdAspect || aspect == kTokensAspect) {
    SetCap(connection, campaign, id, aspect, amount);
  } else {
    connection
        .Prepare("UPDATE campaign SET budget_s = ?2 WHERE campaign_id = ?1")
        .Bind(campaign, amount)
        .Run();
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
    std::vector<BlobId> texts;
    {
      Statement read =
          connection.Prepare("SELECT " + std::string(kColumns) +
                             " FROM directive WHERE campaign_id = ?"
                             " ORDER BY directive_id");
      read.Bind(campaign);
      while (read.Step()) {
        directives.push_back(RowAt(read));
        texts.push_back(read.As<BlobId>(10));
      }
    }
    for (std::size_t i = 0; i < directives.size(); ++i) {
      TRY_ASSIGN(directives[i].text, connection.blobs().Text(texts[i]));
    }
    return directives;
  });
}

Result<InboxMark> ReadInboxMark(Database& database, CampaignId campaign) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<InboxMark> {
    InboxMark mark;
    Statement read = connection.Prepare(
        "SELECT max(directive_id), sum(outcome = 'pending'),"
        " sum((SELECT count(*) FROM attempt a"
        "      WHERE a.directive_id = d.directive_id))"
        " FROM directive d WHERE campaign_id = ?");
    read.Bind(campaign).Step();
    if (read.IsNull(0)) return mark;
    mark.last = read.Int(0);
    mark.pending = read.Int(1);
    mark.attempts = read.Int(2);
    return mark;
  });
}

Result<std::int64_t> CountPending(Database& database, CampaignId campaign,
                                  std::optional<DirectiveKind> kind) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::int64_t> {
    Statement read = connection.Prepare(
        "SELECT count(*) FROM directive"
        " WHERE campaign_id = ?1 AND outcome = 'pending'"
        " AND kind = coalesce(?2, kind)");
    read.Bind(campaign,
              kind ? std::optional(std::string(Name(*kind))) : std::nullopt)
        .Step();
    return read.Int(0);
  });
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
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<bool> {
    Statement read = connection.Prepare(
        "SELECT s.steered FROM campaign c JOIN campaigns s"
        " ON s.campaign = c.name WHERE c.campaign_id = ?");
    return read.Bind(campaign).Step() && read.Int(0) != 0;
  });
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
    {
      Statement read = connection.Prepare(
          "SELECT outcome FROM directive"
          " WHERE campaign_id = ? AND directive_id = ?");
      if (!read.Bind(campaign, id).Step()) {
        return connection.FailHere(Errc::kNotFound, "there is no " + Named(id));
      }
      if (read.Text(0) != "pending") {
        return connection.FailHere(
            Errc::kUsage, Named(id) + " is " + read.Text(0) + " already");
      }
    }
    connection
        .Prepare(
            "UPDATE directive SET outcome = 'withdrawn'"
            " WHERE directive_id = ?")
        .Bind(id)
        .Run();
    return {};
  });
}

Result<void> TakeUp(Connection& connection, CampaignId campaign,
                    std::int64_t decision, const std::vector<TakenUp>& taken) {
  for (const TakenUp& each : taken) {
    connection
        .Prepare(
            "UPDATE directive SET outcome = ?3, effective_decision = ?4,"
            " refusal = ?5 WHERE campaign_id = ?1 AND directive_id = ?2"
            " AND outcome = 'pending'")
        .Bind(campaign, each.id,
              Name(each.refusal.empty() ? DirectiveOutcome::kApplied
                                        : DirectiveOutcome::kRefused),
              decision, each.refusal)
        .Run();
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
