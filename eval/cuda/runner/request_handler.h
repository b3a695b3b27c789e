// A part that a runner has taken in one workload.
#pragma once

#include <memory>

#include "eval/cuda/runner/request_loop.h"
#include "eval/cuda/runner/timer.h"

namespace coppice::eval::cuda {

class RequestHandler {
 public:
  virtual ~RequestHandler() = default;

  // Sends the answer itself.
  virtual void Answer(const ReceivedRequest& asked) = 0;
};

// What a handler is made of.  All of it outlives the handler but `opened`,
// whose descriptors it may take: those of kOpen.
struct Requests {
  const Gpu& gpu;
  const LaunchTimer& timer;
  const Control& control;
  const std::string& code;
  const ReceivedRequest& opened;
};

// Both answer kOpen.
std::unique_ptr<RequestHandler> MakeTrustedRunner(const Requests& requests);
std::unique_ptr<RequestHandler> MakeKernelRunner(const Requests& requests);

}  // namespace coppice::eval::cuda
