// coppice report spend: what model calls cost, and what an improvement did.
#include "store/read/spend.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "config/keys.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/open_history.h"
#include "engine/documents/table.h"

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

void PrintSpend(const std::vector<store::SpendLine>& lines,
                const Grouping& grouping, Streams& streams) {
  std::map<std::pair<std::string, std::string>, store::SpendLine> sums;
  for (const store::SpendLine& line : lines) {
    AddUp(line, sums[{line.campaign, grouping.of(line)}]);
  }
  Table table({{"campaign"},
               {std::string(grouping.name)},
               {"calls", Align::kRight},
               {"failed", Align::kRight},
               {"unanswered", Align::kRight},
               {"input", Align::kRight},
               {"cached", Align::kRight},
               {"output", Align::kRight},
               {"cost", Align::kRight}});
  for (const auto& [key, sum] : sums) {
    table.AddRow({key.first, key.second, std::to_string(sum.calls),
                  std::to_string(sum.failed), std::to_string(sum.unanswered),
                  std::to_string(sum.input_tokens),
                  std::to_string(sum.cached_input_tokens),
                  std::to_string(sum.output_tokens), DollarText(sum.cost_usd)});
  }
  table.Print(streams);
}

void PrintImprovements(const std::vector<store::ImprovementCost>& costs,
                       Streams& streams) {
  for (const store::ImprovementCost& cost : costs) {
    streams.out << OneLine(cost.campaign) << ": " << DollarText(cost.cost_usd)
                << " for " << cost.improvements << " improvements";
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

void PrintJson(const std::vector<store::SpendLine>& lines,
               const std::vector<store::ImprovementCost>& costs,
               Streams& streams) {
  using SpendJson = nlohmann::ordered_json;
  SpendJson spend = SpendJson::array();
  for (const store::SpendLine& line : lines) {
    spend.push_back({{"campaign", line.campaign},
                     {"day", line.day},
                     {"role", line.role},
                     {"provider", line.provider},
                     {"model", line.model},
                     {"calls", line.calls},
                     {"failed", line.failed},
                     {"unanswered", line.unanswered},
                     {"input_tokens", line.input_tokens},
                     {"cached_input_tokens", line.cached_input_tokens},
                     {"output_tokens", line.output_tokens},
                     {"cost_usd", line.cost_usd},
                     {"latency_s", line.latency_s}});
  }
  SpendJson improvements = SpendJson::array();
  for (const store::ImprovementCost& cost : costs) {
    SpendJson one = {{"campaign", cost.campaign},
                     {"cost_usd", cost.cost_usd},
                     {"unsettled_usd", cost.unsettled_usd},
                     {"improvements", cost.improvements},
                     {"usd_per_improvement", nullptr},
                     {"best_speedup", nullptr}};
    if (cost.usd_per_improvement) {
      one["usd_per_improvement"] = *cost.usd_per_improvement;
    }
    if (cost.best_speedup) one["best_speedup"] = *cost.best_speedup;
    improvements.push_back(std::move(one));
  }
  const SpendJson all = {{"spend", spend}, {"improvements", improvements}};
  PrintDocument(all, streams.out);
}

Result<Exit> RunSpend(const Invocation& invocation, Streams& streams) {
  TRY(database, OpenToLook(invocation));
  std::optional<std::string> campaign;  // None: all.
  if (invocation.Has("campaign")) {
    TRY(chosen, ChooseCampaign(invocation, streams, database));
    campaign = std::move(chosen.spec.name);
  }
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
      .arguments = "",
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
