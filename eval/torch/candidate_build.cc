#include "eval/torch/candidate_build.h"

#include <utility>

#include "eval/judge/evaluators.h"
#include "eval/sandbox/compile_cache.h"
#include "eval/torch/bench.h"
#include "eval/torch/jit_compile.h"
#include "eval/torch/prewarmed_workers.h"
#include "eval/torch/python_workbench.h"
#include "eval/torch/trusted_preload.h"
#include "store/records/candidate.h"

namespace coppice::eval::torch {

Result<Outcome> ReadCandidate(PythonWorkbench& workbench,
                              const Candidate& candidate) {
  TorchBench& bench = workbench.bench();
  TRY(read, bench.problem().Check(candidate.source, candidate.entry_symbol,
                                  bench.DelegationOf(candidate)));
  return Outcome(std::move(read));
}

Result<CandidateBuild> BuildCandidate(
    PythonWorkbench& workbench, const Candidate& candidate,
    const std::function<Result<std::string>(const Error&)>& blame) {
  CandidateBuild made;
  if (!NeedsBuilding(candidate.source)) return made;
  if (ToolsOf(candidate.source, workbench.options().device).Any()) {
    TRY_ASSIGN(made.outcome,
               workbench.trusted_preload().Make(workbench.Workers()));
    if (made.outcome.verdict != Verdict::kPassed) return made;
  }
  TRY(builder, workbench.Take(WorkerRole::kBuilder));
  auto built = Build(*builder.kernel_worker, workbench.bench(), candidate);
  builder.kernel_worker.reset();  // It may hold open what it has removed.
  if (!built) {
    made.outcome.verdict = Verdict::kCrashed;
    TRY_ASSIGN(made.outcome.log, blame(built.error()));
    return made;
  }
  made.outcome = *std::move(built);
  made.left = std::move(builder.cache);
  if (made.outcome.verdict != Verdict::kPassed) {
    // Whoever fills the disk has failed by itself.
    made.left = ScratchFolder();
    TRY_DONE(
        CheckRoom(workbench.options().cache_directory, kLeastBuildingRoom));
  }
  return made;
}

}  // namespace coppice::eval::torch
