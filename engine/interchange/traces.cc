#include "engine/interchange/traces.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

#include "engine/interchange/solutions.h"
#include "eval/formats/trace_set.h"
#include "store/read/dated_evaluations.h"
#include "store/records/formatted.h"
#include "store/records/node.h"
#include "store/write/attempts.h"
#include "store/write/baselines.h"
#include "store/write/campaigns.h"
#include "store/write/nodes.h"

namespace coppice::engine {
namespace {

namespace chrono = std::chrono;
using eval::TraceSet;

// What stands in the set of a task itself.
void AddTask(const Task& task, TraceSet& own) {
  own.definitions.emplace(task.definition.name, eval::FiledOf(task.definition));
  for (const Solution& solution : {task.root, task.oracle}) {
    if (solution.sources.empty()) continue;
    own.solutions.emplace(solution.name, eval::FiledOf(solution));
  }
  if (task.expert) {
    own.solutions.emplace(task.expert->name, eval::FiledOf(*task.expert));
  }
  for (const Workload& workload : task.workloads) {
    own.workloads.push_back({task.definition.name, workload, {}, {}});
  }
}

// The solution that a node was imported from; else one of our own.
Result<Solution> SolutionAt(store::Database& database,
                            const store::CampaignRow& campaign,
                            const Task& task, const NodeRecord& node) {
  TRY(attempt, store::Nodes(database).AttemptOf(campaign.id, node.id));
  if (attempt) {
    TRY(record, store::Attempts(database).Load(*attempt));
    if (record.reservation.policy == kTracesPolicy) {
      return ImportedSolution(task, node, record.reservation.reason);
    }
  }
  return SolutionOf(campaign, task, node);
}

// A campaign knows its tensors by their place on this machine; a set by that
// below itself.
void TakeBlobs(Task& task, TraceSet& set) {
  for (Workload& workload : task.workloads) {
    for (auto& [name, input] : workload.inputs) {
      auto* file = std::get_if<SafetensorsInput>(&input);
      if (file == nullptr) continue;
      const std::size_t at = file->path.rfind("/blob/");
      std::error_code ignored;
      if (at == std::string::npos ||
          !std::filesystem::is_regular_file(file->path, ignored)) {
        continue;
      }
      const std::string within = file->path.substr(at + 1);
      set.blobs.emplace(within, file->path);
      file->path = within;
    }
  }
}

// `occasion` says of what they are, and whether that was refuted.
Result<void> AddTraces(const Task& task, const std::string& solution,
                       const std::vector<store::DatedEvaluation>& made,
                       eval::Occasion occasion, TraceSet& own) {
  const bool is_refuted = occasion.refuted;
  occasion.ordinal = 0;
  for (const store::DatedEvaluation& one : made) {
    occasion.further = one.further;
    occasion.decides = one.decides;
    occasion.refuted = is_refuted && one.evaluation.verdict == Verdict::kPassed;
    TRY(traces, eval::TracesOf(task, solution, one.evaluation,
                               TimestampText(one.evaluated_at_s), occasion));
    std::move(traces.begin(), traces.end(), std::back_inserter(own.traces));
    ++occasion.ordinal;
  }
  return {};
}

Result<void> AddBaselines(store::Database& database, CampaignId campaign,
                          const Task& task, TraceSet& own) {
  TRY(baselines, store::ReadBaselineNames(database, campaign));
  for (const std::string& baseline : baselines) {
    TRY(solution, BaselineSolution(task, baseline));
    own.solutions.emplace(solution.name, eval::FiledOf(solution));
    TRY(made, store::ReadDatedEvaluations(database, campaign, baseline));
    TRY_DONE(AddTraces(task, solution.name, made, {.baseline = baseline}, own));
  }
  return {};
}

Result<void> AddCampaign(store::Database& database,
                         const store::CampaignRow& campaign,
                         TraceExport& exported) {
  TRY(task, eval::ParseTask(campaign.spec.task_json));
  if (task.root.language == Language::kSim) {
    ++exported.landscapes;
    return {};
  }
  if (task.format == TaskFormat::kKernelBench) {
    ++exported.kernelbench;
    return {};
  }
  if (task.format == TaskFormat::kGpuMode) {
    ++exported.gpu_mode;
    return {};
  }
  if (task.definition.custom_inputs_entrypoint) {
    ++exported.made_inputs;
    return {};
  }
  TraceSet own;
  TakeBlobs(task, own);
  AddTask(task, own);
  store::Nodes nodes(database);
  for (std::int64_t n = 0; n < campaign.nodes; ++n) {
    TRY(node, nodes.Load(campaign.id, NodeId{n}));
    if (!node.candidate) {
      ++exported.without_kernel;
      continue;
    }
    TRY(solution, SolutionAt(database, campaign, task, node));
    own.solutions.emplace(solution.name, eval::FiledOf(solution));
    TRY(made, store::ReadDatedEvaluations(database, campaign.id, node.id));
    TRY_DONE(AddTraces(
        task, solution.name, made,
        {.refuted = node.worth.is_refuted, .is_root = !node.parent}, own));
  }
  TRY_DONE(AddBaselines(database, campaign.id, task, own));
  return eval::Merge(std::move(own), exported.set);
}

std::string Counted(std::int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

std::string TraceExport::LeftOut() const {
  std::string text;
  const auto say = [&](std::int64_t count, const char* what, const char* why) {
    if (count == 0) return;
    text += (text.empty() ? "left out: " : ", ") + Counted(count, what) + why;
  };
  say(kernelbench, "campaign",
      " on KernelBench problems, which are no Definitions (coppice export "
      "kernelbench has them)");
  say(gpu_mode, "campaign",
      " on problems of GPU MODE, which are no Definitions");
  say(landscapes, "campaign", " on landscapes");
  say(made_inputs, "campaign",
      " on definitions whose reference makes the inputs");
  say(without_kernel, "node", " without a kernel");
  return text;
}

Result<TraceExport> TracesOf(store::Database& database,
                             const std::vector<store::CampaignRow>& campaigns) {
  TraceExport exported;
  for (const store::CampaignRow& campaign : campaigns) {
    TRY_DONE(AddCampaign(database, campaign, exported));
  }
  return exported;
}

std::string TimestampText(double unix_s) {
  const auto micros = static_cast<std::int64_t>(std::llround(unix_s * 1e6));
  const chrono::sys_time<chrono::microseconds> time{
      chrono::microseconds(micros)};
  const auto day = chrono::floor<chrono::days>(time);
  const chrono::year_month_day date(day);
  const chrono::hh_mm_ss clock(time - day);
  return Formatted(
      "%04d-%02u-%02uT%02d:%02d:%02d.%06d+00:00", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()),
      static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()),
      static_cast<int>(clock.subseconds().count()));
}

double UnixSecondsOf(const std::string& timestamp) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  double second = 0.0;
  if (std::sscanf(timestamp.c_str(), "%4d-%2u-%2uT%2d:%2d:%lf", &year, &month,
                  &day, &hour, &minute, &second) != 6) {
    return 0.0;
  }
  const chrono::year_month_day date{chrono::year(year), chrono::month(month),
                                    chrono::day(day)};
  if (!date.ok()) return 0.0;
  const auto days = chrono::sys_days(date).time_since_epoch();
  return static_cast<double>(
             chrono::duration_cast<chrono::seconds>(days).count()) +
         hour * 3600.0 + minute * 60.0 + second;
}

}  // namespace coppice::engine
