// Finds tasks by their names: those that come with the program, those of
// others, and landscapes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice {
struct EvalConfig;
}
namespace coppice::config {
struct Loaded;
struct Settings;
}  // namespace coppice::config
namespace coppice::store {
struct CampaignSpec;
}

namespace coppice::engine {

class EvaluatorFactory;

class TaskFinder {
 public:
  // All outlives it.  `evaluators` says by which Python tasks are read.
  TaskFinder(const config::Loaded& loaded, std::filesystem::path runner,
             const EvaluatorFactory& evaluators);

  // As CampaignFactory has them.
  Result<Task> FindTask(const std::string& name) const;
  Result<Task> TaskOf(const store::CampaignSpec& spec) const;

  // All that come with the program, and their names alone.
  Result<std::vector<Task>> BuiltInTasks() const;
  Result<std::vector<std::string>> TaskNames() const;

  // Names of those in the language with tag level:LEVEL, which is 1, 2, 3 or,
  // of kernels that the catalogue was not tuned on, foreign.
  Result<std::vector<std::string>> TasksOfLevel(const std::string& level,
                                                Language language) const;

 private:
  Result<Task> FindKernelBenchTask(const std::string& file) const;
  Result<Task> FindGpuModeTask(const std::string& folder) const;
  // One of a landscape, or of a trace set: ours or a user's.
  Result<Task> FindDocumentedTask(const std::string& name) const;
  // With the rules by which it is judged.
  Result<void> GiveDelegation(const std::string& name, Task& task) const;
  Result<void> GiveEvalConfig(const std::string& name, Task& task) const;
  Result<void> MustHaveNoPrecision(const std::string& name) const;
  // For a task of a user's trace set.
  Result<void> CheckSyntax(const std::string& name, const Task& task) const;
  Result<void> CheckEvalConfig(const std::string& name, TaskFormat format,
                               Protocol protocol) const;
  Result<EvalConfig> EvalConfigFor(const Definition& definition) const;

  const config::Loaded& loaded_;
  const config::Settings& settings_;  // Of loaded_.
  const std::filesystem::path runner_;
  const EvaluatorFactory& evaluators_;
};

}  // namespace coppice::engine
