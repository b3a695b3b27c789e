#include "eval/cuda/full_tier.h"

#include <algorithm>
#include <utility>

#include "eval/cuda/loaded_task.h"
#include "eval/cuda/nsight.h"
#include "eval/cuda/profiling.h"
#include "eval/cuda/runner_pool.h"
#include "eval/cuda/sanitizers.h"
#include "eval/cuda/shape_check.h"
#include "eval/cuda/tool_run.h"
#include "eval/cuda/tracing.h"
#include "eval/cuda/workbench.h"
#include "eval/host/waiting.h"
#include "eval/judge/evaluation_session.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"

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

Result<void> FullTier::Examine(const Prepared& prepared,
                               Evaluation& evaluation) const {
  if (!prepared.libraries.empty()) return {};
  LoadedTask& loaded_task = workbench_.loaded_task();
  if (loaded_task.tool_run == nullptr) {
    TRY_ASSIGN(loaded_task.tool_run,
               ToolRun::Make({.runner = workbench_.runners().OptionsFor({}),
                              .toolkit = workbench_.toolkit(),
                              .seed = workbench_.seed()},
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

Result<bool> FullTier::Prove(const Prepared& prepared,
                             const Candidate& candidate, std::uint64_t seed,
                             Evaluation& evaluation) const {
  const Verdict before = evaluation.verdict;
  // Its processes start while the sanitizers look.
  TRY(shapes, ShapeCheck::Begin({.toolchain = workbench_.toolchain(),
                                 .runners = workbench_.runners(),
                                 .abilities = workbench_.abilities(),
                                 .call_timeout_s = workbench_.call_timeout_s()},
                                workbench_.loaded_task().task));
  TRY_DONE(Examine(prepared, evaluation));
  if (evaluation.verdict != before) return false;
  TRY_DONE(shapes.Check(candidate, seed, evaluation));
  return true;
}

// Counters of the workload that the digest tells of.
Result<void> FullTier::CountOn(std::size_t i, const Prepared& prepared,
                               Traced& traced) {
  Counted counted{.kernels = {}, .note = nsight_fails_};
  if (nsight_fails_.empty()) {
    const LoadedTask& loaded_task = workbench_.loaded_task();
    const Shapes& shapes = loaded_task.benches[i]->shapes();
    TRY(inputs, RehearsalInputs(shapes, loaded_task.task.workloads[i],
                                workbench_.seed()));
    const RunnerProgram& runner_program = prepared.assignments[i];
    TRY_ASSIGN(counted,
               Count(workbench_.runners().OptionsFor(prepared.libraries),
                     FindNsight(workbench_.toolkit()),
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

Result<Traced> FullTier::TraceAll(const Prepared& prepared,
                                  const Evaluation& evaluation) {
  RunnerOptions options = workbench_.runners().OptionsFor(prepared.libraries);
  options.profiler = FindCupti(workbench_.toolkit());
  TRY(traced, Trace(options, workbench_.loaded_task().benches,
                    prepared.assignments, workbench_.call_timeout_s()));
  TRY_DONE(CountOn(LongestOf(evaluation), prepared, traced));
  return traced;
}

Result<void> FullTier::Observe(const Prepared& prepared,
                               Evaluation& evaluation) {
  Traced traced;
  const auto begun = Clock::now();
  if (evaluation.tier == Tier::kFull) {
    TRY_ASSIGN(traced, TraceAll(prepared, evaluation));
    if (traced.has_failed) TRY_DONE(workbench_.CheckDevice());
    evaluation.check_s += Seconds(Clock::now() - begun);
  }
  return FillProfiles(workbench_.loaded_task().benches, prepared.assignments,
                      workbench_.identity(), workbench_.abilities(), traced,
                      evaluation);
}

}  // namespace coppice::eval::cuda
