#include "engine/cli/report_facts.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "engine/cli/looking.h"
#include "store/failing.h"
#include "store/nodes.h"
#include "store/records/unified_diff.h"

namespace coppice::cli {
namespace {

constexpr std::int64_t kMostNodes = 10'001;  // In the table.
constexpr std::int64_t kMostFailing = 50'000;
constexpr std::size_t kMostNodesOfGroup = 12;

// Numbers, quoted names aside, do not tell failures apart: "y[#]".
std::string WithoutNumbers(std::string_view line) {
  std::string text;
  for (const char c : line) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) {
      text += c;
    } else if (!text.ends_with('#')) {
      text += '#';
    }
  }
  return text;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

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
      const auto label = [](NodeId id) {
        return "node " + std::to_string(Index(id));
      };
      step.diff = UnifiedDiff({label(*ancestor.line.parent), before},
                              {label(ancestor.line.node), source});
    }
    step.ancestor = std::move(ancestor);
    facts.lineage.push_back(std::move(step));
    before = source;
  }
  facts.source = std::move(before);
  return {};
}

Result<void> ReadFailures(store::Database& database, CampaignId campaign,
                          ReportFacts& facts) {
  std::map<std::pair<Verdict, std::string>, FailureGroup> groups;
  TRY(failing,
      store::ScanFailing(
          database, campaign, kMostFailing, [&](const store::Failing& node) {
            const std::string line = FirstErrorLine(node.log);
            FailureGroup& group = groups[{node.verdict, WithoutNumbers(line)}];
            if (group.count++ == 0) {
              group.verdict = node.verdict;
              group.breach = node.breach;
              group.line = line;
              group.log = node.log;
            }
            if (group.nodes.size() < kMostNodesOfGroup) {
              group.nodes.push_back(node.node);
            }
            if (!node.technique.empty()) ++group.techniques[node.technique];
            ++facts.grouped;
          }));
  facts.failing = failing;
  for (auto& [key, group] : groups) {
    facts.failures.push_back(std::move(group));
  }
  std::ranges::stable_sort(facts.failures, std::greater<>(),
                           &FailureGroup::count);
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

std::string FirstErrorLine(std::string_view log) {
  std::string_view first;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    const bool leads_in = line.empty() || line.starts_with(' ') ||
                          line.starts_with("Traceback") ||
                          line.starts_with("In file included from");
    if (leads_in) continue;
    if (LowerCase(line).find("error") != std::string::npos) {
      return std::string(line);
    }
    if (first.empty()) first = line;
  }
  return std::string(first);
}

Result<ReportFacts> ReadReportFacts(store::Database& database,
                                    const std::filesystem::path& file,
                                    store::CampaignRow row) {
  const CampaignId id = row.id;
  const std::string name = row.spec.name;
  const std::optional<double> root_s = row.root_runtime_s;
  ReportFacts facts;
  TRY(standing, ReadStanding(database, file, std::move(row)));
  facts.standing = std::move(standing);
  TRY(leaders, store::ReadLeaders(database, id));
  facts.leaders = std::move(leaders);
  TRY(improvements, store::ReadImprovements(database, id));
  facts.improvements = std::move(improvements);
  TRY_DONE(store::Nodes(database).Scan(id, [&](const NodeSummary& node) {
    CurvePoint point{node.verdict, {}};
    if (node.runtime_s && root_s) point.speedup = *root_s / *node.runtime_s;
    facts.points.push_back(point);
  }));
  store::TreePage first;
  first.limit = kMostNodes;
  TRY(lines, store::ReadTree(database, id, first));
  facts.nodes = std::move(lines);
  std::ranges::sort(facts.nodes, {}, &store::NodeLine::node);
  TRY(claims, store::ReadClaims(database, id));
  for (store::ClaimLine& claim : claims) {
    if (claim.node) facts.claims.emplace(*claim.node, std::move(claim));
  }
  if (!facts.leaders.empty()) {
    const NodeId best = facts.leaders.front().line.node;
    TRY_DONE(ReadLineageOf(database, id, best, facts));
    TRY(evaluations, store::ReadEvaluations(database, id, best));
    facts.evaluations = std::move(evaluations);
  }
  if (facts.standing.row.nodes > 0) {
    TRY_DONE(ReadEnvironments(database, id, facts));
  }
  TRY_DONE(ReadFailures(database, id, facts));
  TRY(baselines, store::ReadBaselines(database, id));
  facts.baselines = std::move(baselines);
  TRY(spend, store::ReadSpend(database, name));
  facts.spend = std::move(spend);
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
