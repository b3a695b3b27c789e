// The process that knows a KernelBench problem: what it looks like, its inputs
// and parameters.  No candidate is ever in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "eval/python/contestant.h"
#include "eval/python/inputs.h"
#include "eval/python/worker.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval::python {

struct ProblemOptions {
  std::string name;    // For complaints.
  std::string source;  // Of the file.
  Protocol protocol = Protocol::kCoppice;
  DType precision = DType::kFloat32;
  std::uint64_t seed = 0;  // Of its parameters.
};

class Problem {
 public:
  // Loads the file and constructs its Model.  Errors of the file are kUsage,
  // "NAME: line 7: ...".
  static Result<std::unique_ptr<Problem>> Open(const WorkerOptions& worker,
                                               ProblemOptions options);

  // The task that it is, from one forward pass.
  Result<Task> Describe();

  // Arguments of its constructor, as a Python literal.
  const std::string& init() const { return init_; }

  // Draws inputs: get_inputs() under `seed`.  They are in its memory until the
  // next request, for InputSlots::Fill.
  Result<void> Draw(std::uint64_t seed);
  std::vector<TensorEntry> Drawn() const { return worker_->Tensors(); }
  const Worker& worker() const { return *worker_; }

  Result<State> ReadState();

  // Reads a candidate's source: kPassed, kCompileFailed or kRejected.
  Result<Reaction> Check(const std::string& source, const std::string& entry,
                         Delegation delegation);

  // As KernelBench draws the seeds of its trials from `seed`.
  Result<std::vector<std::uint64_t>> TrialSeeds(std::uint64_t seed,
                                                std::size_t count);

 private:
  Problem(std::unique_ptr<Worker> worker, std::string device,
          ProblemOptions options)
      : worker_(std::move(worker)),
        device_(std::move(device)),
        options_(std::move(options)) {}

  Result<std::string> Ask(Request request, const std::string& order = "");

  std::unique_ptr<Worker> worker_;
  std::string device_;
  ProblemOptions options_;
  std::string init_;
};

}  // namespace coppice::eval::python
