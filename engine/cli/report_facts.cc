#include "engine/cli/report_facts.h"

#include <algorithm>
#include <utility>

#include "engine/documents/measured_text.h"
#include "store/records/node.h"
#include "store/records/node_summary.h"
#include "store/records/unified_diff.h"
#include "store/write/nodes.h"

namespace coppice::cli {
namespace {

constexpr std::int64_t kMostNodes = 10'001;  // In the table.
constexpr std::size_t kMostLogs = 40;        // Groups at most.

Result<void> ReadLineageOf(store::Database& database, CampaignId campaign,
                           NodeId best, ReportFacts& facts) {
  TRY(lineage, store::ReadLineage(database, campaign, best));
  std::string before;
  for (store::Ancestor& ancestor : lineage) {
    TRY(node, store::Nodes(database).Load(campaign, ancestor.line.node));
    LineageStep step;
    facts.is_simulated =
        node.candidate && node.candidate->language == Language::kSim;
    const std::string source = node.candidate ? node.candidate->source : "";
    if (ancestor.line.parent) {
      step.diff = UnifiedDiff({NodeText(*ancestor.line.parent), before},
                              {NodeText(ancestor.line.node), source});
    }
    step.ancestor = std::move(ancestor);
    facts.lineage.push_back(std::move(step));
    before = source;
  }
  facts.source = std::move(before);
  return {};
}

Result<void> ReadFailures(store::Database& database,
                          const store::CampaignRow& row, ReportFacts& facts) {
  engine::FailureLines lines;
  TRY_DONE(engine::BringUpToDate(database, row, 0, lines));
  facts.failing = std::ssize(lines.failures);
  for (engine::FailureGroup& group : engine::GroupFailures(lines)) {
    FailureExample example{std::move(group), ""};
    if (facts.failures.size() < kMostLogs) {
      TRY_ASSIGN(
          example.log,
          store::ReadLog(database, row.id,
                         static_cast<NodeId>(example.group.nodes.front())));
    }
    facts.failures.push_back(std::move(example));
  }
  return {};
}

Result<void> ReadEnvironments(store::Database& database, CampaignId campaign,
                              ReportFacts& facts) {
  TRY(of_root, store::ReadEvaluations(database, campaign, kRootNode));
  const auto add = [&](const std::vector<Evaluation>& evaluations) {
    for (const Evaluation& evaluation : evaluations) {
      if (std::ranges::count(facts.environments, evaluation.environment) == 0) {
        facts.environments.push_back(evaluation.environment);
      }
    }
  };
  add(of_root);
  add(facts.evaluations);
  return {};
}

}  // namespace

Result<ReportFacts> ReadReportFacts(store::Database& database,
                                    const std::filesystem::path& file,
                                    store::CampaignRow row) {
  const CampaignId id = row.id;
  const std::string name = row.spec.name;
  const std::optional<double> root_s = row.root_runtime_s;
  ReportFacts facts;
  TRY_ASSIGN(facts.standing, ReadStanding(database, file, std::move(row)));
  TRY_ASSIGN(facts.leaders, store::ReadLeaders(database, id));
  TRY_ASSIGN(facts.improvements, store::ReadImprovements(database, id));
  TRY_DONE(store::Nodes(database).Scan(id, [&](const NodeSummary& node) {
    CurveNode point{node.verdict, {}};
    if (node.runtime_s && root_s) point.speedup = *root_s / *node.runtime_s;
    facts.points.push_back(point);
  }));
  store::TreePage first;
  first.limit = kMostNodes;
  TRY_ASSIGN(facts.nodes, store::ReadTree(database, id, first));
  std::ranges::sort(facts.nodes, {}, &store::NodeLine::node);
  TRY(claims, store::ReadClaims(database, id));
  for (store::ClaimLine& claim : claims) {
    if (claim.node) facts.claims.emplace(*claim.node, std::move(claim));
  }
  if (!facts.leaders.empty()) {
    const NodeId best = facts.leaders.front().line.node;
    TRY_DONE(ReadLineageOf(database, id, best, facts));
    TRY_ASSIGN(facts.evaluations, store::ReadEvaluations(database, id, best));
  }
  if (facts.standing.row.nodes > 0) {
    TRY_DONE(ReadEnvironments(database, id, facts));
  }
  TRY_DONE(ReadFailures(database, facts.standing.row, facts));
  TRY_ASSIGN(facts.baselines, store::ReadBaselines(database, id));
  TRY_ASSIGN(facts.spend, store::ReadSpend(database, name));
  TRY(costs, store::ReadImprovementCosts(database, name));
  if (!costs.empty()) facts.cost = costs.front();
  TRY(span, store::ReadSpan(database, id));
  if (span) {
    facts.first_at_s = span->first;
    facts.last_at_s = span->second;
  }
  return facts;
}

}  // namespace coppice::cli
