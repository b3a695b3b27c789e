// From source to what a runner executes: a candidate's launch plan and its
// code, compiled and checked before any device sees either.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eval/cuda/runner_program.h"
#include "store/records/result.h"
#include "store/records/task.h"
#include "store/records/verdict.h"

namespace coppice {
struct Candidate;
}

namespace coppice::eval::cuda {

enum class PlanSide;
class Toolchain;

// Code as a task's workloads run it: one program each.
struct Prepared {
  Verdict verdict = Verdict::kPassed;
  std::string diagnostics;
  std::vector<RunnerProgram> assignments;
  // The program on Reduced(task); none if the code cannot run there.
  std::optional<RunnerProgram> reduced;
  std::filesystem::path libraries;  // Where to find CUDA's; empty: none.
};

Result<Prepared> Prepare(const Toolchain& toolchain, const Task& task,
                         const Candidate& candidate, PlanSide role);

// An agent's.
Result<Prepared> PrepareCandidate(const Toolchain& toolchain, const Task& task,
                                  const Candidate& candidate);

// A root or an oracle: device code, whose failure is the task's.
Result<Prepared> PrepareTrusted(const Toolchain& toolchain, const Task& task,
                                const Solution& solution, PlanSide role);

// A workload for tools that take too long on those of the task: the first with
// each varying axis beyond 256 at 192 more than its remainder by 64, so that
// tiles are whole or not as they were, and there are some.  None if that is no
// smaller, or inputs come from files.
std::optional<Workload> Reduced(const Task& task);

// Device code has no host code to mistrust, and an expert is trusted.
bool HasUntrustedHostCode(const Prepared& prepared);

}  // namespace coppice::eval::cuda
