// The evaluators that there are, by the language of candidates.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "eval/host/devices.h"
#include "eval/host/machine_load.h"
#include "store/records/result.h"

namespace coppice::eval {

class Evaluator;

namespace torch {
class PrewarmedWorkers;
}

// The tools that look at candidates beside their judging.
enum class Onlookers : std::uint8_t {
  kNone,
  // Nothing is timed: what they find does not hang on that.  A candidate passes
  // that has passed the checks and in which they find nothing.
  kSanitizers,
  kProfilers,  // For kernels on a device, launched from Python.
};

struct CpuEvaluatorOptions {
  std::filesystem::path cache_directory;  // Compiled objects, by content hash.
  // Least recently used objects go when there are more bytes.
  std::uintmax_t cache_bytes = std::uintmax_t{1} << 30;
  std::filesystem::path runner;  // The coppice-runner executable.
  int threads = 2;               // Of a candidate, at most.
  double compile_timeout_s = 30.0;
  double call_timeout_s = 10.0;  // For one doorbell's batch of calls.
  // Set by a signal handler: the evaluation stops with kCancelled within a
  // second.  Not owned; may be null.
  const std::atomic<bool>* cancelled = nullptr;
  MachineLoadOptions quiet{};
  Onlookers onlookers = Onlookers::kNone;
  bool checks_only = false;  // Nothing is timed.
  bool tells_code = true;    // Of what passes, in the evaluation's profile.
  // Seeds the inputs.  Unset: drawn from the system and told to nobody, so that
  // no candidate can foresee its inputs.  Tests set it.
  std::optional<std::uint64_t> input_seed;
  // Seeds the shapes that no agent was shown (other_shapes.h).  Unset: another
  // seed for each candidate, drawn like the inputs'.
  std::optional<std::uint64_t> shapes_seed;
};

// C++ candidates for CPU tasks.  Fails with kUnavailable, naming the missing
// piece, if the compiler or a sandbox primitive is absent.
Result<std::unique_ptr<Evaluator>> MakeCpuEvaluator(
    CpuEvaluatorOptions options);

struct CudaEvaluatorOptions {
  std::filesystem::path cache_directory;
  std::uintmax_t cache_bytes = std::uintmax_t{1} << 30;
  std::filesystem::path runner;  // The coppice-cuda-runner executable.
  std::filesystem::path nvrtc;   // The coppice-nvrtc executable.
  std::string device_uuid;       // Of the GPU; empty: the driver's first.
  double compile_timeout_s = 30.0;
  double call_timeout_s = 10.0;
  MachineLoadOptions quiet{};
  Onlookers onlookers = Onlookers::kNone;
  bool checks_only = false;  // As above, as all that follow.
  const std::atomic<bool>* cancelled = nullptr;
  std::optional<std::uint64_t> input_seed;
  std::optional<std::uint64_t> shapes_seed;
};

// CUDA C++ candidates for CUDA tasks: device-only with a launch plan
// (cuda/launch_plan.h), or with host code.  Fails with kUnavailable, in one
// line, where there is no device, toolkit or sandbox.
Result<std::unique_ptr<Evaluator>> MakeCudaEvaluator(
    CudaEvaluatorOptions options);

struct PythonEvaluatorOptions {
  std::string python;             // By name or path; needs PyTorch.
  std::filesystem::path scripts;  // The folder of worker.py.
  // A folder for what candidates compile; empty: a folder in /tmp.
  std::filesystem::path cache_directory;
  std::uintmax_t cache_bytes = std::uintmax_t{1} << 30;
  std::string device = "cpu";  // Or "cuda:N", or "auto".
  // The only GPU that its processes see, which is cuda:0 then; none: they see
  // all there are.
  std::optional<Device> gpu{};
  int threads = 2;  // Of a candidate, at most.
  // Includes what Triton compiles while a candidate is loaded, and a
  // load_inline with one level of headers (docs/load_inline.md).
  double load_timeout_s = 60.0;
  double call_timeout_s = 10.0;
  // A task that takes long by itself has longer limits, by what it took.
  bool load_limit_grows = false;  // By what the task does.
  bool call_limit_grows = false;
  MachineLoadOptions quiet{};
  const std::atomic<bool>* cancelled = nullptr;  // As above, both.
  std::optional<std::uint64_t> input_seed;
  // Seeds the axes of definitions in Python, which may vary.
  std::optional<std::uint64_t> shapes_seed;
  Onlookers onlookers = Onlookers::kNone;
  bool checks_only = false;  // Nothing is timed.
  // Processes that LoadKernelBenchTask leaves to the evaluator; null: none.
  // Shared, by one thread.
  std::shared_ptr<torch::PrewarmedWorkers> prewarmed_workers;
};

// Candidates in Python for tasks whose reference is a PyTorch module.  Fails
// with kUnavailable, in one line, where there is no Python with PyTorch, or no
// sandbox.
Result<std::unique_ptr<Evaluator>> MakePythonEvaluator(
    PythonEvaluatorOptions options);

}  // namespace coppice::eval
