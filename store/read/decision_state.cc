#include "store/read/decision_state.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "store/connection.h"
#include "store/named.h"
#include "store/read/node_news.h"
#include "store/records/attempt.h"
#include "store/records/node_summary.h"
#include "store/records/worth.h"
#include "store/write/directives.h"
#include "store/write/evaluations.h"
#include "store/write/model_picks.h"
#include "store/write/node_rows.h"
#include "store/write/numbering.h"
#include "store/write/parents.h"

namespace coppice::store {
namespace {

// As kSummaryColumns, but for what no rule goes by: the evaluator's seconds.
// Only of what is wrong there is a hint, and nothing else is looked up.
constexpr const char* kStateNodes =
    "SELECT n.number, n.parent_number, n.verdict,"
    " c.root_runtime_s / n.speedup, n.kernel_hash, n.same_as IS NOT NULL,"
    " CASE WHEN n.verdict = 4 THEN (SELECT e.hint_factor FROM evaluation e"
    "  WHERE e.campaign_id = n.campaign_id AND e.node_number = n.number"
    "  AND e.ordinal = 0) END, 0.0, n.behaviour_limit, n.technique_family"
    " FROM campaign c JOIN node n USING (campaign_id)";

// Reads a part of the nodes from `first` on, and says whether there may be
// more.
bool Append(Connection& connection, CampaignId campaign, std::int64_t first,
            std::vector<NodeSummary>& nodes) {
  Statement read = connection.Prepare(
      std::string(kStateNodes) +
      " WHERE c.campaign_id = ? AND n.number >= ? ORDER BY n.number LIMIT ?");
  const auto before = std::ssize(nodes);
  read.Bind(campaign, first + before, kNodesAtOnce);
  while (read.Step()) {
    nodes.push_back(SummaryAt(read, first + std::ssize(nodes)));
  }
  return std::ssize(nodes) - before == kNodesAtOnce;
}

void ReadChanged(Connection& connection, CampaignId campaign,
                 const Summaries& known, std::vector<NodeSummary>& changed) {
  Statement read = connection.Prepare(
      std::string(kStateNodes) +
          " WHERE c.campaign_id = ?1 AND n.number < ?3 AND n.number IN (" +
          kChangedSince + ")",
      campaign, known.further, std::ssize(known.nodes));
  while (read.Step()) changed.push_back(SummaryAt(read, read.Int(0)));
}

std::optional<DecisionRecord> ReadDecision(Connection& connection,
                                           CampaignId campaign,
                                           std::int64_t decision,
                                           std::int64_t nodes) {
  Statement read = connection.Prepare(
      "SELECT " + std::string(kDecisionColumns) +
          " FROM attempt WHERE campaign_id = ? AND decision = ?",
      campaign, decision);
  if (!read.Step()) return std::nullopt;
  return DecisionAt(connection, read, nodes);
}

std::string ReadPolicy(Connection& connection, CampaignId campaign,
                       const DecisionRecord& decision) {
  if (decision.policy != kHumanPolicy && decision.policy != kOutsidePolicy) {
    return decision.policy;
  }
  for (const char* which : {" AND decision < ?2 ORDER BY decision DESC LIMIT 1",
                            " AND decision > ?2 ORDER BY decision LIMIT 1"}) {
    const auto policy = connection.Find<std::string>(
        "SELECT policy FROM attempt WHERE campaign_id = ?1"
        " AND policy NOT IN (?3, ?4, ?5)" +
            std::string(which),
        campaign, decision.decision, kImportPolicy, kHumanPolicy,
        kOutsidePolicy);
    if (policy) return *policy;
  }
  return "greedy";
}

// Earlier decisions have one of the nodes that it saw, or one of those after
// it, or none yet.  The second are few, and come soon.
std::vector<Decided> ReadInFlight(Connection& connection, CampaignId campaign,
                                  const DecisionRecord& seen_by) {
  const auto decided = [](const Statement& row) {
    return Decided{row.Int(0), row.As<NodeId>(1)};
  };
  auto in_flight = connection.Rows(
      "SELECT decision, parent_number FROM attempt"
      " WHERE campaign_id = ? AND stage < 3 AND decision < ?",
      decided, campaign, seen_by.decision);
  const std::int64_t later =
      seen_by.decision - (seen_by.nodes_seen - 1) - std::ssize(in_flight);
  if (later < 0) {
    ThrowDamage(NamedDecision(seen_by.decision) +
                " saw nodes of decisions that were not made");
  }
  std::ranges::copy(
      connection.Rows("SELECT a.decision, a.parent_number FROM node n"
                      " JOIN attempt a USING (attempt_id)"
                      " WHERE n.campaign_id = ? AND n.number >= ?"
                      " AND a.decision < ? ORDER BY n.number LIMIT ?",
                      decided, campaign, seen_by.nodes_seen, seen_by.decision,
                      later),
      std::back_inserter(in_flight));
  std::ranges::sort(in_flight, {}, &Decided::decision);
  return in_flight;
}

std::vector<FormerWorth> ReadOtherwise(Connection& connection,
                                       CampaignId campaign,
                                       const DecisionRecord& seen_by) {
  Statement read = connection.Prepare(
      "SELECT n.number, coalesce(e.further, 0), e.verdict, e.speedup,"
      " e.speedup_low, e.speedup_high FROM node n JOIN evaluation e"
      " ON e.campaign_id = n.campaign_id"
      " AND e.node_number = coalesce(n.same_as, n.number)"
      " WHERE n.campaign_id = ?1 AND n.number < ?3"
      " AND coalesce(e.further, 0) <= ?2 AND n.number IN (" +
          std::string(kChangedSince) + ") ORDER BY n.number, e.ordinal",
      campaign, seen_by.further_seen, seen_by.nodes_seen);
  std::map<NodeId, std::vector<Evidence>> findings;
  while (read.Step())
    findings[read.As<NodeId>(0)].push_back(FindingAt(read, 1));
  std::vector<FormerWorth> otherwise;
  for (const auto& [node, of_it] : findings) {
    if (of_it.front().further) {
      ThrowDamage(Named(node) +
                  " has no evaluation that it was committed with");
    }
    otherwise.push_back(
        {node, node == kRootNode ? WorthOfRoot() : WorthOf(of_it)});
  }
  return otherwise;
}

// As they had chosen before the decision.
void CountAttempts(Connection& connection, std::int64_t decision,
                   std::vector<Directive>& directives) {
  for (Directive& each : directives) {
    each.attempts = connection.Number(
        "SELECT count(*) FROM attempt WHERE directive_id = ? AND decision < ?",
        each.id, decision);
  }
}

}  // namespace

Result<SummaryNews> ReadNews(Database& database, CampaignId campaign,
                             const Summaries& known) {
  Connection& connection = database.connection();
  SummaryNews news;
  TRY_DONE(connection.Read([&]() -> Result<void> {
    TRY(counts, CountsOf(connection, campaign));
    const std::int64_t more = counts.nodes - std::ssize(known.nodes);
    news.is_all = more < 0;
    news.added.further = counts.further;
    news.added.nodes.reserve(
        static_cast<std::size_t>(news.is_all ? counts.nodes : more));
    if (news.is_all || news.added.further == known.further) return {};
    ReadChanged(connection, campaign, known, news.changed);
    return {};
  }));
  const std::int64_t first = news.is_all ? 0 : std::ssize(known.nodes);
  bool may_be_more = true;
  while (may_be_more) {
    TRY_DONE(connection.Read([&]() -> Result<void> {
      may_be_more = Append(connection, campaign, first, news.added.nodes);
      TRY(counts, CountsOf(connection, campaign));
      news.added.newest = counts.further;
      return {};
    }));
  }
  news.is_none = !news.is_all && news.added.nodes.empty() &&
                 news.added.further == known.further;
  return news;
}

void Add(SummaryNews news, Summaries& summaries) {
  if (news.is_all || summaries.nodes.empty()) {
    summaries = std::move(news.added);
    return;
  }
  for (const NodeSummary& node : news.changed) {
    summaries.nodes[static_cast<std::size_t>(Index(node.id))] = node;
  }
  summaries.further = news.added.further;
  summaries.newest = news.added.newest;
  summaries.nodes.insert(summaries.nodes.end(), news.added.nodes.begin(),
                         news.added.nodes.end());
}

Result<std::optional<DecisionState>> ReadDecisionState(Database& database,
                                                       CampaignId campaign,
                                                       std::int64_t decision) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::optional<DecisionState>> {
    Statement read = connection.Prepare(
        "SELECT root_runtime_s, nodes, further FROM campaign"
        " WHERE campaign_id = ?");
    if (!read.Bind(campaign).Step()) return connection.NoSuchCampaign(campaign);
    auto record = ReadDecision(connection, campaign, decision, read.Int(1));
    if (!record) return std::optional<DecisionState>();
    DecisionState decision_state;
    decision_state.decision = *std::move(record);
    decision_state.further = read.Int(2);
    decision_state.policy =
        ReadPolicy(connection, campaign, decision_state.decision);
    decision_state.root_runtime_s = read.OptionalReal(0);
    if (decision_state.decision.nodes_seen > read.Int(1) ||
        decision_state.decision.further_seen > read.Int(2) ||
        Index(decision_state.decision.parent) >=
            decision_state.decision.nodes_seen) {
      ThrowDamage(NamedDecision(decision) + " saw what is not there");
    }
    decision_state.in_flight =
        ReadInFlight(connection, campaign, decision_state.decision);
    decision_state.otherwise =
        ReadOtherwise(connection, campaign, decision_state.decision);
    if (!decision_state.decision.picks.empty()) {
      TRY_ASSIGN(decision_state.asked, ReadAsked(database, campaign));
    }
    TRY(directives, ReadDirectives(database, campaign));
    CountAttempts(connection, decision, directives);
    decision_state.directives = std::move(directives);
    return std::optional(std::move(decision_state));
  });
}

}  // namespace coppice::store
