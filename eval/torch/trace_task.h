// Tasks of FlashInfer-Bench that are not ours: a definition's reference is
// Python, and so are the solutions that are judged here.
//
// Each workload is put as a KernelBench problem whose inputs are drawn as
// FlashInfer-Bench draws them, so that the same workers judge both.
#pragma once

#include <memory>
#include <string>

#include "store/records/candidate.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {
class Evaluator;
struct PythonEvaluatorOptions;
}  // namespace coppice::eval

namespace coppice::eval {

// Candidates are Python with a function `run` that returns its outputs, or the
// document of a solution.  As MakePythonEvaluator; tasks have
// TaskFormat::kFlashInferBench.
Result<std::unique_ptr<Evaluator>> MakeTraceSetEvaluator(
    PythonEvaluatorOptions options);

// Such a function, of a solution in Python, Triton, C++ or CUDA C++ with any
// number of files, also one that is passed its outputs.  kUsage: it is in
// another language, or of another definition, or its outputs' shapes do not
// follow from its inputs'.
Result<std::string> FunctionSource(const Definition& definition,
                                   const Solution& solution);

// What the task is on one of its workloads, and a candidate as such problems
// know it.
Result<Task> TraceProblem(const Task& task, std::size_t workload);
Result<Candidate> TraceModule(const Task& task, const Candidate& candidate);

// The problem that one workload is.  kUsage: its safetensors are not as the
// definition says.
Result<std::string> ProblemSource(const Definition& definition,
                                  const Workload& workload);

// The definition's reference as a class Model, as such problems have it.
std::string ReferenceSource(const Definition& definition);

// A candidate's source as a module of such a problem.
std::string ModuleSource(const Definition& definition,
                         const std::string& source);

}  // namespace coppice::eval
