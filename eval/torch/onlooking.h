// Has tools look at a candidate in Python that has passed (tool_run.h), and
// enters what they see.
#pragma once

#include <filesystem>

#include "store/records/result.h"

namespace coppice {
struct Candidate;
struct Evaluation;
}  // namespace coppice

namespace coppice::eval::torch {

class PythonWorkbench;

// The tools that the options name.  `built`: what its compilers left, if it is
// not empty.  REQUIRES: it has passed on the task that was adopted.
Result<void> LookAt(PythonWorkbench& workbench, const Candidate& candidate,
                    const std::filesystem::path& built, Evaluation& evaluation);

}  // namespace coppice::eval::torch
