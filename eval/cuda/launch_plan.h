// The launches that device-only CUDA source declares in comment lines of its
// own, so that they are edited with the code:
//
//     //@ scratch float partial[ceil_div(N, 1024) * M]
//     //@ launch rows<<<(ceil_div(N, 1024), M), 256, 4096>>>(x, partial, M, N)
//     //@ launch finish<<<M, 128>>>(partial, y, int32(N))
//
// Grid and block are one expression or up to three in parentheses; then bytes
// of dynamic shared memory; then the size of a cluster.  Expressions are over
// axes, numbers to be tuned (store/records/tuning.h) and whole numbers, with +
// - * / % ( ), ceil_div, min and max, in int64 without overflow.  An argument
// is the name of an input, output or scratch buffer, or an expression: an
// int64_t, or an int as int32(...).  Launches run in order on one stream.
#pragma once

#include <string>

#include "eval/cuda/runner_program.h"
#include "eval/formats/shapes.h"
#include "store/records/task.h"

namespace coppice::eval::cuda {

// True if the source declares any launch: it has no host code then.
bool HasLaunchPlan(const std::string& source);

// The side whose names the arguments may be.
enum class PlanSide { kKernel, kOracle };  // An oracle has NAME_m per output.

// What the plan asks for on one workload, or why it cannot be run:
// "kernel.cu:3:18: unknown axis K".  Code and part of the program are left
// to the caller.
struct EvaluatedPlan {
  RunnerProgram runner_program;
  std::string error;  // Empty if there is none.
};
EvaluatedPlan EvaluateLaunchPlan(const std::string& source,
                                 const Definition& definition,
                                 const Workload& workload, PlanSide role);

}  // namespace coppice::eval::cuda
