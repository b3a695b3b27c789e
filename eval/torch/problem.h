// The process that knows a KernelBench problem: what it looks like, its inputs
// and parameters.  No candidate is ever in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eval/host/unique_fd.h"
#include "eval/torch/worker.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {
struct Judgement;
}

namespace coppice::eval::torch {

struct Returned;
struct Rule;
struct State;

constexpr std::uint64_t kBenchmarkSeed = 42;  // KernelBench's, of everything.

struct ProblemOptions {
  std::string name;    // For complaints.
  std::string source;  // Of the file.
  Protocol protocol = Protocol::kCoppice;
  DType precision = DType::kFloat32;
  std::uint64_t seed = 0;    // Of its parameters.
  std::uint64_t number = 0;  // Of its case (cases.h).
};

// Memory of a device that this process shares with kernel workers:
// trusted_tensors.py.
struct SharedLayout {
  std::string order;  // For them.
  UniqueFd memory;
  std::uint32_t sets = 1;
};

// Outputs of a device: whether they were there when they were said to be,
// whether a kernel worker's memory had to be attached, which takes as long as
// work that is late, and whether calls returned memory that others of the
// request had returned.
struct Taken {
  bool was_there = true;
  bool attached = false;
  bool reuses = false;
};

// What every call writes (traffic_floor.py).  On a device, how fast it does,
// and what may stay in a cache; 0: not known.
struct Writing {
  double bytes = 0.0;
  double bytes_per_s = 0.0;
  double cache_bytes = 0.0;
};

// A variant of the inputs; 0 is as they are drawn.
struct Variant {
  std::uint32_t number = 0;
  std::string name;  // "negated"
};

// For a task's process, of its null candidates: with the task's own text, all
// that their verdicts depend on.
std::string NullsOrder(const Rule& rule);

// Says that a task, or `what` of it, did not do as it should.  kUnfit, with
// what to do, for want of time or memory: `more_time` is the option that allows
// more.  Otherwise kUsage.
Error UnusableFor(const std::string& task, const std::string& what,
                  const Reaction& reaction, const char* more_time);

// The task that a problem's process has described, in JSON.
Result<Task> TaskOf(const std::string& description,
                    const ProblemOptions& options);

// What a trusted side has found of so many sets of outputs, in JSON: one
// finding for each output of the first set, then of the next.
Judgement JudgementOf(const std::string& found,
                      const std::vector<Returned>& expected);

class Problem {
 public:
  // Loads the file and constructs its Model.  Errors of the file are kUsage,
  // "NAME: line 7: ...", here and below, or as UnusableFor() has them.
  static Result<std::unique_ptr<Problem>> Open(const WorkerOptions& worker,
                                               ProblemOptions options);

  // Whether it was opened so, but for name, seed and case.  (An evaluator's
  // workers differ in the files they may read alone.)
  bool IsOf(const WorkerOptions& worker, const ProblemOptions& wanted) const;

  // Constructs its Model anew, of a case and from a seed, and complains as
  // `name`.  What it kept for calls (Keep) is gone.
  Result<void> Reconstruct(const std::string& name, std::uint64_t seed,
                           std::uint64_t number);

  // The task that it is, from one forward pass.
  Result<Task> Describe();

  // Arguments of its constructor, as a Python literal.
  const std::string& init() const { return init_; }

  // Draws inputs: get_inputs() under `seed`.  They are in its memory until the
  // next request, for InputSlots::Fill; or of a `set` that it keeps.
  Result<void> Draw(std::uint64_t seed, std::uint32_t set = 0,
                    std::uint32_t variant = 0);

  // The same, in the host's memory wherever they are drawn.
  Result<void> DrawOnHost(std::uint64_t seed);

  // The variants of its inputs that a right candidate can be held to: see
  // adversarial.py.
  Result<std::vector<Variant>> Variants(std::uint64_t seed, const Rule& rule);
  const Worker& worker() const { return *worker_; }

  // kUsage if its Model gives other outputs for equal inputs and an equal state
  // of torch's generator.
  Result<void> MustRepeat(std::uint64_t seed, const Rule& rule);

  Result<Writing> MeasureWriting(std::uint64_t seed);

  // Has it keep what calls on its device read and write, from now on: the
  // inputs of each side, then the outputs of each.
  Result<std::vector<SharedLayout>> Keep(std::uint32_t most_sets,
                                         std::size_t sides, std::uint64_t seed);
  // Shows a side the inputs of so many sets; judges side 1 by side 0, whose
  // outputs are as `expected`.  kRejected if an input was changed.
  Result<void> Stage(std::size_t side, std::uint32_t sets);
  Result<Judgement> Judge(std::uint32_t sets,
                          const std::vector<Returned>& expected,
                          const Rule& rule);

  // How many times as long as alone the device takes now for so many seconds of
  // work (device_contention.py); 0 where it has no clock.  REQUIRES: Keep().
  Result<double> DeviceContention(double seconds);

  // A side gets another kernel worker, of these notes.
  Result<void> Watch(std::size_t side, int notes);

  // Takes away what a side has left, in steps: from the first on it is awake;
  // by the second it is told that all is there; in the third it asks `giver`
  // for the kernel worker's memory, and says what it found.
  void AwaitOutputs(std::size_t side, std::uint32_t sets);
  void TakeNow() { worker_->SayNow(); }
  Result<Taken> EndTaking(const Giver& giver);

  // Seconds that a call may take; more than was set, where limits grow and the
  // Model's own calls took long.  REQUIRES: MustRepeat(), which measured them.
  double CallLimit() const;

  // Judges null candidates by `order`; findings.h reads what is found.
  Result<std::string> JudgeNulls(const std::string& order, std::uint64_t seed);

  Result<State> ReadState();

  // Reads a candidate's source: kPassed, kCompileFailed or kRejected.
  Result<Reaction> Check(const std::string& source, const std::string& entry,
                         Delegation delegation);

  // Judges what a candidate called when it ran, a JSON array.
  Result<Reaction> CheckOperations(const std::string& operations,
                                   Delegation delegation);

  // As KernelBench draws the seeds of its trials from `seed`.
  Result<std::vector<std::uint64_t>> TrialSeeds(std::uint64_t seed,
                                                std::size_t count);

 private:
  Problem(std::unique_ptr<Worker> worker, const WorkerOptions& of_worker,
          ProblemOptions options)
      : worker_(std::move(worker)),
        stored_(of_worker.stored),
        device_(of_worker.device),
        limits_(of_worker.limits),
        options_(std::move(options)) {}

  Result<Reaction> Ruling(const std::string& order);
  Result<void> Do(const WorkerRequest& request);
  Result<std::string> Said(WorkerRequestKind kind, const Reaction& reaction);
  Result<std::string> Ask(WorkerRequest request, const std::string& order = "",
                          int descriptor = -1);

  std::unique_ptr<Worker> worker_;
  std::vector<std::filesystem::path> stored_;
  std::string device_;
  TimeLimits limits_;
  ProblemOptions options_;
  std::string init_;
  std::optional<double> measured_s_;  // Of drawing inputs, and calls on them.
  double call_s_ = 0.0;               // Of one call, the longest.
};

// The root of task `name`, in Python.
Solution RootOf(const std::string& name, const std::string& file,
                const std::string& entry, std::string source);

}  // namespace coppice::eval::torch
