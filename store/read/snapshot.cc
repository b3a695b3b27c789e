#include "store/read/snapshot.h"

#include <iterator>
#include <string>
#include <utility>

#include "store/connection.h"
#include "store/records/node_summary.h"
#include "store/write/directives.h"
#include "store/write/evaluations.h"
#include "store/write/model_picks.h"
#include "store/write/node_rows.h"
#include "store/write/parents.h"

namespace coppice::store {
namespace {

struct Counts {
  std::int64_t decisions = 0;
  std::int64_t nodes = 0;
  std::int64_t further = 0;
};

Result<Counts> Count(Connection& connection, CampaignId campaign) {
  Statement read = connection.Prepare(
      "SELECT attempts, nodes, further FROM campaign WHERE campaign_id = ?");
  if (!read.Bind(campaign).Step()) {
    return connection.NoSuchCampaign(campaign);
  }
  return Counts{read.Int(0), read.Int(1), read.Int(2)};
}

std::vector<Arrival> ArrivalsFrom(Connection& connection, CampaignId campaign,
                                  std::int64_t first) {
  std::vector<Arrival> arrivals;
  Statement read = connection.Prepare(
      "SELECT " + std::string(kSummaryColumns) + ", a.decision" +
      std::string(kSummaryTables) +
      " LEFT JOIN attempt a USING (attempt_id)"
      " WHERE c.campaign_id = ? AND n.number >= ? ORDER BY n.number");
  read.Bind(campaign, first);
  for (std::int64_t next = first; read.Step(); ++next) {
    arrivals.push_back(
        {SummaryAt(read, next), read.OptionalInt(kSummaryWidth)});
  }
  return arrivals;
}

std::string DecisionNamed(std::int64_t decision) {
  return "decision " + std::to_string(decision);
}

Decided DecidedAt(const Statement& row, std::int64_t nodes) {
  const Decided decided{row.Int(0), row.As<NodeId>(1)};
  if (Index(decided.parent) < 0 || Index(decided.parent) >= nodes) {
    ThrowDamage(DecisionNamed(decided.decision) + " has parent " +
                std::to_string(Index(decided.parent)) + ", but there are " +
                std::to_string(nodes) + " nodes");
  }
  return decided;
}

std::int64_t CountNodes(Connection& connection, CampaignId campaign) {
  Statement read =
      connection.Prepare("SELECT count(*) FROM node WHERE campaign_id = ?");
  read.Bind(campaign).Step();
  return read.Int(0);
}

// Throws if an evaluation is of no node, or one of `originals`, the first nodes
// of their tokens, has none that it was committed with.
void CheckEvaluated(const std::vector<NodeId>& originals,
                    const std::vector<Evaluated>& evaluations) {
  std::vector<bool> is_judged(originals.size(), false);
  const auto place = [&](NodeId node) {
    const auto number = static_cast<std::size_t>(Index(node));
    if (number >= originals.size()) {
      ThrowDamage("there is no node " + std::to_string(Index(node)));
    }
    return number;
  };
  for (const Evaluated& each : evaluations) {
    if (each.further == 0) is_judged[place(each.node)] = true;
  }
  for (const NodeId original : originals) {
    if (!is_judged[place(original)]) {
      ThrowDamage("node " + std::to_string(Index(original)) +
                  " has no evaluation that it was committed with");
    }
  }
}

}  // namespace

DecisionRecord DecisionAt(Connection& connection, const Statement& row,
                          std::int64_t nodes) {
  const Decided decided = DecidedAt(row, nodes);
  const auto mate =
      row.IsNull(7) ? std::nullopt : std::optional(row.As<NodeId>(7));
  const auto directive =
      row.IsNull(9) ? std::nullopt : std::optional(row.As<DirectiveId>(9));
  return {decided.decision,
          decided.parent,
          row.Text(2),
          row.Text(3),
          row.Int(4),
          row.Int(5),
          row.OptionalInt(6),
          mate,
          PicksOf(connection, row.As<AttemptId>(8)),
          directive};
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
    TRY(counts, Count(connection, campaign));
    TRY_DONE(Nodes(database).Scan(campaign, visit));
    Snapshot snapshot;
    snapshot.decisions = counts.decisions;
    snapshot.further = counts.further;
    const std::int64_t nodes = CountNodes(connection, campaign);
    Statement read = connection.Prepare(
        "SELECT decision, parent_number FROM attempt"
        " WHERE campaign_id = ? AND stage < 3 ORDER BY decision");
    read.Bind(campaign);
    while (read.Step()) snapshot.in_flight.push_back(DecidedAt(read, nodes));
    return snapshot;
  });
}

Result<Growth> ReadGrowth(Database& database, CampaignId campaign,
                          std::int64_t decisions, std::int64_t nodes) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Growth> {
    TRY(counts, Count(connection, campaign));
    Growth growth;
    growth.further = counts.further;
    if (counts.decisions > decisions) {
      Statement read = connection.Prepare(
          "SELECT decision, parent_number FROM attempt"
          " WHERE campaign_id = ? AND decision >= ? ORDER BY decision");
      read.Bind(campaign, decisions);
      while (read.Step()) {
        growth.decided.push_back(DecidedAt(read, counts.nodes));
      }
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
    {
      Statement read = connection.Prepare(
          "SELECT coalesce(same_as, number) FROM node WHERE campaign_id = ?"
          " ORDER BY number");
      read.Bind(campaign);
      while (read.Step()) annals.originals.push_back(read.As<NodeId>(0));
    }
    {
      Statement read = connection.Prepare(
          "SELECT node_number, coalesce(further, 0), verdict, speedup,"
          " speedup_low, speedup_high FROM evaluation"
          " WHERE campaign_id = ? AND node_number IS NOT NULL"
          " ORDER BY node_number, ordinal");
      read.Bind(campaign);
      while (read.Step()) {
        annals.evaluations.push_back(
            {read.As<NodeId>(0), read.Int(1), FindingAt(read, 1)});
      }
    }
    Statement read = connection.Prepare(
        "SELECT " + std::string(kDecisionColumns) +
        " FROM attempt WHERE campaign_id = ? ORDER BY decision");
    read.Bind(campaign);
    const auto nodes = std::ssize(annals.arrivals);
    for (std::int64_t next = 0; read.Step(); ++next) {
      annals.decisions.push_back(DecisionAt(connection, read, nodes));
      if (annals.decisions.back().decision != next) {
        ThrowDamage(DecisionNamed(annals.decisions.back().decision) +
                    " comes where " + DecisionNamed(next) + " must");
      }
    }
    TRY_ASSIGN(annals.asked, ReadAsked(database, campaign));
    TRY_ASSIGN(annals.directives, ReadDirectives(database, campaign));
    CheckEvaluated(annals.originals, annals.evaluations);
    return annals;
  });
}

}  // namespace coppice::store
