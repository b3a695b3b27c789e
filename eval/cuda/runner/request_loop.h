// The runner's end of the conversation.
#pragma once

#include <span>
#include <vector>

#include "eval/cuda/runner/driver.h"
#include "eval/cuda/runner/protocol.h"

namespace coppice::eval::cuda {

// A request with the descriptors that came with it.  Ends the process when
// nobody is left to ask.
struct ReceivedRequest {
  RunnerRequest request;
  std::vector<int> descriptors;
};
ReceivedRequest Receive();

// The next Receive() asks again and again for a while, before it sleeps:
// waking a processor takes up to 200 us, or none, by what else it has done.
void StayAwake();

// Answers the request received last.
void Send(RunnerReply reply, std::span<const int> descriptors = {});

// From now on the last word is printed, and there is nothing else to say.
void SpeakPlainly();

// Ends the process with a last word if `status` is not success.
void Must(Status status, FailureStage stage);
[[noreturn]] void Refuse(const char* format, const char* what);

}  // namespace coppice::eval::cuda
