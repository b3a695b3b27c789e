#include "engine/campaign/failure_groups.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <tuple>

#include "agents/prompt/attempt_table.h"
#include "store/read/campaign_pages.h"

namespace coppice::engine {
namespace {

constexpr std::size_t kLineBytes = 200;
constexpr std::size_t kNodesOfGroup = 20;

// Numbers do not tell failures apart: "y[#]".
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

}  // namespace

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
  lines.further = further;
  for (;;) {
    TRY(count, store::ScanFailed(database, row.id, lines.nodes, visit));
    if (count == 0) return {};
  }
}

std::vector<FailureGroup> GroupFailures(const FailureLines& lines) {
  std::map<std::tuple<Verdict, std::string, std::string>, FailureGroup> groups;
  for (const FailureLine& line : lines.failures) {
    FailureGroup& group =
        groups[{line.verdict, line.rule, WithoutNumbers(line.line)}];
    if (group.count++ == 0) {
      group.verdict = line.verdict;
      group.rule = line.rule;
      group.line = line.line;
    }
    if (group.nodes.size() < kNodesOfGroup) group.nodes.push_back(line.node);
    ++group.techniques[line.technique];
    ++group.policies[line.policy];
  }
  std::vector<FailureGroup> all;
  for (auto& [key, group] : groups) all.push_back(std::move(group));
  std::ranges::stable_sort(all, std::greater<>(), &FailureGroup::count);
  return all;
}

}  // namespace coppice::engine
