#include "eval/python/sitting.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "eval/machine.h"
#include "eval/waiting.h"

namespace coppice::eval::python {
namespace {

constexpr std::uint64_t kBenchmarkSeed = 42;
constexpr std::size_t kBenchmarkTrials = 5;
constexpr int kBenchmarkWarmUps = 3 + 1;  // The last is timed and discarded.
constexpr int kBenchmarkCalls = 100;

class Trial {
 public:
  Trial(Bench& bench, Contestant& contestant)
      : bench_(bench), contestant_(contestant) {
    result_.workload = bench.task().workloads.front().uuid;
    result_.verdict = Verdict::kPassed;
  }

  Result<void> Prepare(const Candidate& candidate) {
    Construction construction = bench_.construction();
    construction.entry = candidate.entry_symbol;
    TRY(prepared, contestant_.Prepare(candidate.source, construction,
                                      &bench_.state(), bench_.slots()));
    Take(prepared);
    for (std::uint32_t slot = 0; slot < kSlots && Passing(); ++slot) {
      TRY(armed, contestant_.Arm(slot));
      Take(armed);
    }
    return {};
  }

  // A call of each on new inputs, in a random order, and what it came to.
  Result<void> Round(bool is_timed) {
    const auto slot = static_cast<std::uint32_t>(bench_.Below(kSlots));
    TRY_DONE(bench_.Fill(slot, bench_.NextSeed()));
    const std::uint64_t seed = bench_.NextSeed();
    if (bench_.Below(2) == 0) {
      TRY(root, bench_.CallRoot(slot, seed));
      TRY(own, Call(slot, seed));
      return Enter(own, root, is_timed);
    }
    TRY(own, Call(slot, seed));
    if (!Passing()) return {};
    TRY(root, bench_.CallRoot(slot, seed));
    return Enter(own, root, is_timed);
  }

  Result<void> Check(std::uint64_t seed) {
    TRY_DONE(bench_.Fill(0, seed));
    TRY(root, bench_.CallRoot(0, seed));
    TRY(own, Call(0, seed));
    return Enter(own, root, false);
  }

  // So many calls of one of them, after some to warm up, on what is in slot 0.
  template <class Callee>
  Result<void> Repeat(const Callee& callee, std::vector<double>& samples) {
    for (int i = -kBenchmarkWarmUps; i < kBenchmarkCalls; ++i) {
      TRY(reaction, callee());
      if (!Passing()) return {};
      if (i >= 0) samples.push_back(SecondsOf(reaction));
    }
    return {};
  }

  Result<void> TimeAsKernelBench() {
    TRY_DONE(bench_.Fill(0, kBenchmarkSeed));
    TRY_DONE(
        Repeat([&] { return Call(0, kBenchmarkSeed); }, result_.samples_s));
    return Repeat([&] { return bench_.CallRoot(0, kBenchmarkSeed); },
                  result_.root_samples_s);
  }

  Result<void> Time(const TimingBudget& budget) {
    const auto start = Clock::now();
    TimingBudget own = budget;
    own.min_rounds =
        LeastRounds(budget, 2 * bench_.root_call_s() + bench_.draw_s());
    while (Passing() && !Enough(result_.samples_s, result_.root_samples_s,
                                Seconds(Clock::now() - start), own)) {
      TRY_DONE(Round(true));
    }
    return {};
  }

  // In the last call of all, so that what it finds disturbs nothing.
  Result<void> Audit(Delegation delegation) {
    if (delegation == Delegation::kAny || !Passing()) return {};
    TRY_DONE(bench_.Fill(0, bench_.NextSeed()));
    const std::uint64_t seed = bench_.NextSeed();
    TRY(own, contestant_.Audit(0, seed));
    Take(own);
    if (!Passing()) return {};
    TRY(root, bench_.CallRoot(0, seed));
    TRY_DONE(Enter(own, root, false));
    TRY(ruling,
        bench_.problem().CheckOperations(contestant_.Operations(), delegation));
    Take(ruling);
    return {};
  }

  bool Passing() const { return result_.verdict == Verdict::kPassed; }

  void AddTo(Sitting& sitting) {
    sitting.verdict = result_.verdict;
    if (!Passing()) {
      result_.samples_s.clear();
      result_.root_samples_s.clear();
      result_.readings.clear();
      sitting.log = log_ + (log_.ends_with('\n') ? "" : "\n") +
                    Quote(contestant_.Output());
    }
    sitting.workloads = {result_};
  }

