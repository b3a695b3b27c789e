// What the full tier looks at beside outputs and times: the sanitizers, on the
// smallest of a task's workloads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
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
  // `roots`: of all workloads.
  static Result<std::unique_ptr<Examination>> Make(
      ExaminationOptions options, const Task& task,
      const std::vector<Assignment>& roots);

  struct Report {
    Verdict verdict = Verdict::kPassed;
    std::string log;  // Also of what was not looked at, and why.
  };
  // A tool that finds something, or cannot tell, is asked about the root, too,
  // once: if it has no better word for that, it is of no use for this task and
  // asked no more.
  Result<Report> Examine(const std::vector<Assignment>& candidate);

  std::size_t workload() const { return workload_; }

 private:
  Examination() = default;
  Result<std::vector<Watched>> Ask(const Assignment& assignment,
                                   std::span<const std::string_view> tools);
  Result<void> AskAboutRoot(const std::vector<Watched>& of_candidate);

  ExaminationOptions options_;
  std::size_t workload_ = 0;
  Shapes shapes_;
  Assignment root_;  // Of that workload.
  std::vector<SharedMemory> inputs_;
  std::filesystem::path folder_;
  std::vector<std::string_view> tools_;  // But those of no use.
  std::vector<Watched> of_root_;         // Of those that were asked about it.
  std::string missing_;                  // Lines on those of no use.
};

// Tools that do not find a candidate clean, and have not been asked about the
// root.
std::vector<std::string_view> Doubtful(const std::vector<Watched>& of_candidate,
                                       const std::vector<Watched>& of_root);

// Without what was said by a tool that does not find the root clean either.
std::vector<Watched> OfUse(std::vector<Watched> of_candidate,
                           const std::vector<Watched>& of_root);

// What findings of all tools make of a candidate.
Examination::Report Conclude(const std::vector<Watched>& all);

}  // namespace coppice::eval::cuda
