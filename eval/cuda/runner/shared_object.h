// A candidate with host code of its own: a shared object that nvcc made.
#pragma once

#include <memory>

#include "eval/cuda/runner/program.h"

namespace coppice::eval::cuda {

// Loads it, which runs its constructors: REQUIRES a confined process.
std::unique_ptr<LoadedProgram> LoadSharedObject(const Gpu& gpu,
                                                const Control& control,
                                                int descriptor);

}  // namespace coppice::eval::cuda
