// Tasks in Python whose workloads are put as problems of KernelBench's kind, so
// that the same workers and the same loop judge all of them.
#pragma once

#include <cstddef>
#include <memory>

#include "eval/judge/evaluator.h"
#include "store/records/candidate.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

constexpr const char* kModule = "ModelNew";  // As KernelBench calls it.

class Translation {
 public:
  virtual ~Translation() = default;

  // What the task is on one of its workloads.
  virtual Result<Task> ProblemOf(const Task& task,
                                 std::size_t workload) const = 0;

  // A candidate as such problems know it.
  virtual Result<Candidate> ModuleOf(const Task& task,
                                     const Candidate& candidate) const = 0;

  // Whether shapes that nobody was shown can be put as problems, too.
  virtual bool HasOtherShapes() const { return false; }

  // Inputs beside the workloads', on which candidates are checked first and not
  // timed: how many, and what the task is on one of them.
  virtual std::size_t Checks(const Task&) const { return 0; }
  virtual Result<Task> CheckOf(const Task& task, std::size_t check) const;
};

Result<std::unique_ptr<Evaluator>> MakeTranslatingEvaluator(
    std::unique_ptr<Translation> translation, PythonEvaluatorOptions options);

}  // namespace coppice::eval
