// Has a task's own process judge its null candidates, which it is asked for
// once: what it found is kept (null_result_cache.h).
#pragma once

#include <cstdint>
#include <vector>

#include "store/records/result.h"

namespace coppice {
struct Task;
}
namespace coppice::eval {
enum class Anew : std::uint8_t;
struct Finding;
}  // namespace coppice::eval

namespace coppice::eval::torch {

class PythonWorkbench;

// As Evaluator::JudgeNulls.
Result<std::vector<Finding>> JudgeNulls(PythonWorkbench& workbench,
                                        const Task& task, Anew anew);

}  // namespace coppice::eval::torch
