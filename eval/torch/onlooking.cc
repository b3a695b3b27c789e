#include "eval/torch/onlooking.h"

#include <algorithm>
#include <utility>

#include "eval/cuda/nsight.h"
#include "eval/cuda/profiling.h"
#include "eval/judge/evaluators.h"
#include "eval/torch/bench.h"
#include "eval/torch/python_workbench.h"
#include "eval/torch/tool_run.h"
#include "store/records/evaluation.h"

namespace coppice::eval::torch {

Result<void> LookAt(PythonWorkbench& workbench, const Candidate& candidate,
                    const std::filesystem::path& built,
                    Evaluation& evaluation) {
  const Onlookers onlookers = workbench.options().onlookers;
  if (onlookers == Onlookers::kNone) return {};
  const Subject subject{candidate, built};
  TorchBench& bench = workbench.bench();
  // The profile is of the first case that is timed.
  const auto first = std::ranges::find_if(bench.cases(), &Case::is_timed);
  TRY_DONE(
      bench.TurnTo(static_cast<std::size_t>(first - bench.cases().begin())));
  WorkloadResult& result = evaluation.workloads.front();
  if (onlookers == Onlookers::kSanitizers) {
    TRY(conclusion, Sanitize(bench, workbench.Workers(), subject));
    evaluation.log += conclusion.log;
    evaluation.verdict = result.verdict = conclusion.verdict;
    evaluation.breach = result.breach = conclusion.breach;
  } else if (onlookers == Onlookers::kProfilers && workbench.IsOnDevice()) {
    TRY(counted, CountKernels(bench, workbench.Workers(), subject));
    result.profile.emplace();
    result.profile->kernels = std::move(counted.kernels);
    for (KernelProfile& kernel : result.profile->kernels) {
      kernel.name = cuda::PlainName(kernel.name);
    }
    result.profile->note = std::move(counted.note);
  }
  return {};
}

}  // namespace coppice::eval::torch
