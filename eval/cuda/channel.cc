#include "eval/cuda/channel.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "eval/cuda/adversarial.h"

namespace coppice::eval::cuda {
namespace {

constexpr double kThrottledClock = 0.75;  // Of the default: nvbench's.
constexpr double kProcessSeconds = 0.5;   // Until one runs, with a context.
// How much longer a stamp waits behind honest host code than behind the root:
// 0.2 us at most behind a copy, a graph or another stream's event; 4 us behind
// code that waits for the device and is therefore not held (H200, CUDA 13.0).
constexpr double kMostAfterHeld = 2e-6;
constexpr double kMostAfter = 10e-6;

}  // namespace

Result<Outcome> CudaChannel::Load() {
  TRY_ASSIGN(
      kernel_process_,
      KernelProcess::Open(options_.process, options_.number,
                          options_.runner_program, bench_.shapes(),
                          bench_.sets(), bench_.tensors(), options_.timeout_s));
  return static_cast<const Outcome&>(kernel_process_->opened());
}

Result<Outcome> CudaChannel::Fill(const InputsWanted& wanted) {
  inputs_ = "plain";
  root_was_slow_ = false;
  if (wanted.kind == 0) return Draw();
  const std::size_t kind = wanted.kind - 1;
  TRY_ASSIGN(data_, bench_.AdversarialData(kind));
  inputs_ = Name(bench_.adversarial().kinds()[kind]);
  return Outcome{};
}

// A data set that its process has not met: a new one, unless to make so many
// takes longer than to begin a process.
Result<Outcome> CudaChannel::Draw() {
  const double all_sets_s = bench_.data_set_cost_s() * bench_.data_sets();
  const bool is_fresh =
      !has_begun_ || HasHostCode() || all_sets_s < kProcessSeconds;
  has_begun_ = true;
  if (is_fresh) {
    data_ = next_fresh_++ % bench_.data_sets();
    TRY_DONE(bench_.Renew(data_));
    std::erase(deck_, data_);
    return Outcome{};
  }
  if (deck_.empty()) {
    TRY(forgotten, Forget());
    if (forgotten.verdict != Verdict::kPassed) return forgotten;
  }
  DealOne();
  return Outcome{};
}

void CudaChannel::DealOne() {
  data_ = deck_.back();
  deck_.pop_back();
}

// Its first call, which pays for loading what it needs, is no sample.  A new
// module would not do: local memory is the context's, and outlives it.
Result<Outcome> CudaChannel::Forget() {
  TRY_ASSIGN(options_.process, options_.runners.Take(options_.libraries));
  options_.number = 0;
  TRY(loaded, Load());
  if (loaded.verdict != Verdict::kPassed) return loaded;
  for (std::uint32_t i = 0; i < bench_.data_sets(); ++i) deck_.push_back(i);
  for (std::size_t i = deck_.size(); i > 1; --i) {
    std::swap(deck_[i - 1], deck_[bench_.Secret() % i]);
  }
  DealOne();
  TRY(first, CallCandidate());
  if (first.verdict != Verdict::kPassed) return static_cast<Outcome&>(first);
  return static_cast<Outcome&>(judgement_);
}

Result<Timing> CudaChannel::Call(Side side) {
  return side == Side::kCandidate ? CallCandidate() : CallRoot();
}

Timing CudaChannel::TimingOf(const cuda::KernelCall& call) const {
  Timing timing;
  static_cast<Outcome&>(timing) = call;
  timing.call_s = call.event_s;
  timing.wall_s = call.wall_s;
  timing.clock_hz = call.clock_hz;
  if (HasHostCode()) {
    timing.after_s = call.after_s;
    timing.most_after_s =
        kernel_process_->holds() ? kMostAfterHeld : kMostAfter;
  } else {
    // Kernels reach the memory in which the device keeps the times of events.
    timing.whole_s = call.whole_s;
  }
  const auto usual_hz = static_cast<double>(options_.abilities.clock_hz);
  if (call.clock_hz > 0.0 && call.clock_hz < kThrottledClock * usual_hz) {
    timing.disturbed = "the device runs below three quarters of its clock";
  }
  return timing;
}

Result<Timing> CudaChannel::CallRoot() {
  const auto set = static_cast<std::uint32_t>(bench_.Secret() % bench_.sets());
  TRY_DONE(bench_.Stage(set, data_));
  TRY(call, bench_.CallRoot(set, data_));
  Timing timing = TimingOf(call);
  // Once it may be slow by chance.
  if (bench_.IsSlow(call.event_s) && std::exchange(root_was_slow_, true)) {
    timing.disturbed = "something else uses the device";
  }
  return timing;
}

Result<Timing> CudaChannel::CallCandidate() {
  const auto set = static_cast<std::uint32_t>(bench_.Secret() % bench_.sets());
  TRY(awake, kernel_process_->Wake(options_.timeout_s));
  Timing timing;
  static_cast<Outcome&>(timing) = awake;
  if (timing.verdict != Verdict::kPassed) return timing;
  TRY_DONE(bench_.Stage(set, data_));
  TRY(call, kernel_process_->Go(set, bench_.SurroundingsOf(data_),
                                options_.timeout_s));
  timing = TimingOf(call);
  if (timing.verdict != Verdict::kPassed) return timing;
  if (call.event_s > call.wall_s) {
    static_cast<Outcome&>(timing) = Rejected(
        Breach::kForgedTime, "its events tell more time than has passed");
    return timing;
  }
  // The next call might use the set.
  TRY_DONE(Judge(set));
  return timing;
}

Result<void> CudaChannel::Judge(std::uint32_t set) {
  judgement_ = {};
  judgement_.on = inputs_;
  TRY(found, bench_.Judge(set, data_));
  if (found.changed_inputs != 0) {
    static_cast<Outcome&>(judgement_) =
        Rejected(Breach::kWroteInput, "it changed an input");
  }
  for (std::size_t i = 0; i < bench_.shapes().outputs.size(); ++i) {
    const OutputErrors& finding = found.output[i];
    const auto worst = [](double& so_far, std::uint64_t bits) {
      so_far = std::max(so_far, std::bit_cast<double>(bits));
    };
    worst(judgement_.worst_error_ratio, finding.worst_error_ratio);
    worst(judgement_.max_absolute_error, finding.max_absolute_error);
    worst(judgement_.max_relative_error, finding.max_relative_error);
    const std::string wrong = DescribeFinding(
        finding, bench_.shapes().outputs[i], bench_.task().tolerance);
    if (wrong.empty() || judgement_.verdict != Verdict::kPassed) continue;
    static_cast<Outcome&>(judgement_) = OutcomeOf(
        finding,
        (inputs_ == "plain" ? "" : "on inputs " + inputs_ + ": ") + wrong);
  }
  return {};
}

Result<eval::Judgement> CudaChannel::Compare() { return judgement_; }

Result<RunnerAnswer> CudaChannel::TakeInventory() {
  const auto set = static_cast<std::uint32_t>(bench_.Secret() % bench_.sets());
  TRY_DONE(bench_.Stage(set, data_));
  return kernel_process_->TakeInventory(set, bench_.SurroundingsOf(data_),
                                        options_.timeout_s);
}

}  // namespace coppice::eval::cuda
