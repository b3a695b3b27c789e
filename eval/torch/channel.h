// A candidate in Python on one workload: a kernel worker of its own beside
// the root's, by way of the bench's exchange.
#pragma once

#include <cstdint>
#include <string>

#include "eval/judge/call_channel.h"
#include "eval/torch/protocol.h"
#include "store/records/result.h"

namespace coppice {
struct Candidate;
}

namespace coppice::eval::torch {

class TorchBench;
class KernelWorker;
struct Reaction;

// What is known of a call's time.  One takes a microsecond at least, and no
// less than a tenth of its request, whatever was taken off.
Timing TimingOf(const Reaction& reaction);

class TorchChannel : public CallChannel {
 public:
  // What it is given outlives it.
  TorchChannel(TorchBench& bench, KernelWorker& kernel_worker,
               const Candidate& candidate)
      : bench_(bench), kernel_worker_(kernel_worker), candidate_(candidate) {}

  // Adversarial kinds are those of bench.variants(), from 1 on.  The control is
  // the root's own process.
  Result<Outcome> Load() override;
  Result<Outcome> Fill(const InputsWanted& wanted) override;
  Result<Timing> Call(Side side) override;
  Result<Judgement> Compare() override;

  // Has the candidate's next call watched: kAudit or kProfile; and what came of
  // it, as KernelWorker::Operations() has it.
  void WatchNext(WorkerRequestKind kind) { kind_ = kind; }
  const std::string& operations() const { return operations_; }

 private:
  Result<Timing> CallCandidate();
  Result<Judgement> Judge();
  Result<Judgement> JudgeAsConstructed();

  TorchBench& bench_;
  KernelWorker& kernel_worker_;
  const Candidate& candidate_;
  std::string inputs_ = "plain";  // The kind of those at hand.
  std::uint64_t call_seed_ = 0;   // Of torch's generator.
  WorkerRequestKind kind_ = WorkerRequestKind::kCall;
  std::string operations_;
  bool is_settled_ = false;  // By whose parameters it computes.
};

}  // namespace coppice::eval::torch
