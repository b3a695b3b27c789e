#include "store/read/snapshot.h"

#include <iterator>
#include <string>
#include <utility>

#include "store/connection.h"
#include "store/named.h"
#include "store/records/node_summary.h"
#include "store/write/directives.h"
#include "store/write/evaluations.h"
#include "store/write/model_picks.h"
#include "store/write/node_rows.h"
#include "store/write/nodes.h"
#include "store/write/numbering.h"
#include "store/write/parents.h"

namespace coppice::store {
namespace {

std::vector<Arrival> ArrivalsFrom(Connection& connection, CampaignId campaign,
                                  std::int64_t first) {
  std::vector<Arrival> arrivals;
  Statement read = connection.Prepare(
      "SELECT " + std::string(kSummaryColumns) + ", a.decision" +
          std::string(kSummaryTables) +
          " LEFT JOIN attempt a USING (attempt_id)"
          " WHERE c.campaign_id = ? AND n.number >= ? ORDER BY n.number",
      campaign, first);
  for (std::int64_t next = first; read.Step(); ++next) {
    arrivals.push_back(
        {SummaryAt(read, next), read.OptionalInt(kSummaryWidth)});
  }
  return arrivals;
}

Decided DecidedAt(const Statement& row, std::int64_t nodes) {
  const Decided decided{row.Int(0), row.As<NodeId>(1)};
  if (Index(decided.parent) < 0 || Index(decided.parent) >= nodes) {
    ThrowDamage(NamedDecision(decided.decision) + " has parent " +
                std::to_string(Index(decided.parent)) + ", but there are " +
                std::to_string(nodes) + " nodes");
  }
  return decided;
}

// Throws if an evaluation is of no node, or one of `originals`, the first nodes
// of their tokens, has none that it was committed with.
void CheckEvaluated(const std::vector<NodeId>& originals,
                    const std::vector<Evaluated>& evaluations) {
  std::vector<bool> is_judged(originals.size(), false);
  const auto place = [&](NodeId node) {
    const auto number = static_cast<std::size_t>(Index(node));
    if (number >= originals.size()) {
      ThrowDamage("there is no " + Named(node));
    }
    return number;
  };
  for (const Evaluated& each : evaluations) {
    if (each.further == 0) is_judged[place(each.node)] = true;
  }
  for (const NodeId original : originals) {
    if (!is_judged[place(original)]) {
      ThrowDamage(Named(original) +
                  " has no evaluation that it was committed with");
    }
  }
}

}  // namespace

DecisionRecord DecisionAt(Connection& connection, const Statement& row,
                          std::int64_t nodes) {
  const Decided decided = DecidedAt(row, nodes);
  return {decided.decision,
          decided.parent,
          row.Text(2),
          row.Text(3),
          row.Int(4),
          row.Int(5),
          row.OptionalInt(6),
          row.OptionalAs<NodeId>(7),
          PicksOf(connection, row.As<AttemptId>(8)),
          row.OptionalAs<DirectiveId>(9)};
}

Evidence FindingAt(const Statement& row, int first) {
  return {row.As<Verdict>(first + 1), SpeedupAt(row, first + 2),
          row.Int(first) > 0};
}

Result<Snapshot> ReadSnapshot(
    Database& database, CampaignId campaign,
    const std::function<void(const NodeSummary&)>& visit) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Snapshot> {
    TRY(counts, CountsOf(connection, campaign));
    TRY_DONE(Nodes(database).Scan(campaign, visit));
    // A count of a damaged file may be another.
    const std::int64_t nodes = connection.Number(
        "SELECT count(*) FROM node WHERE campaign_id = ?", campaign);
    return Snapshot{
        counts.attempts, counts.further,
        connection.Rows(
            "SELECT decision, parent_number FROM attempt"
            " WHERE campaign_id = ? AND stage < 3 ORDER BY decision",
            [&](const Statement& read) { return DecidedAt(read, nodes); },
            campaign)};
  });
}

Result<Growth> ReadGrowth(Database& database, CampaignId campaign,
                          std::int64_t decisions, std::int64_t nodes) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Growth> {
    TRY(counts, CountsOf(connection, campaign));
    Growth growth;
    growth.further = counts.further;
    if (counts.attempts > decisions) {
      growth.decided = connection.Rows(
          "SELECT decision, parent_number FROM attempt"
          " WHERE campaign_id = ? AND decision >= ? ORDER BY decision",
          [&](const Statement& read) { return DecidedAt(read, counts.nodes); },
          campaign, decisions);
    }
    if (counts.nodes > nodes) {
      growth.arrivals = ArrivalsFrom(connection, campaign, nodes);
    }
    return growth;
  });
}

Result<Annals> ReadAnnals(Database& database, CampaignId campaign) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Annals> {
    Annals annals;
    annals.arrivals = ArrivalsFrom(connection, campaign, 0);
    {
      Statement read = connection.Prepare(
          "SELECT root_runtime_s, further FROM campaign"
          " WHERE campaign_id = ?");
      if (read.Bind(campaign).Step()) {
        annals.root_runtime_s = read.OptionalReal(0);
        annals.further = read.Int(1);
      }
    }
    annals.originals = connection.Rows(
        "SELECT coalesce(same_as, number) FROM node WHERE campaign_id = ?"
        " ORDER BY number",
        [](const Statement& read) { return read.As<NodeId>(0); }, campaign);
    annals.evaluations = connection.Rows(
        "SELECT node_number, coalesce(further, 0), verdict, speedup,"
        " speedup_low, speedup_high FROM evaluation"
        " WHERE campaign_id = ? AND node_number IS NOT NULL"
        " ORDER BY node_number, ordinal",
        [](const Statement& read) {
          return Evaluated{read.As<NodeId>(0), read.Int(1), FindingAt(read, 1)};
        },
        campaign);
    Statement read = connection.Prepare(
        "SELECT " + std::string(kDecisionColumns) +
            " FROM attempt WHERE campaign_id = ? ORDER BY decision",
        campaign);
    const auto nodes = std::ssize(annals.arrivals);
    for (std::int64_t next = 0; read.Step(); ++next) {
      annals.decisions.push_back(DecisionAt(connection, read, nodes));
      if (annals.decisions.back().decision != next) {
        ThrowDamage(NamedDecision(annals.decisions.back().decision) +
                    " comes where " + NamedDecision(next) + " must");
      }
    }
    TRY_ASSIGN(annals.asked, ReadAsked(database, campaign));
    TRY_ASSIGN(annals.directives, ReadDirectives(database, campaign));
    CheckEvaluated(annals.originals, annals.evaluations);
    return annals;
  });
}

}  // namespace coppice::store
