// Holds the launches of a plan against the kernels that were compiled, so that
// a mistake is told in words and not by a device that faults.
#pragma once

#include <string>
#include <vector>

#include "eval/cuda/cubin.h"
#include "eval/cuda/runner_program.h"
#include "eval/formats/shapes.h"

namespace coppice::eval::cuda {

// "kernel.cu: launch plan: ..." of the first launch that cannot be right: no
// such kernel, other parameters than its arguments, or more threads, registers
// or shared memory than a block can have.  Empty if there is none.
// `shapes` are those of the workload that the plan was evaluated on.
std::string CheckLaunches(const RunnerProgram& plan, const Shapes& shapes,
                          const std::vector<KernelFacts>& kernels);

}  // namespace coppice::eval::cuda
