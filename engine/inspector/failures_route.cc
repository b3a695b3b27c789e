// GET /api/failures: failing nodes, in groups by the line that says what
// failed.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "agents/attempt_table.h"
#include "engine/inspector/inspector.h"
#include "engine/inspector/routes.h"
#include "engine/inspector/rows.h"
#include "store/campaign_pages.h"
#include "store/history.h"

namespace coppice::inspector {
namespace {

constexpr std::size_t kLineBytes = 200;
constexpr std::size_t kNodes = 20;

// What failed since; all of it once a further evaluation changed a verdict.
Result<void> BringUpToDate(store::Database& database,
                           const store::CampaignRow& row, std::int64_t further,
                           FailureLines& lines) {
  if (lines.further != further || row.nodes < lines.nodes) lines = {};
  const auto visit = [&](const store::FailedNode& failed) {
    lines.failures.push_back({failed.node, failed.verdict, failed.rule,
                              failed.technique, failed.policy,
                              agents::TellFailure(failed.text, kLineBytes)});
    lines.nodes = failed.node + 1;
  };
  TRY_DONE(store::ScanFailed(database, row.id, lines.nodes, visit));
  lines.further = further;
  return {};
}

struct Group {
  std::vector<const FailureLine*> members;
};

Json GroupJson(const Group& group) {
  const FailureLine& first = *group.members.front();
  Json nodes = Json::array();
  std::map<std::string, std::int64_t> techniques;
  std::map<std::string, std::int64_t> policies;
  for (const FailureLine* member : group.members) {
    if (nodes.size() < kNodes) nodes.push_back(member->node);
    ++techniques[member->technique];
    ++policies[member->policy];
  }
  return {{"verdict", Name(first.verdict)},
          {"breach", first.rule.empty() ? Json(nullptr) : Json(first.rule)},
          {"line", first.line},
          {"count", group.members.size()},
          {"nodes", std::move(nodes)},
          {"techniques", techniques},
          {"policies", policies},
          {"example", {{"node", first.node}, {"log", nullptr}}}};
}

Json GroupsJson(const FailureLines& lines) {
  std::map<std::tuple<Verdict, std::string, std::string>, Group> groups;
  for (const FailureLine& line : lines.failures) {
    groups[{line.verdict, line.rule, line.line}].members.push_back(&line);
  }
  Json all = Json::array();
  for (const auto& [key, group] : groups) all.push_back(GroupJson(group));
  std::stable_sort(all.begin(), all.end(), [](const Json& a, const Json& b) {
    return a["count"] > b["count"];
  });
  return all;
}

}  // namespace

Result<http::Answer> AnswerFailures(const Asked& asked) {
  TRY(chosen, asked.Choose());
  store::Database& database = chosen.database();
  const store::CampaignRow& row = chosen.campaign;
  TRY(further,
      asked.inspector().trees().With(
          database, row,
          [](const store::NodeColumns& columns) -> Result<std::int64_t> {
            return columns.further;
          }));
  TRY(groups, asked.inspector().failures().With(
                  row, [&](FailureLines& lines) -> Result<Json> {
                    TRY_DONE(BringUpToDate(database, row, further, lines));
                    return GroupsJson(lines);
                  }));
  for (Json& group : groups) {
    const auto node = group["example"]["node"].get<std::int64_t>();
    TRY(log, store::ReadLog(database, row.id, static_cast<NodeId>(node)));
    group["example"]["log"] = log;
    CutText(group["example"], "log", "log_cut", false);
  }
  return JsonAnswer(groups);
}

}  // namespace coppice::inspector
