#include "eval/torch/channel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "eval/torch/bench.h"
#include "eval/torch/kernel_worker.h"
#include "store/records/candidate.h"

namespace coppice::eval::torch {
namespace {

constexpr double kLeastSeconds = 1e-6;    // Of a call from Python.
constexpr double kUndeductedShare = 0.1;  // Of a request, at least.

constexpr const char* kCopies =
    "its calls return the same memory: copies of its outputs, without which "
    "they would not last, are in its time";
constexpr const char* kUnsettled =
    "outputs are in new memory each time, where nobody can see soon enough "
    "whether they are there";

}  // namespace

Timing TimingOf(const Reaction& reaction) {
  Timing timing;
  static_cast<Outcome&>(timing) = reaction;
  timing.calls = reaction.calls;
  timing.wall_s = reaction.wall_s;
  timing.call_s = std::max({reaction.call_s, kLeastSeconds,
                            kUndeductedShare * timing.wall_s / timing.calls});
  if (std::isfinite(reaction.cpu_s)) timing.cpu_s = reaction.cpu_s;
  timing.device_s = reaction.device_s;
  timing.whole_s = reaction.whole_s;
  timing.device_contention = reaction.device_contention;
  if (reaction.is_unsettled) timing.unsettled = kUnsettled;
  if (reaction.copies) timing.remark = kCopies;
  return timing;
}

Result<Outcome> TorchChannel::Load() {
  Construction construction = bench_.construction();
  construction.entry = candidate_.entry_symbol;
  TRY_DONE(bench_.Join(kernel_worker_));
  TRY(prepared,
      kernel_worker_.Prepare(candidate_.source, construction, &bench_.state()));
  return static_cast<Outcome&>(prepared);
}

// How a candidate fails meanwhile is what its next call tells.
Result<Outcome> TorchChannel::Fill(const InputsWanted& wanted) {
  std::uint32_t variant = 0;
  inputs_ = "plain";
  if (wanted.kind != 0) {
    variant = bench_.variants()[wanted.kind - 1].number;
    inputs_ = bench_.variants()[wanted.kind - 1].name;
  }
  TRY_DONE(bench_.Fill(wanted.seed ? *wanted.seed : bench_.NextSeed(),
                       wanted.calls, variant, &kernel_worker_));
  // A candidate is told this one: not that of inputs which nobody has seen.
  call_seed_ = wanted.seed ? *wanted.seed : bench_.NextSeed();
  return Outcome{};
}

Result<Timing> TorchChannel::Call(Side side) {
  if (side == Side::kCandidate) return CallCandidate();
  TRY(reaction, side == Side::kControl ? bench_.CallControl(call_seed_)
                                       : bench_.CallRoot(call_seed_));
  return TimingOf(reaction);
}

Result<Timing> TorchChannel::CallCandidate() {
  const WorkerRequestKind kind = std::exchange(kind_, WorkerRequestKind::kCall);
  TRY(reaction, bench_.Call(kernel_worker_, kind, call_seed_));
  const bool is_watched = kind != WorkerRequestKind::kCall;
  if (is_watched && reaction.verdict == Verdict::kPassed) {
    operations_ = kernel_worker_.Operations();
  }
  return TimingOf(reaction);
}

// Some work their parameters over when they are constructed: what they take off
// a bias is not to be put back.
Result<Judgement> TorchChannel::Compare() {
  TRY(judgement, Judge());
  const bool has_settled = std::exchange(is_settled_, true);
  if (judgement.verdict != Verdict::kWrongOutput || has_settled ||
      !kernel_worker_.HadOthers()) {
    return judgement;
  }
  TRY(own, JudgeAsConstructed());
  if (own.verdict == Verdict::kPassed) return own;
  judgement.log = "with the reference's parameters: " + judgement.log +
                  "\nwith those that it was constructed with: " + own.log;
  return judgement;
}

Result<Judgement> TorchChannel::JudgeAsConstructed() {
  Judgement judgement;
  TRY(restored, kernel_worker_.Restore());
  static_cast<Outcome&>(judgement) = restored;
  if (restored.verdict != Verdict::kPassed) return judgement;
  TRY(called,
      bench_.Call(kernel_worker_, WorkerRequestKind::kCall, call_seed_));
  static_cast<Outcome&>(judgement) = called;
  return called.verdict == Verdict::kPassed ? Judge() : judgement;
}

Result<Judgement> TorchChannel::Judge() {
  TRY(judgement, bench_.Judge(kernel_worker_));
  judgement.on = inputs_;
  if (judgement.verdict != Verdict::kPassed && inputs_ != "plain") {
    judgement.log = "on inputs " + inputs_ + ": " + judgement.log;
  }
  return judgement;
}

}  // namespace coppice::eval::torch
