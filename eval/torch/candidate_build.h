// What is done with a candidate's source before it runs where it is judged: it
// is read, and what it brings for compilers is compiled (jit_compile.h).
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "eval/torch/scratch_folder.h"
#include "store/records/outcome.h"
#include "store/records/result.h"

namespace coppice {
struct Candidate;
}

namespace coppice::eval::torch {

class PythonWorkbench;

// kPassed, kCompileFailed or kRejected.  REQUIRES: its task was adopted.
Result<Outcome> ReadCandidate(PythonWorkbench& workbench,
                              const Candidate& candidate);

struct CandidateBuild {
  Outcome outcome{};
  ScratchFolder left{};  // By its compilers; without a path: they had no work.
};

// `blame` tells what the candidate did to its task, which failed beside it; an
// error if that was not its doing.
Result<CandidateBuild> BuildCandidate(
    PythonWorkbench& workbench, const Candidate& candidate,
    const std::function<Result<std::string>(const Error&)>& blame);

}  // namespace coppice::eval::torch
