// coppice report spend: what model calls cost, and what an improvement did.
#include "store/read/spend.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "config/keys.h"
#include "engine/cli/counted.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/measured_text.h"
#include "engine/documents/open_history.h"
#include "engine/documents/or_null.h"
#include "engine/documents/row_sheet.h"
#include "engine/documents/table.h"
#include "store/write/campaigns.h"

namespace coppice::cli {
namespace {

using Spender = std::string (*)(const store::SpendLine&);

std::string ByModel(const store::SpendLine& line) {
  return line.provider + ":" + line.model;
}
std::string ByRole(const store::SpendLine& line) { return line.role; }
std::string ByDay(const store::SpendLine& line) { return line.day; }

struct Grouping {
  std::string_view name;
  Spender of;
};
constexpr Grouping kGroupings[] = {
    {"model", ByModel}, {"role", ByRole}, {"day", ByDay}};

const Grouping& GroupingOf(const Invocation& invocation) {
  const std::string wanted = invocation.Text("by").value_or("model");
  return *std::ranges::find(kGroupings, wanted, &Grouping::name);
}

void AddUp(const store::SpendLine& line, store::SpendLine& sum) {
  sum.calls += line.calls;
  sum.failed += line.failed;
  sum.unanswered += line.unanswered;
  sum.input_tokens += line.input_tokens;
  sum.cached_input_tokens += line.cached_input_tokens;
  sum.output_tokens += line.output_tokens;
  sum.cost_usd += line.cost_usd;
  sum.latency_s += line.latency_s;
}

RowSheet SpendSheet(const Grouping& grouping) {
  return {
      "spend",
      {"campaign", ForPeople(std::string(grouping.name)), ForPrograms("day"),
       ForPrograms("role"), ForPrograms("provider"), ForPrograms("model"),
       "calls", "failed", "unanswered", RowColumn("input", "input_tokens"),
       RowColumn("cached", "cached_input_tokens"),
       RowColumn("output", "output_tokens"),
       RowColumn("cost", "cost_usd", DollarText), ForPrograms("latency_s")}};
}

void AddRow(const store::SpendLine& line, const Grouping& grouping,
            RowSheet& sheet) {
  sheet.rows.push_back({line.campaign, grouping.of(line), line.day, line.role,
                        line.provider, line.model, line.calls, line.failed,
                        line.unanswered, line.input_tokens,
                        line.cached_input_tokens, line.output_tokens,
                        line.cost_usd, line.latency_s});
}

void PrintSpend(const std::vector<store::SpendLine>& lines,
                const Grouping& grouping, Streams& streams) {
  std::map<std::pair<std::string, std::string>, store::SpendLine> sums;
  for (const store::SpendLine& line : lines) {
    const auto [sum, is_new] =
        sums.try_emplace({line.campaign, grouping.of(line)}, line);
    if (!is_new) AddUp(line, sum->second);
  }
  RowSheet sheet = SpendSheet(grouping);
  for (const auto& [key, sum] : sums) AddRow(sum, grouping, sheet);
  PrintTable(sheet, streams);
}

void PrintImprovements(const std::vector<store::ImprovementCost>& costs,
                       Streams& streams) {
  for (const store::ImprovementCost& cost : costs) {
    streams.out << OneLine(cost.campaign) << ": " << DollarText(cost.cost_usd)
                << " for " << Counted(cost.improvements, "improvement");
    if (cost.usd_per_improvement) {
      streams.out << ", " << DollarText(*cost.usd_per_improvement) << " each";
    }
    if (cost.unsettled_usd > 0) {
      streams.out << "; unanswered calls may have cost another "
                  << DollarText(cost.unsettled_usd);
    }
    streams.out << "\n";
  }
}

nlohmann::ordered_json ToJson(const store::ImprovementCost& cost) {
  return {{"campaign", cost.campaign},
          {"cost_usd", cost.cost_usd},
          {"unsettled_usd", cost.unsettled_usd},
          {"improvements", cost.improvements},
          {"usd_per_improvement", OrNull(cost.usd_per_improvement)},
          {"best_speedup", OrNull(cost.best_speedup)}};
}

void PrintJson(const std::vector<store::SpendLine>& lines,
               const std::vector<store::ImprovementCost>& costs,
               Streams& streams) {
  RowSheet spend = SpendSheet(kGroupings[0]);
  for (const store::SpendLine& line : lines) AddRow(line, kGroupings[0], spend);
  const auto improvement = [](const auto& cost) { return ToJson(cost); };
  PrintDocument({{"spend", RowsJson(spend)},
                 {"improvements", ArrayOf(costs, improvement)}},
                streams.out);
}

Result<Exit> RunSpend(const Invocation& invocation, Streams& streams) {
  TRY(database, OpenToLook(invocation));
  TRY(campaign, ChosenName(invocation, streams, database));
  TRY(lines, store::ReadSpend(database, campaign));
  TRY(costs, store::ReadImprovementCosts(database, campaign));
  if (invocation.Has("json")) {
    PrintJson(lines, costs, streams);
    return Exit::kDone;
  }
  if (!lines.empty()) {
    PrintSpend(lines, GroupingOf(invocation), streams);
    streams.out << "\n";
  }
  PrintImprovements(costs, streams);
  return Exit::kDone;
}

}  // namespace

Verb SpendAction() {
  return {
      .name = "report spend",
      .summary = "what model calls cost, and what an improvement did",
      .examples =
          "  coppice report spend\n"
          "  coppice report spend --by day --db mine.db\n"
          "  coppice report spend --campaign gemv.stark.s1 --json\n",
      .options = {{"by", Takes::kText, "model|role|day",
                   "what is added up (model)"},
                  kCampaignOption,
                  kJsonOption},
      .settings = config::NamesIn({config::Group::kDatabase}),
      .run = RunSpend,
  };
}

}  // namespace coppice::cli
