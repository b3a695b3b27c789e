#include "eval/cuda/preparation.h"

#include <fstream>
#include <iterator>
#include <utility>

#include "eval/cuda/cubin.h"
#include "eval/cuda/launch_check.h"
#include "eval/cuda/linkage.h"
#include "eval/same_task.h"
#include "eval/shapes.h"

namespace coppice::eval::cuda {
namespace {

// What is wrong with it, before any device sees it.  Empty if nothing is.
// `plans`: one for each workload, or none for a shared object, which may need
// `libraries`.
Result<std::string> CheckCompiled(const Task& task,
                                  const std::filesystem::path& object,
                                  const std::vector<EvaluatedPlan>& plans,
                                  const std::vector<std::string>& libraries) {
  std::ifstream file(object, std::ios::binary);
  const std::string code{std::istreambuf_iterator<char>(file), {}};
  if (!file) return Fail(Errc::kIo, object.string() + ": cannot be read");
  if (plans.empty()) return CheckLinkage(code, libraries);
  const auto kernels = ReadCubin(code);
  // What a later compiler makes is left to the driver to judge.
  if (!kernels) return std::string();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    TRY(shapes, Resolve(task.definition, task.workloads[i]));
    std::string wrong = CheckLaunches(plans[i].assignment, shapes, *kernels);
    if (!wrong.empty()) return wrong;
  }
  return std::string();
}

}  // namespace

Result<Prepared> Prepare(const Toolchain& toolchain, const Task& task,
                         const Candidate& candidate, Role role) {
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
      plans[i].assignment.code = compiled.object;
      prepared.assignments.push_back(std::move(plans[i].assignment));
    } else {
      TRY(shapes, Resolve(task.definition, task.workloads[i]));
      prepared.assignments.push_back(
          CallEntry(compiled.object, candidate.entry_symbol, shapes));
    }
  }
  return prepared;
}

Result<std::vector<Assignment>> PrepareTrusted(const Toolchain& toolchain,
                                               const Task& task,
                                               const Solution& solution,
                                               Role role) {
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
  return std::move(prepared.assignments);
}

bool HasUntrustedHostCode(const Prepared& prepared) {
  return prepared.libraries.empty() &&
         prepared.assignments.front().part == Part::kSharedObject;
}

}  // namespace coppice::eval::cuda
