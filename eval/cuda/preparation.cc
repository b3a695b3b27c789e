#include "eval/cuda/preparation.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "eval/cuda/cubin.h"
#include "eval/cuda/launch_check.h"
#include "eval/cuda/launch_plan.h"
#include "eval/cuda/linkage.h"
#include "eval/cuda/toolchain.h"
#include "eval/formats/shapes.h"
#include "eval/host/whole_file.h"
#include "eval/judge/same_task.h"
#include "store/records/candidate.h"

namespace coppice::eval::cuda {
namespace {

// What is wrong with it, before any device sees it.  Empty if nothing is.
// `plans`: one for each workload, or none for a shared object, which may need
// `libraries`.
Result<std::string> CheckCompiled(const Task& task,
                                  const std::filesystem::path& object,
                                  const std::vector<EvaluatedPlan>& plans,
                                  const std::vector<std::string>& libraries) {
  TRY(code, ReadWhole(object));
  if (plans.empty()) return CheckLinkage(code, libraries);
  const auto kernels = ReadCubin(code);
  // What a later compiler makes is left to the driver to judge.
  if (!kernels) return std::string();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    TRY(shapes, Resolve(task.definition, task.workloads[i]));
    std::string wrong =
        CheckLaunches(plans[i].runner_program, shapes, *kernels);
    if (!wrong.empty()) return wrong;
  }
  return std::string();
}

// Code that runs on the task's workloads may have no meaning here.
Result<std::optional<RunnerProgram>> PrepareReduced(
    const Task& task, const Candidate& candidate, PlanSide role,
    const RunnerProgram& usual) {
  const std::optional<Workload> workload = Reduced(task);
  if (!workload) return std::optional<RunnerProgram>();
  TRY(shapes, Resolve(task.definition, *workload));
  if (usual.part == Part::kSharedObject) {
    return CallEntry(usual.code, candidate.entry_symbol, shapes);
  }
  EvaluatedPlan plan =
      EvaluateLaunchPlan(candidate.source, task.definition, *workload, role);
  if (!plan.error.empty()) return std::optional<RunnerProgram>();
  plan.runner_program.code = usual.code;
  return std::move(plan.runner_program);
}

}  // namespace

std::optional<Workload> Reduced(const Task& task) {
  constexpr std::int64_t kLarge = 256;
  constexpr std::int64_t kTile = 64;
  Workload workload = task.workloads.front();
  bool is_smaller = false;
  for (auto& [name, value] : workload.axes) {
    if (value <= kLarge) continue;
    value = kLarge - kTile + value % kTile;
    is_smaller = true;
  }
  const bool from_files =
      std::ranges::any_of(workload.inputs, [](const auto& input) {
        return std::holds_alternative<SafetensorsInput>(input.second);
      });
  if (!is_smaller || from_files) return std::nullopt;
  workload.uuid += "_reduced";
  return workload;
}

Result<Prepared> Prepare(const Toolchain& toolchain, const Task& task,
                         const Candidate& candidate, PlanSide role) {
  const std::string& source = candidate.source;
  Prepared prepared;
  const bool device_only = HasLaunchPlan(source);
  std::vector<EvaluatedPlan> plans;
  for (const Workload& workload : task.workloads) {
    if (!device_only) break;
    plans.push_back(
        EvaluateLaunchPlan(source, task.definition, workload, role));
    if (plans.back().error.empty()) continue;
    prepared.verdict = Verdict::kCompileFailed;
    prepared.diagnostics = plans.back().error;
    return prepared;
  }
  TRY(compiled, device_only
                    ? toolchain.Cubin(source)
                    : toolchain.SharedObject(source, candidate.libraries));
  if (!candidate.libraries.empty()) {
    prepared.libraries = toolchain.LibraryFolder();
  }
  prepared.verdict = compiled.verdict;
  prepared.diagnostics = std::move(compiled.diagnostics);
  if (prepared.verdict != Verdict::kPassed) return prepared;
  TRY(wrong, CheckCompiled(task, compiled.object, plans, candidate.libraries));
  if (!wrong.empty()) {
    prepared.verdict = Verdict::kCompileFailed;
    prepared.diagnostics += wrong;
    return prepared;
  }
  for (std::size_t i = 0; i < task.workloads.size(); ++i) {
    if (device_only) {
      plans[i].runner_program.code = compiled.object;
      prepared.assignments.push_back(std::move(plans[i].runner_program));
    } else {
      TRY(shapes, Resolve(task.definition, task.workloads[i]));
      prepared.assignments.push_back(
          CallEntry(compiled.object, candidate.entry_symbol, shapes));
    }
  }
  if (role == PlanSide::kKernel) {
    TRY_ASSIGN(prepared.reduced, PrepareReduced(task, candidate, role,
                                                prepared.assignments.front()));
  }
  return prepared;
}

Result<Prepared> PrepareCandidate(const Toolchain& toolchain, const Task& task,
                                  const Candidate& candidate) {
  return Prepare(toolchain, task, candidate, PlanSide::kKernel);
}

Result<Prepared> PrepareTrusted(const Toolchain& toolchain, const Task& task,
                                const Solution& solution, PlanSide role) {
  const auto broken = [&](const std::string& what) {
    return Fail(Errc::kUsage, task.definition.name + ": solution " +
                                  solution.name + ": " + what);
  };
  const std::string& source = SourceOf(solution);
  if (solution.language != Language::kCuda || !HasLaunchPlan(source)) {
    return broken("must be one CUDA file with a launch plan");
  }
  TRY(prepared,
      Prepare(toolchain, task, {Language::kCuda, source, solution.entry_symbol},
              role));
  if (prepared.verdict != Verdict::kPassed) {
    return broken("does not compile: " + prepared.diagnostics);
  }
  return prepared;
}

bool HasUntrustedHostCode(const Prepared& prepared) {
  return prepared.libraries.empty() &&
         prepared.assignments.front().part == Part::kSharedObject;
}

}  // namespace coppice::eval::cuda
