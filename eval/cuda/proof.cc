#include "eval/cuda/proof.h"

#include <algorithm>
#include <utility>

#include "eval/cuda/examination.h"
#include "eval/cuda/nsight.h"
#include "eval/cuda/tracing.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/stopping.h"

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

Result<void> Proof::Examine(const RunnerPool& runners, Adopted& adopted,
                            const Prepared& prepared,
                            Evaluation& evaluation) const {
  if (!prepared.libraries.empty()) return {};
  if (adopted.examination == nullptr) {
    TRY(made, Examination::Make({.runner = runners.OptionsFor({}),
                                 .toolkit = options_.toolkit,
                                 .seed = options_.seed},
                                adopted.task, adopted.root));
    adopted.examination = std::move(made);
  }
  TRY(report, adopted.examination->Examine(prepared));
  const std::size_t i = adopted.examination->workload();
  evaluation.log += Prefix(adopted.task.workloads[i]) + report.log;
  if (report.verdict == Verdict::kPassed) return {};
  evaluation.verdict = report.verdict;
  evaluation.breach = report.breach;
  evaluation.workloads[i].verdict = report.verdict;
  evaluation.workloads[i].breach = report.breach;
  return {};
}

// Counters of the workload that the digest tells of.
Result<void> Proof::CountOn(std::size_t i, const RunnerPool& runners,
                            const Adopted& adopted, const Prepared& prepared,
                            Traced& traced) {
  Counted counted{.kernels = {}, .note = nsight_fails_};
  if (nsight_fails_.empty()) {
    const Shapes& shapes = adopted.benches[i]->shapes();
    TRY(inputs,
        RehearsalInputs(shapes, adopted.task.workloads[i], options_.seed));
    const Assignment& assignment = prepared.assignments[i];
    TRY(asked, Count(runners.OptionsFor(prepared.libraries),
                     FindNsight(options_.toolkit), {assignment, shapes, inputs},
                     kNsightSeconds));
    counted = std::move(asked);
    // Device code has no part in that; host code could have.
    if (assignment.part == Part::kDeviceCode) nsight_fails_ = counted.note;
  }
  traced.counted = std::move(counted.kernels);
  traced.counted_workload = i;
  if (!traced.note.empty() && !counted.note.empty()) traced.note += " ";
  traced.note += counted.note;
  return {};
}

Result<Traced> Proof::Observe(const RunnerPool& runners, const Adopted& adopted,
                              const Prepared& prepared,
                              const Evaluation& evaluation) {
  RunnerOptions options = runners.OptionsFor(prepared.libraries);
  options.profiler = FindCupti(options_.toolkit);
  TRY(traced, Trace(options, adopted.benches, prepared.assignments,
                    options_.call_timeout_s));
  TRY_DONE(CountOn(LongestOf(evaluation), runners, adopted, prepared, traced));
  return traced;
}

}  // namespace coppice::eval::cuda
