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
#include "eval/cuda/preparation.h"
#include "eval/cuda/sanitizers.h"
#include "store/records/outcome.h"
#include "store/records/task.h"

namespace coppice::eval::cuda {

// Random inputs of a workload, as a rehearsal takes them.
Result<HostInputs> RehearsalInputs(const Shapes& shapes,
                                   const Workload& workload,
                                   std::uint64_t seed);

struct ExaminationOptions {
  RunnerOptions runner;
  std::filesystem::path toolkit;
  std::uint64_t seed = 0;  // Of the inputs; keep it secret.
};

class Examination {
 public:
  static Result<std::unique_ptr<Examination>> Make(ExaminationOptions options,
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
    Assignment root;
    std::vector<std::string_view> tools;  // But those of no use.
    std::vector<Watched> of_root;         // Of those that were asked about it.
  };

  Examination() = default;
  Result<Place> Open(const Task& task, const Workload& workload,
                     const Assignment& root) const;
  Result<std::vector<Watched>> Ask(const Place& place,
                                   const Assignment& assignment,
                                   std::span<const std::string_view> tools);
  Result<std::vector<Watched>> LookAt(Place& place,
                                      const Assignment& candidate);
  Result<void> AskAboutRoot(Place& place,
                            const std::vector<Watched>& of_candidate);
  void SendElsewhere(std::vector<Watched>& all);

  ExaminationOptions options_;
  std::size_t workload_ = 0;
  Place usual_;  // The smallest workload.
  std::optional<Place> reduced_;
  std::string reduced_shape_;
  std::filesystem::path folder_;
  std::string missing_;  // Lines on those of no use.
};

}  // namespace coppice::eval::cuda
