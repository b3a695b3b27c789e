// Problems of GPU MODE (formats/gpu_mode.h) as tasks.  Candidates are Python
// with a function custom_kernel(data), as a submission.py has it.
//
// Each benchmark is a workload.  They and the tests, on which a candidate is
// only checked, are cases (cases.h) of one problem of KernelBench's kind, whose
// inputs are what generate_input makes of their arguments (gpu_mode.py).
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "eval/formats/gpu_mode.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {
class Evaluator;
struct PythonEvaluatorOptions;
}  // namespace coppice::eval

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

// What a definition's reference is, and what its problem's process knows.
std::string GpuModeReference(const GpuModeProblem& problem);
std::string GpuModeProblemSource(const std::string& reference);

// A candidate's source as a module of such a problem.
std::string GpuModeModuleSource(const std::string& reference,
                                const std::string& source);

}  // namespace coppice::eval
