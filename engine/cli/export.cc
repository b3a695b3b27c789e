// coppice export: the winning kernel, as source or as a solution document; the
// whole database, for programs that know nothing of its texts; what was judged,
// as a trace set; or all model calls with what came of them, to train on.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "engine/cli/looking.h"
#include "engine/cli/traces.h"
#include "engine/cli/trajectory_json.h"
#include "engine/cli/verbs.h"
#include "engine/solutions.h"
#include "eval/trace_set.h"
#include "store/nodes.h"
#include "store/plain_export.h"

namespace coppice::cli {
namespace {

Result<std::string> AsSolution(const store::CampaignRow& campaign,
                               const NodeRecord& node) {
  TRY(task, eval::ParseTask(campaign.spec.task_json));
  return eval::SerialiseSolution(engine::SolutionOf(campaign, task, node)) +
         "\n";
}

Result<void> Write(const std::string& text, const std::string& path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return Fail(Errc::kIo, path + ": cannot be written");
  return {};
}

Result<Exit> ExportPlain(const Invocation& invocation, Streams& streams) {
  const auto path = invocation.Text("output");
  if (!path || *path == "-") {
    return Fail(Errc::kUsage, "export plain: say where with --output FILE");
  }
  TRY(database, OpenToLook(invocation));
  TRY_DONE(store::ExportPlain(database, *path));
  streams.err << *path << ": a plain copy of "
              << invocation.settings().db.string() << "\n";
  return Exit::kDone;
}

// Those of `campaigns`, a line each.
Result<std::int64_t> WriteTrajectories(
    store::Database& database, const std::vector<store::CampaignRow>& campaigns,
    std::ostream& out) {
  std::int64_t calls = 0;
  for (const store::CampaignRow& campaign : campaigns) {
    const auto write = [&](const store::Trajectory& call) {
      // What a model answered, or a compiler said, may be no UTF-8.
      out << TrajectoryJson(campaign.spec, call)
                 .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
          << "\n";
      ++calls;
      return bool(out);
    };
    TRY_DONE(store::ScanTrajectories(database, campaign.id, write));
  }
  return calls;
}

// The file appears under its name only when it is whole.
Result<std::int64_t> WriteTrajectoryFile(
    store::Database& database, const std::vector<store::CampaignRow>& campaigns,
    const std::string& path) {
  const std::string partial = path + ".partial";
  std::ofstream file(partial, std::ios::binary | std::ios::trunc);
  auto calls = WriteTrajectories(database, campaigns, file);
  file.close();
  std::error_code error;
  if (calls && file) {
    std::filesystem::rename(partial, path, error);
    if (!error) return calls;
  }
  std::error_code ignored;
  std::filesystem::remove(partial, ignored);
  if (!calls) return calls;
  return Fail(Errc::kIo, path + ": cannot be written");
}

Result<Exit> ExportTrajectories(const Invocation& invocation,
                                Streams& streams) {
  TRY(database, OpenToLook(invocation));
  std::vector<store::CampaignRow> campaigns;
  if (invocation.Has("campaign")) {
    TRY(campaign, ChooseCampaign(invocation, database));
    campaigns.push_back(std::move(campaign));
  } else {
    TRY(rows, store::Campaigns(database).List());
    campaigns = std::move(rows);
  }
  const std::string file = invocation.settings().db.string();
  if (campaigns.empty()) {
    return Fail(Errc::kNotFound, file + ": holds no campaign yet");
  }
  if (const auto path = invocation.Text("output"); path && *path != "-") {
    TRY(calls, WriteTrajectoryFile(database, campaigns, *path));
    streams.err << *path << ": " << calls << " calls of " << file << "\n";
  } else {
    TRY_DONE(WriteTrajectories(database, campaigns, streams.out));
  }
  return Exit::kDone;
}

Result<Exit> RunExport(const Invocation& invocation, Streams& streams) {
  const std::string& what = invocation.arguments.front();
  if (invocation.Has("solution") && what != "best") {
    return Fail(Errc::kUsage, "--solution: goes with export best");
  }
  if (what == "plain") return ExportPlain(invocation, streams);
  if (what == "traces") return ExportTraces(invocation, streams);
  if (what == "trajectories") return ExportTrajectories(invocation, streams);
  if (what != "best") {
    return Fail(Errc::kUsage, "unknown '" + what +
                                  "'; there are: export best, export plain, "
                                  "export trajectories");
  }
  TRY(database, OpenToLook(invocation));
  TRY(campaign, ChooseCampaign(invocation, database));
  TRY(best, BestNode(database, campaign));
  TRY(node, store::Nodes(database).Load(campaign.id, best));
  std::string text = node.candidate->source;
  if (invocation.Has("solution")) {
    TRY(document, AsSolution(campaign, node));
    text = std::move(document);
  }
  if (const auto path = invocation.Text("output"); path && *path != "-") {
    TRY_DONE(Write(text, *path));
    streams.err << *path << ": node " << Index(best) << " of "
                << campaign.spec.name << "\n";
  } else {
    streams.out << text;
  }
  return Exit::kDone;
}

}  // namespace

Verb ExportVerb() {
  return {
      .name = "export",
      .summary =
          "the winning kernel, all texts, traces or calls, for elsewhere",
      .arguments = "WHAT",
      .examples =
          "  coppice export best --output fast.cc\n"
          "  coppice export best --solution > solution.json\n"
          "  coppice export plain --output plain.db   # text columns, no "
          "blobs\n"
          "  coppice export traces --output set   # of FlashInfer-Bench\n"
          "  coppice export trajectories --output calls.jsonl   # to train "
          "on\n",
      .options = {kCampaignOption,
                  {"output", Takes::kText, "FILE", "instead of stdout"},
                  {"solution", Takes::kNothing, "",
                   "as a FlashInfer-Bench solution document"}},
      .settings = {"db"},
      .run = RunExport,
  };
}

}  // namespace coppice::cli
