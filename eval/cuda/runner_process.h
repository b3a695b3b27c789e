// One coppice-cuda-runner in the sandbox, and the parent's end of the protocol
// (runner/protocol.h).
//
// It can be started before anybody knows what for: making a context takes most
// of the time.  The parent itself never makes one.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "eval/cuda/runner/protocol.h"
#include "eval/host/nvml.h"
#include "eval/host/unique_fd.h"
#include "eval/host/waiting.h"
#include "eval/sandbox/sandbox.h"
#include "store/records/outcome.h"
#include "store/records/result.h"

namespace coppice::eval::cuda {

struct RunnerOptions {
  std::filesystem::path runner;   // The executable.
  std::filesystem::path helpers;  // The trusted kernels' cubin.
  std::filesystem::path driver;   // The folder of libcuda.so.1.
  // The folder of CUDA's libraries; empty: what the runner runs may use none.
  std::filesystem::path libraries;
  // libcupti.so; empty: nothing is traced.
  std::filesystem::path profiler = {};
  std::filesystem::path devices = "/dev";  // The folder of the driver's files.
  DeviceIdentity device;
  const std::atomic<bool>* cancelled = nullptr;
};

// Finds libcuda.so.1 where the loader does.
Result<std::filesystem::path> FindDriver();

inline constexpr char kRunnerInside[] = "/coppice-cuda-runner";

// The executable as kRunnerInside, with what the driver needs; without
// arguments and descriptors.
SandboxedProgram SandboxOf(const RunnerOptions& options);

// With the rest of it 0.
inline RunnerRequest RequestFor(RequestKind kind, std::uint32_t set = 0,
                                std::uint32_t data = 0,
                                std::uint32_t workload = 0) {
  RunnerRequest request{};
  request.kind = kind;
  request.workload = workload;
  request.set = set;
  request.data = data;
  return request;
}

// What came of a request.  Anything but kPassed ends the runner.
struct RunnerAnswer : Outcome {
  double wall_s = 0.0;  // From the request to its answer.
  RunnerReply reply{};
  std::vector<UniqueFd> descriptors;
};

class RunnerProcess {
 public:
  // Does not wait.
  static Result<std::unique_ptr<RunnerProcess>> Start(
      const RunnerOptions& options);

  // Waits until its context is made.  A failure up to there is ours.
  Result<void> Ready();

  // REQUIRES: Ready(), and nothing has ended the runner.
  Result<RunnerAnswer> Ask(const RunnerRequest& request, double timeout_s,
                           std::span<const int> descriptors = {});

  // Nothing of it runs on a processor until it is asked again.
  void Stop();

  // What it printed, at most 64 KiB.
  std::string Output() const { return process_->Output(); }

 private:
  explicit RunnerProcess(const RunnerOptions& options) : options_(options) {}

  RunnerAnswer Ended(Outcome outcome);
  RunnerAnswer Died();
  RunnerAnswer TooManyThreads();

  RunnerOptions options_;
  UniqueFd socket_;
  UniqueFd pidfd_;  // Of the runner itself, in our name space.
  pid_t pid_ = -1;  // Its number; names the runner while pidfd_ lives.
  std::unique_ptr<Sandboxed> process_;
  std::uint64_t sequence_ = 0;
  bool ready_ = false;
  bool stopped_ = false;
};

}  // namespace coppice::eval::cuda
