// coppice import: what others have, as candidates to judge or times to compare
// with, or what was judged elsewhere.
#include "engine/run/import.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "config/keys.h"
#include "engine/campaign/display.h"
#include "engine/campaign/outage_listener.h"
#include "engine/campaign/short_text.h"
#include "engine/cli/campaign_options.h"
#include "engine/cli/claim_files.h"
#include "engine/cli/import_baselines.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/open_to_write.h"
#include "engine/cli/traces.h"
#include "engine/cli/verbs.h"
#include "engine/documents/continuing.h"
#include "engine/documents/document.h"
#include "engine/documents/measured_json.h"
#include "engine/documents/measured_text.h"
#include "engine/documents/or_null.h"
#include "engine/documents/row_sheet.h"
#include "engine/documents/table.h"
#include "engine/factory/campaign_factory.h"
#include "engine/process/clock.h"
#include "eval/formats/kernelbench_files.h"
#include "store/database.h"
#include "store/records/speedup_text.h"
#include "store/write/campaigns.h"

namespace coppice::cli {
namespace {

std::optional<std::int64_t> Level(const Task& task) {
  const auto level = TagValue(task.definition, "level");
  return level ? std::optional<std::int64_t>(std::atoll(level->c_str()))
               : std::nullopt;
}

// What the user says, or what the name of a KernelBench task says.
ClaimFilter SelectionOf(const Invocation& invocation, const Task& task) {
  ClaimFilter selection{invocation.Count("level"), invocation.Count("problem")};
  if (selection.problem) return selection;
  selection.problem = eval::ProblemNumber(task.definition.name);
  if (selection.problem && !selection.level) selection.level = Level(task);
  return selection;
}

double RuntimeUnit(const Invocation& invocation) {
  const std::string unit = invocation.Text("runtime-unit").value_or("ms");
  return unit == "s" ? 1.0 : unit == "ms" ? 1e-3 : 1e-6;
}

// How the claims of an action's PATH are read.
using ClaimReader = Result<ClaimFile> (*)(const Invocation& invocation,
                                          const Task& task);

Result<ClaimFile> ReadRun(const Invocation& invocation, const Task& task) {
  return ReadKernelBenchRun(invocation.arguments.at(0),
                            SelectionOf(invocation, task), task);
}

Result<ClaimFile> ReadList(const Invocation& invocation, const Task& task) {
  const auto field = [&](const char* option) {
    return invocation.Text(option).value_or("");
  };
  return ReadClaimList(invocation.arguments.at(0),
                       {.source = field("source-field"),
                        .speedup = field("speedup-field"),
                        .runtime = field("runtime-field")},
                       RuntimeUnit(invocation), SelectionOf(invocation, task),
                       task);
}

std::string ClaimedText(const store::ClaimLine& line) {
  if (line.claimed_speedup) return TimesText(*line.claimed_speedup);
  if (line.claimed_runtime_s) {
    return engine::DurationText(*line.claimed_runtime_s);
  }
  return "";
}

RowSheet SheetOf(const std::vector<store::ClaimLine>& lines) {
  RowSheet sheet{
      "claims",
      {RowColumn("kernel", "origin"), ForPeople(Right("claimed")),
       ForPrograms("claimed_speedup"), ForPrograms("claimed_runtime_s"),
       ForPeople(Right("measured")), "node", ForPeople("verdict"),
       ForPrograms("verdict"), ForPrograms("")}};
  for (const store::ClaimLine& line : lines) {
    sheet.rows.push_back(
        {line.origin, ClaimedText(line), OrNull(line.claimed_speedup),
         OrNull(line.claimed_runtime_s),
         line.speedup ? SpeedupText(*line.speedup) : "", OrNull(line.node),
         line.verdict ? Name(*line.verdict) : "not judged",
         NameOrNull(line.verdict), SpeedupJson(line.speedup)});
  }
  return sheet;
}

Result<Exit> ImportClaims(const Invocation& invocation, ClaimReader read,
                          Streams& streams) {
  const auto task_name = invocation.Text("task");
  if (!task_name) {
    return Fail(Errc::kUsage, invocation.arguments.at(0) +
                                  ": say with --task TASK which task its "
                                  "kernels are for");
  }
  TRY_DONE(CheckCampaignName(invocation.Text("name").value_or("")));
  const engine::Surface surface =
      SurfaceOf(invocation, streams.err_is_terminal);
  TRY(factory, OpenFactory(invocation));
  TRY(task, factory->FindTask(*task_name));
  const std::string name =
      invocation.Text("name").value_or(task.definition.name + ".import");
  TRY(file, read(invocation, task));
  if (file.claims.empty()) {
    return Fail(Errc::kUsage, file.note + ": nothing to import");
  }
  TRY_DONE(factory->Prepare(task, invocation.settings().policy));
  engine::Display display(streams.err, surface, factory->clock(),
                          streams.err_columns);
  const auto listener = Listen(*factory, display);
  TRY(database, OpenToWrite(invocation, listener, store::Access::kCreate));
  TRY(row, engine::FindOrPlant(*factory, database, task, name));
  display.Say(file.note);
  const auto judging = invocation.Has("unmeasured")
                           ? store::Judging::kLater
                           : store::Judging::kByAttempt;
  auto imported = engine::Import(*factory, database, task, row, file.claims,
                                 judging, display);
  display.Close();
  if (!imported) return tl::unexpected<Error>(imported.error());
  const store::Intake& intake = imported->intake;
  TRY(lines, store::ReadClaims(database, row.id));
  if (invocation.Has("json")) {
    PrintDocument({{"campaign", name},
                   {"new", intake.claims},
                   {"attempts", intake.attempts},
                   {"duplicates", intake.duplicates},
                   {"claims", RowsJson(SheetOf(lines))}},
                  streams.out);
  } else {
    PrintTable(SheetOf(lines), streams);
    streams.out << "\n"
                << OneLine(name) << ": " << intake.claims << " new, "
                << intake.attempts << " to judge, " << intake.duplicates
                << " known already\n";
  }
  if (imported->ending != engine::Ending::kDrained) return Exit::kDone;
  display.Say("stopped; continue with: " +
              ContinueCommand("resume --db", invocation.config));
  return Exit::kInterrupted;
}

Result<Exit> ImportKernels(const Invocation& invocation, Streams& streams) {
  return ImportClaims(invocation, ReadList, streams);
}

Result<Exit> ImportKernelBench(const Invocation& invocation, Streams& streams) {
  TRY(files, BaselineFiles(invocation.arguments.at(0)));
  if (!files.empty()) return ImportBaselines(invocation, files, streams);
  return ImportClaims(invocation, ReadRun, streams);
}

}  // namespace

Verb ImportVerb() {
  using config::Group;
  const auto judging = config::NamesIn(
      {Group::kDatabase, Group::kSearch, Group::kPolicy, Group::kAttempts,
       Group::kThreads, Group::kTimeouts, Group::kPython, Group::kDevices,
       Group::kRules, Group::kDelegation, Group::kData, Group::kCache});
  std::vector<Option> of_kernels = CampaignOptions();
  of_kernels.insert(
      of_kernels.end(),
      {{"task", Takes::kText, "TASK", "that the kernels are for"},
       {"name", Takes::kText, "NAME",
        "of the campaign; by default that of the task with .import"},
       {"problem", Takes::kCount, "N",
        "of KernelBench; by default that of the task's name"},
       {"level", Takes::kCount, "N", "of the problem"},
       {"unmeasured", Takes::kNothing, "",
        "keep the kernels and what is claimed of them, and judge none"}});
  std::vector<Option> of_lists = of_kernels;
  of_lists.insert(
      of_lists.end(),
      {{"source-field", Takes::kText, "NAME",
        "of a list's entries; by default guessed, as are the next two"},
       {"speedup-field", Takes::kText, "NAME", "claimed speedup"},
       {"runtime-field", Takes::kText, "NAME", "claimed runtime"},
       {"runtime-unit", Takes::kText, "s|ms|us",
        "unless the field's name ends in it (ms)"}});
  const std::vector<std::string_view> first = {"task", "name", "db",
                                               "unmeasured", "json"};
  return {
      .name = "import",
      .summary = "judge kernels of others; read times to compare with",
      .actions =
          {{.name = "import kernels",
            .summary = "a list of kernels, as JSON, to be judged",
            .arguments = "FILE",
            .examples =
                "  coppice import kernels list.jsonl --task gemm_square\n"
                "  coppice import kernels list.json --task softmax_rows "
                "--source-field cpp --unmeasured\n",
            .options = of_lists,
            .settings = judging,
            .first = first,
            .run = ImportKernels},
           {.name = "import kernelbench",
            .summary = "the kernels of a run of KernelBench, or its times of "
                       "baselines",
            .arguments = "PATH",
            .examples = "  coppice import kernelbench runs/mine "
                        "--task kernelbench:KernelBench/level1/19_ReLU.py\n"
                        "  coppice import kernelbench results/timing/H100   # "
                        "baseline_time_*.json\n",
            .options = of_kernels,
            .settings = judging,
            .first = first,
            .run = ImportKernelBench},
           {.name = "import traces",
            .summary = "a trace set of FlashInfer-Bench, as it was judged",
            .arguments = "DIRECTORY",
            .examples = "  coppice import traces flashinfer-trace\n",
            .options = {{"json", Takes::kNothing, "", "the report as JSON"}},
            .settings = config::NamesIn({Group::kDatabase, Group::kPython}),
            .run = ImportTraces}},
  };
}

}  // namespace coppice::cli
