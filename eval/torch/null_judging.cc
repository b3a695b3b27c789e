#include "eval/torch/null_judging.h"

#include <algorithm>
#include <string>
#include <utility>

#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/torch/bench.h"
#include "eval/torch/cases.h"
#include "eval/torch/findings.h"
#include "eval/torch/null_result_cache.h"
#include "eval/torch/prewarmed_workers.h"
#include "eval/torch/python_environment.h"
#include "eval/torch/python_workbench.h"
#include "eval/torch/tensor_memory.h"
#include "eval/torch/verdicts.h"
#include "store/records/random.h"

namespace coppice::eval::torch {
namespace {

// Another time, with more memory, a crash may be a verdict.
bool IsDecided(const Finding& finding) {
  return finding.found == Verdict::kPassed ||
         finding.found == Verdict::kWrongOutput;
}

// A problem that is sound may need more time, or memory, than there is.
Result<std::string> NotItsFault(Result<std::string> found) {
  const bool is_ours = !found && found.error().code != Errc::kUsage &&
                       found.error().code != Errc::kUnfit;
  if (found || is_ours) return found;
  return Fail(Errc::kUnavailable, found.error().what);
}

Result<std::string> JudgeNow(PythonWorkbench& workbench, const Task& task,
                             std::size_t number, const std::string& order) {
  if (workbench.HasAdopted(task)) {
    TorchBench& bench = workbench.bench();
    TRY_DONE(bench.TurnTo(number));
    return NotItsFault(bench.problem().JudgeNulls(order, bench.NextSeed()));
  }
  TRY_DONE(MustFit(task, workbench.options().device));
  workbench.ImportFor(task);
  // The root's, which imports torch meanwhile.
  TRY_DONE(workbench.PrestartOne());
  RandomStream stream(workbench.NextSeed(), Purpose::kInputs, 0);
  TRY(problem, OpenProblem(workbench.Workers(), workbench.prewarmed_workers(),
                           task, stream.NextU64(), number));
  // Else it would be said to fail in double precision.
  TRY_DONE(MustRepeat(*problem, task, stream.NextU64()));
  TRY(found, NotItsFault(problem->JudgeNulls(order, stream.NextU64())));
  workbench.prewarmed_workers().Keep(std::move(problem));
  return found;
}

Result<std::vector<Finding>> JudgeOn(PythonWorkbench& workbench,
                                     const Task& task, std::size_t number,
                                     Anew anew) {
  const std::string order = NullsOrder(RuleOf(task));
  const std::string workload = CasesOf(task)[number].workload;
  TRY(hardware, HardwareOf(workbench));
  const NullResultCache kept(workbench.Workers(),
                             workbench.options().cache_bytes, hardware, task,
                             order + std::to_string(number));
  if (anew != Anew::kYes) {
    if (auto findings = ReadFindings(workload, kept.Find())) return *findings;
  }
  if (anew == Anew::kNever) return std::vector<Finding>{};
  TRY(text, JudgeNow(workbench, task, number, order));
  auto findings = ReadFindings(workload, text);
  if (!findings) {
    return Fail(Errc::kUnavailable,
                task.definition.name + ": cannot be judged");
  }
  const bool is_decided = std::ranges::all_of(*findings, IsDecided);
  if (is_decided) static_cast<void>(kept.Keep(text));  // Or it is done again.
  return *std::move(findings);
}

}  // namespace

Result<std::vector<Finding>> JudgeNulls(PythonWorkbench& workbench,
                                        const Task& task, Anew anew) {
  std::vector<std::vector<Finding>> by_workload;
  const std::vector<Case> cases = CasesOf(task);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!cases[i].is_timed) continue;
    TRY(found, JudgeOn(workbench, task, i, anew));
    if (found.empty()) return found;  // Not known of all.
    by_workload.push_back(std::move(found));
  }
  return ByCandidate(std::move(by_workload));
}

}  // namespace coppice::eval::torch
