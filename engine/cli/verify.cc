// coppice verify: the full tier again over the leaders of campaigns.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "config/keys.h"
#include "engine/campaign/process_lock.h"
#include "engine/campaign/verification.h"
#include "engine/cli/evaluation_text.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/verbs.h"
#include "engine/documents/measured_json.h"
#include "engine/documents/measured_text.h"
#include "engine/documents/open_history.h"
#include "engine/documents/row_sheet.h"
#include "engine/documents/table.h"
#include "engine/factory/campaign_factory.h"
#include "store/database.h"
#include "store/records/speedup_text.h"
#include "store/write/campaigns.h"

namespace coppice::cli {
namespace {

constexpr std::int64_t kTop = 3;

struct Checked {
  std::string campaign;
  engine::Verified node;
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
  for (const auto& [campaign, verified] : all) {
    const Evaluation& now = verified.evaluation;
    sheet.rows.push_back(
        {campaign, Index(verified.node), text(verified.claimed),
         Name(now.verdict), text(now.speedup), text(verified.worth.speedup),
         Outcome(verified), verified.IsQuarantined(), now.log,
         SpeedupJson(now.speedup), SpeedupJson(verified.claimed),
         SpeedupJson(verified.worth.speedup)});
  }
  return sheet;
}

void PrintLogs(const std::vector<Checked>& all, Streams& streams) {
  for (const auto& [campaign, verified] : all) {
    if (verified.evaluation.verdict == Verdict::kPassed) continue;
    streams.out << "\n"
                << OneLine(campaign) << ": " << NodeText(verified.node) << ": "
                << LogText(verified.evaluation.log);
  }
}

// Appends its leaders; whether they are all.
Result<bool> Check(const Invocation& invocation, Streams& streams,
                   engine::CampaignFactory& factory, store::Database& database,
                   const store::CampaignRow& row, std::vector<Checked>& all) {
  TRY(lock, engine::ProcessLock::Alone(invocation.settings().db, row.id));
  TRY(task, factory.TaskOf(row.spec));
  TRY(evaluator, factory.EvaluatorFor(task));
  const auto top =
      static_cast<std::size_t>(invocation.Count("top").value_or(kTop));
  const auto begins = [&](NodeId node) {
    streams.err << OneLine(row.spec.name) << ": " << NodeText(node) << "\n";
  };
  TRY(verification,
      engine::VerifyLeaders(*evaluator, task, database, row.id, top,
                            factory.clock(), factory.drain(), begins));
  for (engine::Verified& verified : verification.nodes) {
    all.push_back({row.spec.name, std::move(verified)});
  }
  return !verification.is_cut;
}

Result<Exit> RunVerify(const Invocation& invocation, Streams& streams) {
  if (invocation.Count("top") == 0) {
    return Fail(Errc::kUsage, "--top: expected at least 1");
  }
  TRY(factory, OpenFactory(invocation));
  TRY(database, store::Database::Open(invocation.settings().db,
                                      store::Access::kReadWrite));
  TRY(rows, CampaignsToExport(invocation, streams, database));
  std::vector<Checked> all;
  Result<bool> is_whole = true;
  for (const store::CampaignRow& row : rows) {
    is_whole = Check(invocation, streams, *factory, database, row, all);
    if (!is_whole || !*is_whole) break;
  }
  // Prints what was found before the error, too: it stands in the database by
  // now.
  const RowSheet sheet = SheetOf(all);
  if (invocation.Has("json") || !sheet.rows.empty()) {
    PrintRows(invocation, sheet, streams);
  }
  if (!invocation.Has("json")) PrintLogs(all, streams);
  if (!is_whole) return tl::unexpected(std::move(is_whole).error());
  if (!*is_whole) return Exit::kInterrupted;
  const bool must_one_go = std::ranges::any_of(
      all, [](const Checked& one) { return one.node.IsQuarantined(); });
  return must_one_go ? Exit::kNoImprovement : Exit::kDone;
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
