#include "store/read/history.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "store/connection.h"
#include "store/database.h"
#include "store/named.h"
#include "store/read_rows.h"
#include "store/records/evaluation.h"
#include "store/write/evaluations.h"
#include "store/write/parents.h"
#include "store/write/worths.h"

namespace coppice::store {
namespace {

// A campaign c and a node n.
constexpr const char* kFrom =
    " FROM campaign c JOIN node n USING (campaign_id)"
    " LEFT JOIN plan p USING (plan_id) WHERE c.campaign_id = ?1";

NodeLine LineAt(const Statement& row) {
  NodeLine line;
  line.node = row.As<NodeId>(0);
  line.parent = ParentAt(row, 1, line.node);
  line.verdict = row.As<Verdict>(2);
  line.runtime_s = row.OptionalReal(3);
  line.speedup = SpeedupAt(row, 4);
  line.technique = row.Text(7);
  line.same_as = row.OptionalAs<NodeId>(8);
  line.is_quarantined = row.Int(9) != 0;
  line.mate = row.OptionalAs<NodeId>(10);
  return line;
}

// What LineAt reads, then `more`; of the nodes that `which` leaves.
std::string LinesSql(const std::string& more, const std::string& which) {
  return "SELECT n.number, n.parent_number, n.verdict,"
         " c.root_runtime_s / n.speedup, n.speedup, n.speedup_low,"
         " n.speedup_high, coalesce(p.technique, ''), n.same_as, n.refuted,"
         " (SELECT m.parent_number FROM attempt_parent m"
         "  WHERE m.attempt_id = n.attempt_id AND m.position = 1)" +
         more + kFrom + which;
}

Result<Ancestor> ReadAncestor(Connection& connection, CampaignId campaign,
                              NodeId node) {
  static const std::string sql =
      LinesSql(", coalesce(p.advice, '')", " AND n.number = ?2");
  Statement read = connection.Prepare(sql, campaign, node);
  if (read.Step()) return Ancestor{LineAt(read), read.Text(11)};
  return connection.FailHere(Errc::kNotFound, "no " + Named(node));
}

void CountVerdicts(Connection& connection, CampaignId campaign,
                   Totals& totals) {
  Statement read = connection.Prepare(
      "SELECT verdict, sum(nodes) FROM trial_sum WHERE campaign_id = ?"
      " GROUP BY verdict",
      campaign);
  while (read.Step()) {
    totals.verdicts.at(static_cast<std::size_t>(read.Int(0))) = read.Int(1);
  }
}

void CountCalls(Connection& connection, CampaignId campaign, Totals& totals) {
  Statement read = connection.Prepare(
      "SELECT coalesce(sum(calls), 0),"
      " coalesce(sum(calls - answered - failed), 0),"
      " coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),"
      " coalesce(sum(iif(provider = 'outside', 0.0, cost_usd)), 0.0),"
      " coalesce(sum(iif(provider = 'outside', cost_usd, 0.0)), 0.0)"
      " FROM call_sum WHERE campaign_id = ?",
      campaign);
  read.Step();
  totals.calls = read.Int(0);
  totals.unanswered_calls = read.Int(1);
  totals.input_tokens = read.Int(2);
  totals.output_tokens = read.Int(3);
  totals.cost_usd = read.Real(4);
  totals.claimed_usd = read.Real(5);
}

// A pass over all nodes from the top on.
std::vector<NodeLine> ReadAll(Connection& connection, CampaignId campaign,
                              const TreePage& page) {
  std::vector<NodeLine> lines;
  std::unordered_map<NodeId, std::int64_t> depths;  // Of those that are in it.
  static const std::string sql =
      LinesSql("", " AND n.number >= ?2 ORDER BY n.number");
  Statement read = connection.Prepare(sql, campaign, page.top);
  while (read.Step()) {
    NodeLine line = LineAt(read);
    std::int64_t depth = 0;
    if (line.node != page.top) {
      const auto parent = depths.find(*line.parent);
      if (parent == depths.end()) continue;
      depth = parent->second + 1;
      if (page.depth && depth > *page.depth) continue;
    }
    depths.emplace(line.node, depth);
    lines.push_back(std::move(line));
  }
  return lines;
}

// Its first nodes as committed: of each node that is taken only so many
// children are looked at as the page could hold.
std::vector<NodeLine> ReadFirst(Connection& connection, CampaignId campaign,
                                const TreePage& page) {
  constexpr const char* kBelow =
      " AND n.number IN (WITH RECURSIVE below (number, depth) AS ("
      "SELECT ?2, 0 UNION ALL SELECT m.number, below.depth + 1"
      " FROM below CROSS JOIN node m WHERE m.campaign_id = ?1"
      " AND m.number IN (SELECT child.number FROM node child"
      "  WHERE child.campaign_id = ?1 AND child.parent_number = below.number"
      "  ORDER BY child.number LIMIT ?4)"
      " AND below.depth < ?3 ORDER BY 1 LIMIT ?4)"
      " SELECT number FROM below) ORDER BY n.number";
  static const std::string sql = LinesSql("", kBelow);
  return connection.Rows(
      sql, LineAt, campaign, page.top,
      page.depth.value_or(std::numeric_limits<std::int64_t>::max()),
      page.limit);
}

// The way from the top down, as far as it is in the page; empty if it does not
// lead there.
Result<std::vector<NodeLine>> ReadWay(Connection& connection,
                                      CampaignId campaign,
                                      const TreePage& page) {
  std::vector<NodeId> way;
  std::vector<NodeLine> lines;
  std::optional<NodeId> at = page.way_to;
  for (; at && *at > page.top; at = ParentOf(connection, campaign, *at)) {
    way.push_back(*at);
  }
  if (at != page.top) return lines;
  way.push_back(page.top);
  std::ranges::reverse(way);
  auto most = static_cast<std::size_t>(page.limit);
  if (page.depth)
    most = std::min(most, static_cast<std::size_t>(*page.depth) + 1);
  if (way.size() > most) way.resize(most);
  for (const NodeId node : way) {
    TRY(ancestor, ReadAncestor(connection, campaign, node));
    lines.push_back(std::move(ancestor.line));
  }
  return lines;
}

Result<std::vector<NodeLine>> ReadLimited(Connection& connection,
                                          CampaignId campaign,
                                          const TreePage& page) {
  TRY(lines, ReadWay(connection, campaign, page));
  std::set<NodeId> taken;
  for (const NodeLine& line : lines) taken.insert(line.node);
  for (NodeLine& line : ReadFirst(connection, campaign, page)) {
    if (std::ssize(lines) == page.limit) break;
    if (taken.insert(line.node).second) lines.push_back(std::move(line));
  }
  std::ranges::sort(lines, {}, &NodeLine::node);
  return lines;
}

}  // namespace

Result<std::vector<NodeLine>> ReadTree(Database& database, CampaignId campaign,
                                       const TreePage& page) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::vector<NodeLine>> {
    if (page.limit == 0) return ReadAll(connection, campaign, page);
    return ReadLimited(connection, campaign, page);
  });
}

