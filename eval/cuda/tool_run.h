// What the full tier looks at beside outputs and times: the sanitizers, on the
// smallest of a task's workloads, or one that is smaller yet.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eval/cuda/host_inputs.h"
#include "eval/cuda/runner_process.h"
#include "eval/cuda/runner_program.h"
#include "eval/cuda/sanitizer_output.h"
#include "store/records/outcome.h"

namespace coppice {
struct Task;
struct Workload;
}  // namespace coppice

namespace coppice::eval::cuda {

struct Prepared;

// Random inputs of a workload, as a rehearsal takes them.
Result<HostInputs> RehearsalInputs(const Shapes& shapes,
                                   const Workload& workload,
                                   std::uint64_t seed);

struct ToolRunOptions {
  RunnerOptions runner;
  std::filesystem::path toolkit;
  std::uint64_t seed = 0;  // Of the inputs; keep it secret.
};

class ToolRun {
 public:
  static Result<std::unique_ptr<ToolRun>> Make(ToolRunOptions options,
                                               const Task& task,
                                               const Prepared& root);

  // A tool that finds something, or cannot tell, is asked about the root, too,
  // once: if it has no better word for that, it is of no use for this task and
  // asked no more.  One that takes too long looks at Reduced(task) from then
  // on.
  // The log tells also of what was not looked at, and why.
  Result<Outcome> Examine(const Prepared& candidate);

  std::size_t workload() const { return workload_; }

 private:
  // A workload, and who looks at it.
  struct Place {
    Shapes shapes;
    HostInputs inputs;
    RunnerProgram root;
    std::vector<std::string_view> tools;  // But those of no use.
    std::vector<SanitizerOutput>
        of_root;  // From those that were asked about it.
  };

  ToolRun() = default;
  Result<Place> Open(const Task& task, const Workload& workload,
                     const RunnerProgram& root) const;
  Result<std::vector<SanitizerOutput>> Ask(
      const Place& place, const RunnerProgram& runner_program,
      std::span<const std::string_view> tools);
  Result<std::vector<SanitizerOutput>> LookAt(Place& place,
                                              const RunnerProgram& candidate);
  Result<void> AskAboutRoot(Place& place,
                            const std::vector<SanitizerOutput>& of_candidate);
  void SendElsewhere(std::vector<SanitizerOutput>& all);

  ToolRunOptions options_;
  std::size_t workload_ = 0;
  Place usual_;  // The smallest workload.
  std::optional<Place> reduced_;
  std::string reduced_shape_;
  std::filesystem::path folder_;
  std::string missing_;  // Lines on those of no use.
};

}  // namespace coppice::eval::cuda
