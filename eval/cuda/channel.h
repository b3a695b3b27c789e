// A CUDA candidate on one workload: a process that it shares with none but
// itself on other workloads, or one after the other of its own, beside the
// root's, with their data in the trusted runner's memory on the device.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eval/cuda/bench.h"
#include "eval/cuda/runner_pool.h"
#include "eval/judge/call_channel.h"

namespace coppice::eval::cuda {

struct ChannelOptions {
  Runner process;
  std::uint32_t number = 0;  // How many workloads it was opened for before.
  RunnerPool& runners;       // For processes of its own.
  std::filesystem::path libraries;  // For these; empty: none.
  const RunnerProgram& runner_program;
  const Abilities& abilities;
  double timeout_s = 10.0;
};

class CudaChannel : public CallChannel {
 public:
  // `bench`, and what the options refer to, outlive it.
  CudaChannel(CudaBench& bench, ChannelOptions options)
      : bench_(bench), options_(std::move(options)) {}

  // A request makes one call, on cold caches; its time is the device's, between
  // two events.  Adversarial kinds are those of bench.adversarial(), from 1 on,
  // of those that have begun to be made.  The control is the root's own
  // process.
  Result<Outcome> Load() override;
  Result<Outcome> Fill(const InputsWanted& wanted) override;
  Result<Timing> Call(Side side) override;
  Result<eval::Judgement> Compare() override;

  // What it printed, at most 64 KiB.
  std::string Output() const { return options_.process->Output(); }

  // A call more, in which the launches of device code are told apart.  No clock
  // runs.  An inventory that did not pass has ended the candidate.
  Result<RunnerAnswer> TakeInventory();

 private:
  Result<Outcome> Draw();
  Result<Outcome> Forget();
  void DealOne();
  Result<Timing> CallRoot();
  Result<Timing> CallCandidate();
  Result<void> Judge(std::uint32_t set);
  Timing TimingOf(const cuda::KernelCall& call) const;
  bool HasHostCode() const {
    return kernel_process_->part() == Part::kSharedObject;
  }

  CudaBench& bench_;
  ChannelOptions options_;
  std::optional<KernelProcess> kernel_process_;
  std::vector<std::uint32_t> deck_;  // Data sets that its process has not met.
  std::uint32_t next_fresh_ = 0;
  bool has_begun_ = false;
  std::uint32_t data_ = 0;  // At hand.
  std::string inputs_ = "plain";
  bool root_was_slow_ = false;  // On them.
  eval::Judgement judgement_;   // Of the last call.
};

}  // namespace coppice::eval::cuda
