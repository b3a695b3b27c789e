#include "engine/cli/traces.h"

#include <nlohmann/json.hpp>
#include <ostream>
#include <system_error>

#include "engine/cli/counted.h"
#include "engine/cli/open_to_write.h"
#include "engine/documents/document.h"
#include "engine/documents/input.h"
#include "engine/documents/open_history.h"
#include "engine/documents/table.h"
#include "engine/interchange/traces.h"
#include "engine/process/clock.h"
#include "engine/process/installation.h"
#include "engine/run/trace_import.h"
#include "eval/torch/definition_syntax.h"
#include "store/database.h"
#include "store/write/campaigns.h"

namespace coppice::cli {
namespace fs = std::filesystem;
namespace {

Result<void> CheckSyntax(const eval::TraceSet& set,
                         const Invocation& invocation, Streams& streams) {
  std::vector<eval::torch::PlacedDefinition> definitions;
  for (const auto& [name, filed] : set.definitions) {
    definitions.push_back({filed.file.string(), &filed.value});
  }
  auto checked = eval::torch::CheckSyntax(
      engine::PythonHere(invocation.settings().python), definitions);
  if (checked || checked.error().code != Errc::kUnavailable) return checked;
  streams.err << "not checked whether references and constraints are Python: "
              << Printable(checked.error().what) << "\n";
  return {};
}

// What FlashInfer-Bench would refuse is misuse.
Result<eval::TraceSet> SetAt(const fs::path& root, const Invocation& invocation,
                             Streams& streams) {
  TRY(set, AsUsage(eval::LoadTraceSet(root)));
  TRY_DONE(AsUsage(CheckSyntax(set, invocation, streams)));
  return set;
}

}  // namespace

Result<Exit> ExportTraces(const Invocation& invocation, Streams& streams) {
  const auto path = invocation.Text("output");
  if (!path || *path == "-") {
    return Fail(Errc::kUsage, "say where with --output DIRECTORY");
  }
  TRY(database, OpenToLook(invocation));
  TRY(campaigns, ChosenCampaigns(invocation, streams, database));
  TRY(exported, engine::TracesOf(database, campaigns));
  const eval::TraceSet& set = exported.set;
  const std::string left_out = exported.LeftOut();
  if (set.definitions.empty()) {
    return Fail(Errc::kNotFound, invocation.settings().db.string() +
                                     ": nothing to export" +
                                     (left_out.empty() ? "" : "; " + left_out));
  }
  TRY_DONE(eval::WriteTraceSet(set, *path));
  if (!left_out.empty()) streams.err << left_out << "\n";
  streams.err << Printable(*path) << ": "
              << Counted(set.definitions.size(), "definition") << ", "
              << Counted(set.solutions.size(), "solution") << ", "
              << Counted(set.traces.size(), "trace") << " of "
              << invocation.settings().db.string() << "\n";
  return Exit::kDone;
}

Result<Exit> ImportTraces(const Invocation& invocation, Streams& streams) {
  const fs::path root = invocation.arguments.at(0);
  TRY(set, SetAt(root, invocation, streams));
  TRY(database, OpenToWrite(invocation, store::Access::kCreate));
  const engine::SystemClock clock;
  TRY(import, engine::ImportTraces(root, set, database, clock));
  for (const auto& [solution, why] : import.left_out) {
    streams.err << Printable(solution) << ": left out: " << why << "\n";
  }
  if (import.campaigns.empty()) {
    return Fail(Errc::kNotFound,
                root.string() +
                    ": nothing to import: no definition has traces of what "
                    "would be its root");
  }
  if (invocation.Has("json")) {
    PrintDocument({{"campaigns", import.campaigns},
                   {"nodes", import.nodes},
                   {"evaluations", import.evaluations}},
                  streams.out);
    return Exit::kDone;
  }
  for (const std::string& campaign : import.campaigns) {
    streams.out << Printable(campaign) << "\n";
  }
  streams.err << Counted(import.nodes, "node") << " and "
              << Counted(import.evaluations, "evaluation")
              << ", as they were made elsewhere, in "
              << invocation.settings().db.string() << "\n";
  return Exit::kDone;
}

Result<eval::TraceSet> TracesAt(const fs::path& path,
                                const Invocation& invocation,
                                Streams& streams) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return SetAt(path, invocation, streams);
  }
  TRY(database, store::Database::Open(path, store::Access::kReadOnly));
  TRY(campaigns, store::Campaigns(database).List());
  TRY(exported, engine::TracesOf(database, campaigns));
  const std::string left_out = exported.LeftOut();
  if (!left_out.empty()) streams.err << left_out << "\n";
  return std::move(exported.set);
}

}  // namespace coppice::cli
