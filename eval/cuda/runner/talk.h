// The runner's end of the conversation.
#pragma once

#include <span>
#include <vector>

#include "eval/cuda/driver.h"
#include "eval/cuda/runner/protocol.h"

namespace coppice::eval::cuda {

// A request with the descriptors that came with it.  Ends the process when
// nobody is left to ask.
struct Asked {
  Request request;
  std::vector<int> descriptors;
};
Asked Receive();

// Answers the request received last.
void Send(Reply reply, std::span<const int> descriptors = {});

// Ends the process with a last word if `status` is not success.
void Must(Status status, Stage stage);
[[noreturn]] void Refuse(const char* format, const char* what);

}  // namespace coppice::eval::cuda
