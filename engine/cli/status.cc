// coppice status: the campaigns of a database and how far they are.
#include <nlohmann/json.hpp>
#include <ostream>

#include "config/keys.h"
#include "engine/campaign/short_text.h"
#include "engine/cli/counted.h"
#include "engine/cli/verbs.h"
#include "engine/documents/campaign_rows.h"
#include "engine/documents/continuing.h"
#include "engine/documents/document.h"
#include "engine/documents/measured_json.h"
#include "engine/documents/measured_text.h"
#include "engine/documents/open_history.h"
#include "engine/documents/or_null.h"
#include "engine/documents/row_sheet.h"
#include "engine/documents/table.h"
#include "store/database.h"
#include "store/read/history.h"
#include "store/records/formatted.h"
#include "store/records/speedup_text.h"

namespace coppice::cli {
namespace {

using Json = nlohmann::ordered_json;

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
    text += Counted(standing.pending, "directive") + " pending";
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

Json BestJson(const Standing& standing) {
  if (!standing.best) return nullptr;
  Json best = {{"node", Index(standing.best->node)},
               {"runtime_s", *standing.best->runtime_s}};
  best.update(SpeedupJson(standing.best->speedup));
  best["next"] = NextJson(standing.rival);
  return best;
}

Json DeviceJson(const store::DeviceTime& time) {
  return {{"device", time.device},
          {"evaluations", time.evaluations},
          {"busy_s", time.busy_s},
          {"share", OrNull(time.share)}};
}

// Programs get numbers where people get texts.
Json ToJson(const Standing& standing) {
  const store::CampaignRow& row = standing.row;
  const store::Totals& totals = standing.totals;
  return {{"budget_attempts", row.spec.budget_attempts},
          {"attempts", row.attempts},
          {"nodes", row.nodes},
          {"elapsed_s", row.elapsed_s},
          {"verdicts", VerdictsJson(totals.verdicts)},
          {"calls", totals.calls},
          {"unanswered_calls", totals.unanswered_calls},
          {"input_tokens", totals.input_tokens},
          {"output_tokens", totals.output_tokens},
          {"cost_usd", totals.cost_usd},
          {"claimed_usd", totals.claimed_usd},
          {"pending_directives", standing.pending},
          {"steered", standing.is_steered},
          {"best", BestJson(standing)},
          {"devices", ArrayOf(standing.devices, DeviceJson)}};
}

RowSheet SheetOf(const std::vector<Standing>& standings) {
  RowSheet sheet{
      "campaigns",
      {"campaign", "task", ForPrograms("policy"), ForPrograms("seed"), "state",
       ForPeople(Right("attempts")), ForPeople(Right(kSpeedupTitle)),
       ForPeople(Right("node")), ForPeople(Right("cost")),
       ForPeople("failures"), ForPrograms("")}};
  for (const Standing& standing : standings) {
    const auto& [row, state, totals, best, rival, devices, pending,
                 is_steered] = standing;
    const std::int64_t committed = std::max<std::int64_t>(0, row.nodes - 1);
    sheet.rows.push_back(
        {row.spec.name, row.spec.task_name, store::PolicyOf(row.spec),
         row.spec.seed, state,
         std::to_string(committed) + "/" +
             std::to_string(row.spec.budget_attempts),
         best ? SpeedupText(*best->speedup) : "-",
         best ? WinnerText(best->node, rival) : "-", CostText(totals),
         engine::FailureText(totals.verdicts), ToJson(standing)});
  }
  return sheet;
}

void PrintText(const std::vector<Standing>& standings, Streams& streams) {
  PrintTable(SheetOf(standings), streams);
  const bool is_any_near = std::ranges::any_of(
      standings,
      [](const Standing& s) { return s.rival && !s.rival->IsToldApart(); });
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

Result<Exit> RunStatus(const Invocation& invocation, Streams& streams) {
  const std::filesystem::path& file = invocation.settings().db;
  TRY(database, OpenToLook(invocation));
  TRY(rows, ChosenCampaigns(invocation, streams, database));
  std::vector<Standing> standings;
  for (store::CampaignRow& row : rows) {
    TRY_ASSIGN(standings.emplace_back(),
               ReadStanding(database, file, std::move(row)));
  }
  if (invocation.Has("json")) {
    PrintDocument(RowsJson(SheetOf(standings)), streams.out);
    return Exit::kDone;
  }
  if (standings.empty()) {
    streams.err << NoCampaign(invocation.settings().db.string()).what << "\n";
    return Exit::kDone;
  }
  PrintText(standings, streams);
  PrintNextStep(standings, invocation.config, streams);
  return Exit::kDone;
}

}  // namespace

Verb StatusVerb() {
  return {
      .name = "status",
      .summary = "the campaigns of a database and how far they are",
      .examples =
          "  coppice status\n"
          "  coppice status --db mine.db --json\n",
      .options = {kCampaignOption, kJsonOption},
      .settings = config::NamesIn({config::Group::kDatabase}),
      .run = RunStatus,
  };
}

}  // namespace coppice::cli