Result<NodeLine> ReadLine(Database& database, CampaignId campaign,
                          NodeId node) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<NodeLine> {
    TRY(ancestor, ReadAncestor(connection, campaign, node));
    return ancestor.line;
  });
}

Result<NodeLine> ReadBestOf(Database& database, CampaignId campaign,
                            std::int64_t nodes) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<NodeLine> {
    const auto best = connection.Find<NodeId>(
        "SELECT max(number) FROM improvement"
        " WHERE campaign_id = ? AND number < ?",
        campaign, nodes);
    TRY(ancestor, ReadAncestor(connection, campaign, best.value_or(kRootNode)));
    return ancestor.line;
  });
}

Result<std::vector<Ancestor>> ReadLineage(Database& database,
                                          CampaignId campaign, NodeId node) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::vector<Ancestor>> {
    std::vector<Ancestor> path;
    for (std::optional<NodeId> next = node; next;) {
      TRY(ancestor, ReadAncestor(connection, campaign, *next));
      next = ancestor.line.parent;
      path.push_back(std::move(ancestor));
    }
    std::reverse(path.begin(), path.end());
    return path;
  });
}

Result<std::vector<Leader>> ReadLeaders(Database& database, CampaignId campaign,
                                        int limit) {
  static const std::string sql =
      LinesSql(", n.confirmed",
               " AND n.verdict = 0 AND n.same_as IS NULL"
               " ORDER BY n.speedup DESC, n.number LIMIT ?2");
  return ReadRows(
      database, sql,
      [](const Statement& read) {
        return Leader{LineAt(read), read.Int(11) != 0};
      },
      campaign, limit);
}

