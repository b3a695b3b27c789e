// KernelBench problems, read as they are: LEVEL/19_ReLU.py with a class Model,
// get_inputs() and get_init_inputs().
#pragma once

#include <filesystem>

#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {
struct PythonEvaluatorOptions;
}

namespace coppice::eval {

constexpr const char* kModule = "ModelNew";  // Of a candidate.

// The task is called level1_19_ReLU after folder and file, which also give its
// tags level:1 and problem:19; a precision other than float32 is a tag, too.
// Its root is the file with Model as ModelNew.
// Starts a Python to describe it: one forward pass.  kUsage, in one line that
// names the file, for whatever is wrong with it.
Result<Task> LoadKernelBenchTask(const PythonEvaluatorOptions& options,
                                 const std::filesystem::path& file,
                                 Protocol protocol, Delegation delegation,
                                 DType precision = DType::kFloat32);

// What the inputs and parameters of a KernelBench problem are cast to; of other
// tasks kFloat32, which is no matter there.
DType PrecisionOf(const Task& task);

}  // namespace coppice::eval
