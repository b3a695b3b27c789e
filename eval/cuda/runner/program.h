// What a kernel process runs: queues its work on the stream.
#pragma once

#include <memory>
#include <string>

#include "eval/cuda/runner/launches.h"

namespace coppice::eval::cuda {

class LoadedProgram {
 public:
  virtual ~LoadedProgram() = default;
  virtual void Queue(const Buffers& buffers) = 0;
};

// Loads what control.part says: a module of the cubin `code`, or the shared
// object that `descriptor` is of.  Both outlive the program.
std::unique_ptr<LoadedProgram> LoadProgram(const Gpu& gpu,
                                           const Control& control,
                                           const std::string& code,
                                           int descriptor);

}  // namespace coppice::eval::cuda
