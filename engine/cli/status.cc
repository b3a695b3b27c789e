// coppice status: the campaigns of a database and how far they are.
#include <nlohmann/json.hpp>
#include <ostream>

#include "config/keys.h"
#include "engine/campaign/short_text.h"
#include "engine/cli/verbs.h"
#include "engine/documents/campaign_rows.h"
#include "engine/documents/continuing.h"
#include "engine/documents/document.h"
#include "engine/documents/open_history.h"
#include "engine/documents/or_null.h"
#include "engine/documents/table.h"
#include "store/read/history.h"
#include "store/records/formatted.h"

namespace coppice::cli {
namespace {

// "a: busy were GPU-1a2b 71 %, GPU-3c4d 68 %", where there are several.
void PrintDevices(const Standing& standing, Streams& streams) {
  if (standing.devices.size() < 2) return;
  std::string text;
  for (const store::DeviceTime& time : standing.devices) {
    text += text.empty() ? ": busy were " : ", ";
    text +=
        time.device + Formatted(" %.0f %%", 100.0 * time.share.value_or(0.0));
  }
  streams.out << Printable(standing.row.spec.name + text) << "\n";
}

// "a: 2 directives pending; steered by people: coppice steer list"
void PrintSteering(const Standing& standing, Streams& streams) {
  std::string text;
  if (standing.pending > 0) {
    text +=
        std::to_string(standing.pending) +
        (standing.pending == 1 ? " directive pending" : " directives pending");
  }
  if (standing.is_steered) {
    text += text.empty() ? "steered by people" : "; steered by people";
  }
  if (text.empty()) return;
  streams.out << Printable(standing.row.spec.name + ": " + text +
                           "; `coppice steer list` has them")
              << "\n";
}

// "$1.50", "$1.50 + $0.20 claimed", by outside agents; "-": nothing.
std::string CostText(const store::Totals& totals) {
  if (totals.claimed_usd > 0) {
    return Formatted("$%.2f + $%.2f claimed", totals.cost_usd,
                     totals.claimed_usd);
  }
  return totals.cost_usd > 0 ? Formatted("$%.2f", totals.cost_usd) : "-";
}

void PrintTable(const std::vector<Standing>& standings, Streams& streams) {
  Table table({"campaign", "task", "state", Right("attempts"),
               Right(kSpeedupTitle), Right("node"), Right("cost"), "failures"});
  bool is_any_near = false;
  for (const auto& [row, state, totals, best, rival, devices, pending,
                    is_steered] : standings) {
    is_any_near |= rival && !rival->IsToldApart();
    const std::int64_t committed = std::max<std::int64_t>(0, row.nodes - 1);
    table.AddRow({row.spec.name, row.spec.task_name, state,
                  std::to_string(committed) + "/" +
                      std::to_string(row.spec.budget_attempts),
                  best ? SpeedupText(*best->speedup) : "-",
                  best ? WinnerText(best->node, rival) : "-", CostText(totals),
                  engine::FailureText(totals.verdicts)});
  }
  table.Print(streams);
  if (is_any_near) streams.out << kWinnerNote;
  for (const Standing& standing : standings) {
    PrintDevices(standing, streams);
    PrintSteering(standing, streams);
  }
}

void PrintNextStep(const std::vector<Standing>& standings,
                   const config::Loaded& loaded, Streams& streams) {
  const bool resumable =
      std::any_of(standings.begin(), standings.end(), [](const Standing& s) {
        return s.state == "interrupted" || s.state == "paused" ||
               s.state == "waiting";
      });
  if (resumable) {
    streams.err << "continue with: " << ContinueCommand("resume --db", loaded)
                << "\n";
  }
}

void PrintJson(const std::vector<Standing>& standings, Streams& streams) {
  nlohmann::ordered_json campaigns = nlohmann::ordered_json::array();
  for (const auto& [row, state, totals, best, rival, devices, pending,
                    is_steered] : standings) {
    nlohmann::ordered_json verdicts;
    for (std::size_t i = 0; i < kVerdictNames.size(); ++i) {
      verdicts[std::string(kVerdictNames[i])] = totals.verdicts[i];
    }
    nlohmann::ordered_json campaign = {
        {"campaign", row.spec.name},
        {"task", row.spec.task_name},
        {"policy", store::PolicyOf(row.spec)},
        {"seed", row.spec.seed},
        {"state", state},
        {"budget_attempts", row.spec.budget_attempts},
        {"attempts", row.attempts},
        {"nodes", row.nodes},
        {"elapsed_s", row.elapsed_s},
        {"verdicts", verdicts},
        {"calls", totals.calls},
        {"unanswered_calls", totals.unanswered_calls},
        {"input_tokens", totals.input_tokens},
        {"output_tokens", totals.output_tokens},
        {"cost_usd", totals.cost_usd},
        {"claimed_usd", totals.claimed_usd},
        {"pending_directives", pending},
        {"steered", is_steered},
        {"best", nullptr}};
    if (best) {
      campaign["best"] = {{"node", Index(best->node)},
                          {"runtime_s", *best->runtime_s}};
      campaign["best"].update(SpeedupJson(best->speedup));
      campaign["best"]["next"] = NextJson(rival);
    }
    campaign["devices"] = nlohmann::ordered_json::array();
    for (const store::DeviceTime& time : devices) {
      campaign["devices"].push_back({{"device", time.device},
                                     {"evaluations", time.evaluations},
                                     {"busy_s", time.busy_s},
                                     {"share", OrNull(time.share)}});
    }
    campaigns.push_back(std::move(campaign));
  }
  PrintDocument(campaigns, streams.out);
}

Result<Exit> RunStatus(const Invocation& invocation, Streams& streams) {
  const std::filesystem::path& file = invocation.settings().db;
  TRY(database, OpenToLook(invocation));
  std::vector<store::CampaignRow> rows;
  if (invocation.Has("campaign")) {
    TRY(row, ChooseCampaign(invocation, streams, database));
    rows.push_back(std::move(row));
  } else {
    TRY(all, store::Campaigns(database).List());
    rows = std::move(all);
  }
  std::vector<Standing> standings;
  for (store::CampaignRow& row : rows) {
    TRY(standing, ReadStanding(database, file, std::move(row)));
    standings.push_back(std::move(standing));
  }
  if (invocation.Has("json")) {
    PrintJson(standings, streams);
    return Exit::kDone;
  }
  if (standings.empty()) {
    streams.err << NoCampaign(invocation.settings().db.string()).what << "\n";
    return Exit::kDone;
  }
  PrintTable(standings, streams);
  PrintNextStep(standings, invocation.config, streams);
  return Exit::kDone;
}

}  // namespace

Verb StatusVerb() {
  return {
      .name = "status",
      .summary = "the campaigns of a database and how far they are",
      .arguments = "",
      .examples =
          "  coppice status\n"
          "  coppice status --db mine.db --json\n",
      .options = {kCampaignOption, kJsonOption},
      .settings = config::NamesIn({config::Group::kDatabase}),
      .run = RunStatus,
  };
}

}  // namespace coppice::cli
