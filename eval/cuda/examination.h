// What the full tier looks at beside outputs and times: the sanitizers, on the
// smallest of a task's workloads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "eval/cuda/sanitizers.h"
#include "store/records/task.h"
#include "store/records/verdict.h"

namespace coppice::eval::cuda {

// Random inputs of a workload, as a rehearsal takes them.
Result<std::vector<SharedMemory>> RehearsalInputs(const Shapes& shapes,
                                                  const Workload& workload,
                                                  std::uint64_t seed);

struct ExaminationOptions {
  RunnerOptions runner;
  std::filesystem::path toolkit;
  std::uint64_t seed = 0;  // Of the inputs; keep it secret.
};

class Examination {
 public:
  // Tries the tools on the root first: those that cannot tell, or that complain
  // of it, are of no use for this task.  `roots`: of all workloads.
  static Result<std::unique_ptr<Examination>> Make(
      ExaminationOptions options, const Task& task,
      const std::vector<Assignment>& roots);

  struct Report {
    Verdict verdict = Verdict::kPassed;
    std::string log;  // Also of what was not looked at, and why.
  };
  // A tool that could tell of the root and cannot of this has not passed it.
  Result<Report> Examine(const std::vector<Assignment>& candidate) const;

  std::size_t workload() const { return workload_; }

 private:
  Examination() = default;

  ExaminationOptions options_;
  std::size_t workload_ = 0;
  Shapes shapes_;
  std::vector<SharedMemory> inputs_;
  std::filesystem::path folder_;
  std::vector<std::string_view> tools_;  // Of use.
  std::string missing_;                  // Lines on the others.
};

// What findings of all tools make of a candidate.
Examination::Report Conclude(const std::vector<Watched>& all);

}  // namespace coppice::eval::cuda
