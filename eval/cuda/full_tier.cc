#include "eval/cuda/full_tier.h"

#include <algorithm>
#include <utility>

#include "eval/cuda/loaded_task.h"
#include "eval/cuda/nsight.h"
#include "eval/cuda/profiling.h"
#include "eval/cuda/runner_pool.h"
#include "eval/cuda/sanitizers.h"
#include "eval/cuda/tool_run.h"
#include "eval/cuda/tracing.h"
#include "eval/judge/evaluation_session.h"
#include "store/records/evaluation.h"

namespace coppice::eval::cuda {
namespace {

constexpr double kNsightSeconds = 60.0;

std::size_t LongestOf(const Evaluation& evaluation) {
  const auto longest = std::ranges::max_element(
      evaluation.workloads, {},
      [](const WorkloadResult& result) { return Median(result.samples_s); });
  return static_cast<std::size_t>(longest - evaluation.workloads.begin());
}

}  // namespace

Result<void> FullTier::Examine(const RunnerPool& runners,
                               LoadedTask& loaded_task,
                               const Prepared& prepared,
                               Evaluation& evaluation) const {
  if (!prepared.libraries.empty()) return {};
  if (loaded_task.tool_run == nullptr) {
    TRY_ASSIGN(loaded_task.tool_run,
               ToolRun::Make({.runner = runners.OptionsFor({}),
                              .toolkit = options_.toolkit,
                              .seed = options_.seed},
                             loaded_task.task, loaded_task.root));
  }
  TRY(report, loaded_task.tool_run->Examine(prepared));
  const std::size_t i = loaded_task.tool_run->workload();
  evaluation.log += Prefix(loaded_task.task.workloads[i]) + report.log;
  if (report.verdict == Verdict::kPassed) return {};
  evaluation.verdict = report.verdict;
  evaluation.breach = report.breach;
  evaluation.workloads[i].verdict = report.verdict;
  evaluation.workloads[i].breach = report.breach;
  return {};
}

// Counters of the workload that the digest tells of.
Result<void> FullTier::CountOn(std::size_t i, const RunnerPool& runners,
                               const LoadedTask& loaded_task,
                               const Prepared& prepared, Traced& traced) {
  Counted counted{.kernels = {}, .note = nsight_fails_};
  if (nsight_fails_.empty()) {
    const Shapes& shapes = loaded_task.benches[i]->shapes();
    TRY(inputs,
        RehearsalInputs(shapes, loaded_task.task.workloads[i], options_.seed));
    const RunnerProgram& runner_program = prepared.assignments[i];
    TRY_ASSIGN(counted,
               Count(runners.OptionsFor(prepared.libraries),
                     FindNsight(options_.toolkit),
                     {runner_program, shapes, inputs}, kNsightSeconds));
    // Device code has no part in that; host code could have.
    if (runner_program.part == Part::kDeviceCode) nsight_fails_ = counted.note;
  }
  traced.counted = std::move(counted.kernels);
  traced.counted_workload = i;
  if (!traced.note.empty() && !counted.note.empty()) traced.note += " ";
  traced.note += counted.note;
  return {};
}

Result<Traced> FullTier::Observe(const RunnerPool& runners,
                                 const LoadedTask& loaded_task,
                                 const Prepared& prepared,
                                 const Evaluation& evaluation) {
  RunnerOptions options = runners.OptionsFor(prepared.libraries);
  options.profiler = FindCupti(options_.toolkit);
  TRY(traced, Trace(options, loaded_task.benches, prepared.assignments,
                    options_.call_timeout_s));
  TRY_DONE(
      CountOn(LongestOf(evaluation), runners, loaded_task, prepared, traced));
  return traced;
}

}  // namespace coppice::eval::cuda
