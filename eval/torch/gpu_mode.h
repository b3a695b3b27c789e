// Problems of GPU MODE (formats/gpu_mode.h) as tasks.  Candidates are Python
// with a function custom_kernel(data), as a submission.py has it.
//
// Each benchmark is a workload, put as a KernelBench problem whose inputs are
// what the problem's generate_input makes of its arguments (gpu_mode.py).  On
// each test a candidate is checked.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "eval/formats/gpu_mode.h"
#include "eval/judge/evaluator.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

// Called pmpp_vectoradd_py after the last two folders of its path.  The root is
// its reference.py with ref_kernel as custom_kernel.  Starts a Python to
// describe it on its first benchmark; kUsage, in one line, for whatever is
// wrong with it.
Result<Task> LoadGpuModeTask(const PythonEvaluatorOptions& options,
                             const std::filesystem::path& folder,
                             Delegation delegation);

Result<std::unique_ptr<Evaluator>> MakeGpuModeEvaluator(
    PythonEvaluatorOptions options);

// What a definition's reference is for all of its tests and benchmarks, and
// what the problem of one is then.
std::string GpuModeReference(const GpuModeProblem& problem);
std::string GpuModeProblemSource(const std::string& reference,
                                 const std::string& kind, std::size_t number);

// A candidate's source as a module of such a problem.
std::string GpuModeModuleSource(const std::string& reference,
                                const std::string& source);

}  // namespace coppice::eval
