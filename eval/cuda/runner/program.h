// What a contestant runs: queues its work on the stream.
#pragma once

#include "eval/cuda/runner/launches.h"

namespace coppice::eval::cuda {

class Program {
 public:
  virtual ~Program() = default;
  virtual void Queue(const Buffers& buffers) = 0;
  virtual void Reload() = 0;  // Device code: as if nothing had run.
};

}  // namespace coppice::eval::cuda
