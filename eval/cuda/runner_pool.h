// Starts runners, one of them ahead for the candidate to come: its context is
// made while the one before is thought about.
#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include "eval/cuda/runner_process.h"

namespace coppice::eval::cuda {

using Runner = std::shared_ptr<RunnerProcess>;

class RunnerPool {
 public:
  // `options`: without libraries and profiler.
  explicit RunnerPool(RunnerOptions options) : options_(std::move(options)) {}

  // Options for what may use the libraries there; empty: none.
  RunnerOptions OptionsFor(const std::filesystem::path& libraries) const;

  // Does not wait.
  Result<Runner> Start() const;

  // A runner for a candidate, ready: the one ahead where it will do.
  Result<Runner> Take(const std::filesystem::path& libraries);

  // Unless there is one.
  Result<void> StartNext();
  void DropNext() { next_.reset(); }

 private:
  RunnerOptions options_;
  Runner next_;
};

}  // namespace coppice::eval::cuda
