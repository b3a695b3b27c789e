#include "eval/cuda/trial.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "eval/cuda/host_clock.h"
#include "eval/cuda/profiling.h"

namespace coppice::eval::cuda {
namespace {

constexpr double kThrottledClock = 0.75;  // Of the default: nvbench's.
constexpr double kCheapData = 0.0005;     // Made anew for every call.
constexpr int kCallsPerSample = 4;
// Of the root's time beside a candidate to that alone.
constexpr double kMostSlowdown = 1.5;
// How much longer a stamp waits behind honest host code than behind the root:
// 0.2 us at most behind a copy, a graph or another stream's event; 4 us behind
// code that waits for the device and is therefore not held (H200, CUDA 13.0).
constexpr double kMostAfterHeld = 2e-6;
constexpr double kMostAfter = 10e-6;
constexpr double kFreeAfter = 0.5e-6;  // What is beyond counts as its time.
constexpr double kFloorSlack = 0.9;

}  // namespace

Trial::Trial(Bench& bench, const Abilities& abilities, double timeout_s)
    : bench_(bench), abilities_(abilities), timeout_s_(timeout_s) {
  result_.workload = bench.workload().uuid;
  result_.verdict = Verdict::kPassed;
}

void Trial::Fail(Verdict verdict, std::string log) {
  result_.verdict = verdict;
  result_.samples_s.clear();
  result_.root_samples_s.clear();
  result_.control_samples_s.clear();
  result_.readings.clear();
  log_ = std::move(log);
}

Result<void> Trial::Open(std::shared_ptr<RunnerProcess> process,
                         std::uint32_t number, const Assignment& assignment) {
  TRY(contestant,
      Contestant::Open(std::move(process), number, assignment, bench_.shapes(),
                       bench_.sets(), bench_.tensors(), timeout_s_));
  contestant_ = std::move(contestant);
  const Answer& opened = contestant_->opened();
  if (opened.verdict != Verdict::kPassed) Fail(opened.verdict, opened.log);
  return {};
}

// A data set that the code, as it is loaded, has not met.  Device code forgets
// by being loaded anew; host code would have to be started anew, and always
// gets new data instead.
Result<std::uint32_t> Trial::Draw() {
  const bool fresh = result_.calls_verified == 0 ||
                     contestant_->part() == Part::kSharedObject ||
                     bench_.data_set_cost_s() < kCheapData;
  if (fresh) {
    const std::uint32_t data = next_fresh_++ % bench_.data_sets();
    TRY_DONE(bench_.Renew(data));
    std::erase(deck_, data);
    return data;
  }
  if (deck_.empty()) {
    TRY(reloaded, contestant_->Reload(timeout_s_));
    if (reloaded.verdict != Verdict::kPassed) {
      Fail(reloaded.verdict, reloaded.log);
      return 0;
    }
    for (std::uint32_t i = 0; i < bench_.data_sets(); ++i) deck_.push_back(i);
    for (std::size_t i = deck_.size(); i > 1; --i) {
      std::swap(deck_[i - 1], deck_[bench_.Secret() % i]);
    }
  }
  const std::uint32_t data = deck_.back();
  deck_.pop_back();
  return data;
}

void Trial::Charge(double call_s) {
  const double median_s = Median(result_.samples_s);
  char text[120];
  if (!Exceeds(call_s, median_s)) {
    std::snprintf(text, sizeof text, "; %.3g us by the wall clock",
                  std::max(call_s, 0.0) * 1e6);
  } else {
    for (double& sample : result_.samples_s) sample += call_s - median_s;
    std::snprintf(text, sizeof text,
                  "; %.3g us by the wall clock, which counts, for events told "
                  "of %.3g us",
                  call_s * 1e6, median_s * 1e6);
  }
  log_ += text;
}

Result<Call> Trial::CallOnce(std::uint32_t data) {
  set_ = static_cast<std::uint32_t>(bench_.Secret() % bench_.sets());
  TRY(awake, contestant_->Wake(timeout_s_));
  if (awake.verdict != Verdict::kPassed) {
    Fail(awake.verdict, awake.log);
    return Call{.verdict = awake.verdict, .log = awake.log};
  }
  TRY_DONE(bench_.Stage(set_, data));
  TRY(call, contestant_->Go(set_, bench_.SurroundingsOf(data), timeout_s_));
  if (call.verdict != Verdict::kPassed) {
    Fail(call.verdict, call.log);
    return call;
  }
  if (call.event_s > call.wall_s) {
    Fail(Verdict::kRejected, "its events tell more time than has passed");
    return call;
  }
  TRY(judgement, bench_.Judge(set_, data));
  ++result_.calls_verified;
  if (judgement.changed_inputs != 0) {
    Fail(Verdict::kRejected, "it changed an input");
  }
  for (std::size_t i = 0; i < bench_.shapes().outputs.size(); ++i) {
    const Finding& finding = judgement.output[i];
    const auto worst = [](double& so_far, std::uint64_t bits) {
      so_far = std::max(so_far, std::bit_cast<double>(bits));
    };
    worst(result_.worst_error_ratio, finding.worst_error_ratio);
    worst(result_.max_absolute_error, finding.max_absolute_error);
    worst(result_.max_relative_error, finding.max_relative_error);
    const std::string wrong = DescribeFinding(
        finding, bench_.shapes().outputs[i], bench_.task().tolerance);
    if (wrong.empty() || !Passing()) continue;
    Fail(VerdictOf(finding), wrong);
  }
  return call;
}

Result<void> Trial::Check(int plain, std::size_t adversarial) {
  for (int i = 0; i < plain && Passing(); ++i) {
    TRY(data, Draw());
    if (Passing()) TRY_DONE(CallOnce(data));
  }
  // Those that are there, unless more are asked for.
  std::vector<std::size_t> kinds = bench_.adversarial().begun();
  if (kinds.size() < adversarial) {
    kinds.resize(bench_.adversarial().kinds().size());
    std::iota(kinds.begin(), kinds.end(), std::size_t{0});
  }
  while (kinds.size() > adversarial) {
    kinds.erase(kinds.begin() +
                static_cast<std::ptrdiff_t>(bench_.Secret() % kinds.size()));
  }
  for (const std::size_t kind : kinds) {
    if (!Passing()) break;
    TRY(data, bench_.AdversarialData(kind));
    TRY_DONE(CallOnce(data));
    if (Passing()) continue;
    log_ +=
        "; inputs: " + std::string(Name(bench_.adversarial().kinds()[kind]));
  }
  return {};
}

bool Trial::Throttled(double clock_hz) const {
  return clock_hz > 0.0 &&
         clock_hz < kThrottledClock * static_cast<double>(abilities_.clock_hz);
}

// Inputs are not in the cache and must be read; so much of the outputs as the
// cache cannot hold must be written.
double Trial::FloorSeconds() const {
  double in = 0.0;
  double out = 0.0;
  const auto bytes = [](const TensorShape& shape) {
    return static_cast<double>(shape.elements * ElementBytes(shape.dtype));
  };
  for (const TensorShape& shape : bench_.shapes().inputs) in += bytes(shape);
  for (const TensorShape& shape : bench_.shapes().outputs) out += bytes(shape);
  const auto cache = static_cast<double>(abilities_.l2_bytes);
  return std::max(in, in + out - cache) /
         static_cast<double>(
             std::max<std::uint64_t>(abilities_.copy_bytes_per_s, 1));
}

// The candidate's call between two of the root's, on the same data.
Result<Trial::Turn> Trial::CallAll(bool root_first) {
  Turn turn;
  TRY(data, Draw());
  if (!Passing()) return turn;
  TRY_DONE(bench_.Stage(set_, data));
  TRY(before, bench_.CallRoot(set_, data));
  TRY(own, CallOnce(data));
  turn.own = std::move(own);
  if (!Passing()) return turn;
  TRY(after, bench_.CallRoot(set_, data));
  turn.root = std::move(root_first ? before : after);
  turn.control = std::move(root_first ? after : before);
  return turn;
}

// Empty if nothing did.
std::string Trial::WhatDisturbed(const Turn& turn) const {
  if (Throttled(turn.own.clock_hz) || Throttled(turn.root.clock_hz) ||
      Throttled(turn.control.clock_hz)) {
    return "the device runs below three quarters of its clock";
  }
  const double root_s = std::min(turn.root.event_s, turn.control.event_s);
  if (root_s > kMostSlowdown * bench_.root_alone_s()) {
    return "something else uses the device";
  }
  return "";
}

Result<void> Trial::TakeSample(Quiet& quiet) {
  const auto start = Clock::now();
  double own_s = 0.0;
  double root_s = 0.0;
  double control_s = 0.0;
  double wall_s = 0.0;
  double clock_hz = 0.0;
  std::string disturbed;
  std::vector<double> after_s;
  std::vector<double> root_after_s;
  for (int i = 0; i < kCallsPerSample; ++i) {
    TRY(turn, CallAll(i % 2 == 0));
    if (!Passing()) return {};
    const auto& [own, root, control] = turn;
    const std::string what = WhatDisturbed(turn);
    if (disturbed.empty()) disturbed = what;
    own_s += own.event_s / kCallsPerSample;
    root_s += root.event_s / kCallsPerSample;
    control_s += control.event_s / kCallsPerSample;
    wall_s += own.wall_s / kCallsPerSample;
    clock_hz += own.clock_hz / kCallsPerSample;
    after_s.push_back(own.after_s);
    root_after_s.push_back(root.after_s);
  }
  if (quiet.Again(disturbed, Seconds(Clock::now() - start))) {
    ++result_.discarded_samples;
    return {};
  }
  after_s_.insert(after_s_.end(), after_s.begin(), after_s.end());
  root_after_s_.insert(root_after_s_.end(), root_after_s.begin(),
                       root_after_s.end());
  result_.samples_s.push_back(own_s);
  result_.root_samples_s.push_back(root_s);
  result_.control_samples_s.push_back(control_s);
  Reading reading;
  reading.calls = kCallsPerSample;
  reading.wall_s = wall_s;
  if (clock_hz > 0.0) reading.clock_mhz = clock_hz * 1e-6;
  result_.readings.push_back(reading);
  return {};
}

Result<void> Trial::Time(const TimingBudget& budget, Quiet& quiet) {
  auto start = Clock::now();
  do {
    const auto sample_start = Clock::now();
    const auto discarded = result_.discarded_samples;
    TRY_DONE(TakeSample(quiet));
    if (!Passing()) return {};
    if (result_.discarded_samples > discarded) {
      start += Clock::now() - sample_start;
    }
  } while (result_.samples_s.empty() ||
           !Enough(result_, Seconds(Clock::now() - start), budget));
  Conclude();
  return {};
}

void Trial::Conclude() {
  char text[300];
  std::snprintf(text, sizeof text,
                "%zu samples of %d cold calls (root likewise)",
                result_.samples_s.size(), kCallsPerSample);
  log_ = text;
  result_.floor_s = FloorSeconds();
  const double root_s = Median(result_.root_samples_s);
  const bool host_code = contestant_->part() == Part::kSharedObject;
  const double after_s = Median(after_s_) - Median(root_after_s_);
  const double most_after_s =
      contestant_->holds() ? kMostAfterHeld : kMostAfter;
  const bool busy = host_code && QuartilesOf(after_s_).lower -
                                         QuartilesOf(root_after_s_).upper >
                                     most_after_s;
  if (host_code) {
    std::snprintf(text, sizeof text,
                  "; a stamp behind it waits %.3g us, behind the root %.3g us",
                  Median(after_s_) * 1e6, Median(root_after_s_) * 1e6);
    log_ += text;
    if (after_s > kFreeAfter) {
      for (double& sample : result_.samples_s) sample += after_s;
      log_ += ", which counts";
    }
  }
  const double median_s = Median(result_.samples_s);
  if (busy) {
    std::snprintf(text, sizeof text,
                  "it works on a stream that the one that it was given does "
                  "not wait for: %.3g us later the device is still busy",
                  after_s * 1e6);
    Fail(Verdict::kRejected, text);
  } else if (median_s < kFloorSlack * *result_.floor_s) {
    std::snprintf(text, sizeof text,
                  "%.3g us a call is less than the %.3g us in which this "
                  "device can move its inputs and outputs",
                  median_s * 1e6, *result_.floor_s * 1e6);
    Fail(Verdict::kInconclusive, text);
  } else if (root_s > kMostSlowdown * bench_.root_alone_s()) {
    std::snprintf(text, sizeof text,
                  "beside it the root takes %.3g us, alone it took %.3g us: "
                  "something else uses the device",
                  root_s * 1e6, bench_.root_alone_s() * 1e6);
    Fail(Verdict::kInconclusive, text);
  } else {
    std::snprintf(text, sizeof text, "; %.0f %% of the copy bandwidth",
                  100.0 * *result_.floor_s / median_s);
    log_ += text;
  }
}

Result<void> Trial::Observe() {
  TRY(data, Draw());
  if (!Passing()) return {};
  TRY_DONE(bench_.Stage(set_, data));
  TRY(answer, contestant_->TakeInventory(set_, bench_.SurroundingsOf(data),
                                         timeout_s_));
  if (answer.verdict != Verdict::kPassed) {
    Fail(answer.verdict, answer.log);
    return {};
  }
  AddTimes(answer.reply.inventory, abilities_.multiprocessor,
           result_.profile.emplace().kernels);
  return {};
}

}  // namespace coppice::eval::cuda
