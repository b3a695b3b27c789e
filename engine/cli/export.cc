// coppice export: the winning kernel, as source or as a solution document; the
// whole database, for programs that know nothing of its texts; a page about a
// campaign, for people; all model calls with what came of them, to train on;
// what was judged, as a trace set; or results as KernelBench keeps them.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "config/keys.h"
#include "engine/cli/counted.h"
#include "engine/cli/export_trajectories.h"
#include "engine/cli/kernelbench_export.h"
#include "engine/cli/output.h"
#include "engine/cli/traces.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/open_history.h"
#include "engine/interchange/solutions.h"
#include "engine/process/terminal_text.h"
#include "eval/formats/trace_set.h"
#include "store/database.h"
#include "store/read/history.h"
#include "store/read/plain_export.h"
#include "store/records/node.h"
#include "store/write/campaigns.h"
#include "store/write/nodes.h"

namespace coppice::cli {
namespace {

Result<std::string> AsSolution(const store::CampaignRow& campaign,
                               const NodeRecord& node) {
  TRY(task, eval::ParseTask(campaign.spec.task_json));
  return eval::SerialiseSolution(engine::SolutionOf(campaign, task, node)) +
         "\n";
}

Result<Exit> ExportPlain(const Invocation& invocation, Streams& streams) {
  const auto path = invocation.Text("output");
  if (!path || *path == "-") {
    return Fail(Errc::kUsage, "say where with --output FILE");
  }
  TRY(database, OpenToLook(invocation));
  TRY_DONE(store::ExportPlain(database, *path));
  streams.err << *path << ": a plain copy of "
              << invocation.settings().db.string() << "\n";
  return Exit::kDone;
}

SampleChoice SamplesOf(const Invocation& invocation) {
  return invocation.Text("samples") == "all" ? SampleChoice::kAll
                                             : SampleChoice::kBest;
}

Result<Exit> ExportResults(const Invocation& invocation, Streams& streams) {
  const auto directory = invocation.Text("output");
  if (!directory || *directory == "-") {
    return Fail(Errc::kUsage, "say where with --output DIRECTORY");
  }
  TRY(database, OpenToLook(invocation));
  TRY(campaigns, CampaignsToExport(invocation, streams, database));
  TRY(exported, ExportKernelBench(database, campaigns, SamplesOf(invocation),
                                  *directory));
  for (const std::string& name : exported.left_out) {
    streams.err << engine::OneLine(name)
                << ": left out, its task is no problem of KernelBench "
                << "(one of a level, named as 19_ReLU is)\n";
  }
  if (exported.runs == 0) {
    return Fail(Errc::kNotFound, invocation.settings().db.string() +
                                     ": no campaign is on a problem of "
                                     "KernelBench");
  }
  streams.err << *directory << ": " << Counted(exported.runs, "run") << ", "
              << Counted(exported.kernels, "kernel") << ", "
              << Counted(exported.baselines, "baseline file") << "\n";
  return Exit::kDone;
}

Result<Exit> ExportBest(const Invocation& invocation, Streams& streams) {
  TRY(database, OpenToLook(invocation));
  TRY(campaign, ChooseCampaign(invocation, streams, database));
  TRY(winner, Winner(database, campaign));
  const NodeId best = winner.line.node;
  TRY(node, store::Nodes(database).Load(campaign.id, best));
  std::string text = node.candidate->source;
  if (invocation.Has("solution")) {
    TRY_ASSIGN(text, AsSolution(campaign, node));
  }
  if (const auto path = invocation.Text("output"); path && *path != "-") {
    TRY_DONE(WriteFile(*path, text));
    streams.err << *path << ": node " << Index(best) << " of "
                << engine::OneLine(campaign.spec.name) << "\n";
  } else {
    streams.out << text;
  }
  return Exit::kDone;
}

}  // namespace

Verb ExportVerb() {
  const auto database = config::NamesIn({config::Group::kDatabase});
  constexpr Option kToFile{"output", Takes::kText, "FILE", "instead of stdout"};
  constexpr Option kWanted{"output", Takes::kText, "FILE",
                           "the new database; needed"};
  constexpr Option kDirectory{"output", Takes::kText, "DIRECTORY",
                              "where to; needed"};
  return {
      .name = "export",
      .summary = "what a database holds, for others",
      .actions =
          {{.name = "export best",
            .summary = "the winning kernel",
            .examples = "  coppice export best --output fast.cc\n"
                        "  coppice export best --solution > solution.json\n",
            .options = {kCampaignOption,
                        kToFile,
                        {"solution", Takes::kNothing, "",
                         "as a FlashInfer-Bench solution document"}},
            .settings = database,
            .run = ExportBest},
           {.name = "export plain",
            .summary = "a copy with texts in columns, for pandas and others",
            .examples = "  coppice export plain --output plain.db\n",
            .options = {kWanted},
            .settings = database,
            .run = ExportPlain},
           {.name = "export report",
            .summary = "a page that tells of a campaign: one file, for anybody",
            .arguments = "[CAMPAIGN]",
            .examples = "  coppice export report --output report.html\n"
                        "  coppice export report gemv.stark.s1 > gemv.html\n",
            .options = {kCampaignOption, kToFile},
            .settings = database,
            .run = ExportReport},
           {.name = "export traces",
            .summary = "a trace set of FlashInfer-Bench",
            .examples = "  coppice export traces --output set\n",
            .options = {kCampaignOption, kDirectory},
            .settings = database,
            .run = ExportTraces},
           {.name = "export trajectories",
            .summary = "every call of a model with what came of it, to train "
                       "on",
            .examples = "  coppice export trajectories --output calls.jsonl\n",
            .options = {kCampaignOption, kToFile},
            .settings = database,
            .run = ExportTrajectories},
           {.name = "export kernelbench",
            .summary = "results as KernelBench keeps them: eval_results.json",
            .examples = "  coppice export kernelbench --output KernelBench\n",
            .options = {kCampaignOption,
                        kDirectory,
                        {"samples", Takes::kText, "best|all",
                         "which nodes (best)"}},
            .settings = database,
            .run = ExportResults}},
  };
}

}  // namespace coppice::cli