Result<std::optional<Rank>> ReadRank(Database& database, CampaignId campaign,
                                     NodeId node) {
  return ReadOne(
      database,
      "SELECT (SELECT count(*) FROM node l"
      "  WHERE l.campaign_id = n.campaign_id"
      "  AND l.verdict = 0 AND l.same_as IS NULL AND (l.speedup > o.speedup"
      "   OR (l.speedup = o.speedup AND l.number <= o.number))),"
      " (SELECT count(*) FROM node l WHERE l.campaign_id = n.campaign_id"
      "  AND l.verdict = 0 AND l.same_as IS NULL)"
      " FROM node n JOIN node o ON o.campaign_id = n.campaign_id"
      "  AND o.number = coalesce(n.same_as, n.number)"
      " WHERE n.campaign_id = ? AND n.number = ? AND o.verdict = 0",
      [](const Statement& read) {
        return Rank{read.Int(0), read.Int(1)};
      },
      campaign, node);
}

Result<std::string> ReadLog(Database& database, CampaignId campaign,
                            NodeId node) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::string> {
    const auto log = connection.Find<BlobId>(
        "SELECT e.log_blob FROM node n JOIN evaluation e"
        " ON e.campaign_id = n.campaign_id"
        " AND e.node_number = coalesce(n.same_as, n.number)"
        " AND e.ordinal = n.decided_by"
        " WHERE n.campaign_id = ? AND n.number = ?",
        campaign, node);
    if (log) return connection.blobs().Text(*log);
    return connection.FailHere(Errc::kNotFound,
                               "no evaluation of " + Named(node));
  });
}

Result<std::vector<Evaluation>> ReadEvaluations(Database& database,
                                                CampaignId campaign,
                                                NodeId node) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::vector<Evaluation>> {
    const NodeId original = OriginalOf(connection, campaign, node);
    const std::int64_t count = CountEvaluations(connection, campaign, original);
    std::vector<Evaluation> evaluations;
    for (std::int64_t ordinal = 0; ordinal < count; ++ordinal) {
      TRY(evaluation, LoadEvaluation(connection, campaign, original, ordinal));
      evaluations.push_back(std::move(evaluation));
    }
    return evaluations;
  });
}

Result<Totals> ReadTotals(Database& database, CampaignId campaign) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Totals> {
    Totals totals;
    CountVerdicts(connection, campaign, totals);
    CountCalls(connection, campaign, totals);
    return totals;
  });
}

Result<std::vector<DeviceTime>> ReadDeviceTimes(Database& database,
                                                const std::string& campaign) {
  return ReadRows(
      database,
      "SELECT device, evaluations, busy_s, share FROM device_times"
      " WHERE campaign = ? ORDER BY device",
      [](const Statement& read) {
        return DeviceTime{read.Text(0), read.Int(1), read.Real(2),
                          read.OptionalReal(3)};
      },
      campaign);
}

}  // namespace coppice::store