 private:
  Result<Reaction> Call(std::uint32_t slot, std::uint64_t seed) {
    TRY(reaction, contestant_.Call(slot, seed));
    Take(reaction);
    return reaction;
  }

  void Take(const Reaction& reaction) {
    if (reaction.verdict != Verdict::kPassed) {
      Fail(reaction.verdict, reaction.log);
    }
  }

  void Fail(Verdict verdict, std::string log) {
    result_.verdict = verdict;
    log_ = std::move(log);
  }

  // What both have returned is in their processes until their next call.
  Result<void> Enter(const Reaction& own, const Reaction& root, bool is_timed) {
    if (!Passing()) return {};
    const Judgement judgement =
        Compare(contestant_.Outputs(), bench_.RootOutputs(), bench_.rule());
    ++result_.calls_verified;
    result_.worst_error_ratio =
        std::max(result_.worst_error_ratio, judgement.worst_error_ratio);
    result_.max_absolute_error =
        std::max(result_.max_absolute_error, judgement.max_absolute_error);
    result_.max_relative_error =
        std::max(result_.max_relative_error, judgement.max_relative_error);
    if (judgement.verdict != Verdict::kPassed) {
      Fail(judgement.verdict, judgement.log);
    } else if (is_timed) {
      Sample(own, root);
    }
    return {};
  }

  double SecondsOf(const Reaction& reaction) const {
    if (reaction.device_s > 0.0) return reaction.device_s;
    return std::max(reaction.wall_s - bench_.doorbell_s(), 1e-9);
  }

  void Sample(const Reaction& own, const Reaction& root) {
    // The events are in a candidate's reach, the wall clock is not: between
    // them lies what it costs to ask, which is known from the root.
    const double overhead_s = root.wall_s - root.device_s;
    if (own.device_s > 0.0 &&
        (own.device_s > own.wall_s ||
         own.wall_s - own.device_s > 2.0 * overhead_s + 0.2 * own.wall_s)) {
      ++disagreements_;
    }
    if (disagreements_ > 3) {
      Fail(Verdict::kInconclusive,
           "the device's events and the wall clock do not tell the same time");
      return;
    }
    result_.samples_s.push_back(SecondsOf(own));
    result_.root_samples_s.push_back(SecondsOf(root));
    Reading reading;
    reading.wall_s = own.wall_s;
    reading.cpu_s = own.cpu_s;
    result_.readings.push_back(reading);
  }

  Bench& bench_;
  Contestant& contestant_;
  WorkloadResult result_;
  std::string log_;
  int disagreements_ = 0;
};

}  // namespace

Result<Sitting> Sit(Bench& bench, Contestant& contestant,
                    const Candidate& candidate, const Effort& effort) {
  Trial trial(bench, contestant);
  Sitting sitting;
  const auto start = Clock::now();
  TRY_DONE(trial.Prepare(candidate));
  for (int i = 0; i < effort.checks && trial.Passing(); ++i) {
    TRY_DONE(trial.Round(false));
  }
  const auto checked = Clock::now();
  sitting.check_s = Seconds(checked - start);
  if (trial.Passing()) {
    TRY(lock, MeasurementLock::Acquire(effort.cancelled));
    TRY_DONE(trial.Time(effort.timing));
    sitting.timing_s = Seconds(Clock::now() - checked);
  }
  TRY_DONE(trial.Audit(bench.DelegationOf(candidate)));
  trial.AddTo(sitting);
  return sitting;
}

Result<Sitting> SitAsKernelBench(Bench& bench, Contestant& contestant,
                                 const Candidate& candidate,
                                 const Effort& effort) {
  Trial trial(bench, contestant);
  Sitting sitting;
  const auto start = Clock::now();
  TRY_DONE(trial.Prepare(candidate));
  TRY(seeds, bench.problem().TrialSeeds(kBenchmarkSeed, kBenchmarkTrials));
  for (const std::uint64_t seed : seeds) {
    if (trial.Passing()) TRY_DONE(trial.Check(seed));
  }
  const auto checked = Clock::now();
  sitting.check_s = Seconds(checked - start);
  if (trial.Passing()) {
    TRY(lock, MeasurementLock::Acquire(effort.cancelled));
    TRY_DONE(trial.TimeAsKernelBench());
    sitting.timing_s = Seconds(Clock::now() - checked);
  }
  TRY_DONE(trial.Audit(bench.DelegationOf(candidate)));
  trial.AddTo(sitting);
  return sitting;
}

}  // namespace coppice::eval::python
