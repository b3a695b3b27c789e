// coppice verify: the full tier again over the leaders of campaigns.
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "config/keys.h"
#include "engine/campaign/process_lock.h"
#include "engine/campaign/verification.h"
#include "engine/cli/start_campaign.h"
#include "engine/cli/verbs.h"
#include "engine/documents/open_history.h"
#include "engine/documents/row_sheet.h"

namespace coppice::cli {
namespace {

constexpr std::int64_t kTop = 3;

struct Checked {
  std::string campaign;
  engine::Verification verification;
};

// Whether what was measured now and what it counted for are apart.
std::string Outcome(const engine::Verified& verified) {
  if (verified.IsQuarantined()) return "quarantined";
  if (!verified.evaluation.speedup) return "cannot tell";
  const int apart = Over(*verified.evaluation.speedup, verified.claimed).Sign();
  if (apart == 0) return "confirmed";
  return apart < 0 ? "slower than claimed" : "faster than claimed";
}

RowSheet SheetOf(const std::vector<Checked>& all) {
  RowSheet sheet{
      "nodes",
      {"campaign", "node", ForPeople(Right("claimed")), "verdict",
       ForPeople(Right("measured")), ForPeople(Right("counts")), "outcome",
       ForPrograms("quarantined"), ForPrograms("log"), ForPrograms(""),
       ForPrograms("claimed"), ForPrograms("counts")}};
  const auto text = [](const std::optional<Speedup>& speedup) {
    return speedup ? SpeedupText(*speedup) : "-";
  };
  for (const Checked& checked : all) {
    for (const engine::Verified& verified : checked.verification.nodes) {
      const Evaluation& now = verified.evaluation;
      sheet.rows.push_back(
          {checked.campaign, Index(verified.node), text(verified.claimed),
           Name(now.verdict), text(now.speedup), text(verified.worth.speedup),
           Outcome(verified), verified.IsQuarantined(), now.log,
           SpeedupJson(now.speedup), SpeedupJson(verified.claimed),
           SpeedupJson(verified.worth.speedup)});
    }
  }
  return sheet;
}

void PrintLogs(const std::vector<Checked>& all, Streams& streams) {
  for (const Checked& checked : all) {
    for (const engine::Verified& verified : checked.verification.nodes) {
      if (verified.evaluation.verdict == Verdict::kPassed) continue;
      streams.out << "\n"
                  << checked.campaign << ": node " << Index(verified.node)
                  << ": " << Printable(verified.evaluation.log);
    }
  }
}

Result<std::vector<store::CampaignRow>> Chosen(const Invocation& invocation,
                                               Streams& streams,
                                               store::Database& database) {
  if (!invocation.Has("campaign")) {
    TRY(rows, store::Campaigns(database).List());
    if (!rows.empty()) return rows;
  }
  TRY(row, ChooseCampaign(invocation, streams, database));
  std::vector<store::CampaignRow> rows;
  rows.push_back(std::move(row));
  return rows;
}

Result<Checked> Check(const Invocation& invocation, Streams& streams,
                      engine::CampaignFactory& factory,
                      store::Database& database,
                      const store::CampaignRow& row) {
  TRY(lock, engine::ProcessLock::Alone(invocation.settings().db, row.id));
  TRY(task, factory.TaskOf(row.spec));
  TRY(evaluator, factory.EvaluatorFor(task));
  const auto top =
      static_cast<std::size_t>(invocation.Count("top").value_or(kTop));
  const auto begins = [&](NodeId node) {
    streams.err << row.spec.name << ": node " << Index(node) << "\n";
  };
  TRY(verification,
      engine::VerifyLeaders(*evaluator, task, database, row.id, top,
                            factory.clock(), factory.drain(), begins));
  return Checked{row.spec.name, std::move(verification)};
}

Exit ExitOf(const std::vector<Checked>& all) {
  for (const Checked& checked : all) {
    if (checked.verification.is_cut) return Exit::kInterrupted;
  }
  for (const Checked& checked : all) {
    for (const engine::Verified& verified : checked.verification.nodes) {
      if (verified.IsQuarantined()) return Exit::kNoImprovement;
    }
  }
  return Exit::kDone;
}

Result<Exit> RunVerify(const Invocation& given, Streams& streams) {
  Invocation invocation = given;
  if (!given.arguments.empty()) {
    invocation.config.settings.db = given.arguments.front();
  }
  if (invocation.Count("top") == 0) {
    return Fail(Errc::kUsage, "--top: expected at least 1");
  }
  TRY(factory, OpenFactory(invocation));
  TRY(database, store::Database::Open(invocation.settings().db,
                                      store::Access::kReadWrite));
  TRY(rows, Chosen(invocation, streams, database));
  std::vector<Checked> all;
  std::optional<Error> error;
  for (const store::CampaignRow& row : rows) {
    auto checked = Check(invocation, streams, *factory, database, row);
    if (!checked) {
      error = std::move(checked).error();
      break;
    }
    all.push_back(*std::move(checked));
    if (all.back().verification.is_cut) break;
  }
  // Prints what was found before the error, too: it stands in the database by
  // now.
  const RowSheet sheet = SheetOf(all);
  if (invocation.Has("json") || !sheet.rows.empty()) {
    PrintRows(invocation, sheet, streams);
  }
  if (!invocation.Has("json")) PrintLogs(all, streams);
  if (error) return tl::unexpected(*std::move(error));
  return ExitOf(all);
}

}  // namespace

Verb VerifyVerb() {
  return {
      .name = "verify",
      .summary = "judge leaders again, in full; exit code 3 if one must go",
      .arguments = "[DB]",
      .examples =
          "  coppice verify\n"
          "  coppice verify mine.db --campaign gemv.stark.s1 --top 10\n",
      .options = {{"campaign", Takes::kText, "CAMPAIGN", "by default all"},
                  {"top", Takes::kCount, "N", "leaders of each campaign (3)"},
                  kJsonOption},
      .settings =
          config::NamesIn({config::Group::kDatabase, config::Group::kThreads,
                           config::Group::kTimeouts, config::Group::kPython,
                           config::Group::kDevices, config::Group::kData,
                           config::Group::kCache}),
      .first = {"db", "campaign", "top", "json"},
      .run = RunVerify,
  };
}

}  // namespace coppice::cli
