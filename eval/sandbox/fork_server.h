// A process that has made ready what programs need, and of which each sandboxed
// one is forked: it does not pay for that again.
//
// They share the layout of its address space, which is no secret between them.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eval/host/unique_fd.h"
#include "store/records/result.h"

namespace coppice::eval {

// Lives as long as the object and this process, whatever becomes of the thread
// that started it; so do those who are forked.  For several threads at once.
class ForkServer {
 public:
  // Executes a program outside of any sandbox: it is ours, runs nobody else's
  // code, and speaks what eval/torch/fork_server.py does.  Does not wait.
  static Result<std::unique_ptr<ForkServer>> Start(
      std::vector<std::string> arguments,
      const std::vector<std::pair<std::string, std::string>>& environment);
  ~ForkServer();

  bool HasEnded() const;

  // A process that becomes what coppice-jail would with these arguments, in
  // that environment, its descriptors 0, 1, 2, ..., on the processors of the
  // calling thread.  Waits until the server is ready.  Fails with kUnavailable,
  // saying what it printed, if the server has ended.
  Result<UniqueFd> Fork(
      const std::vector<std::string>& arguments,
      const std::vector<std::pair<std::string, std::string>>& environment,
      std::span<const int> descriptors, const std::atomic<bool>* cancelled);

 private:
  ForkServer() = default;
  Result<std::vector<UniqueFd>> Answer(const std::atomic<bool>* cancelled);

  std::mutex mutex_;
  bool is_ready_ = false;
  pid_t pid_ = -1;
  UniqueFd socket_;
  UniqueFd output_;
};

}  // namespace coppice::eval
