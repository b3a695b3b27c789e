#include "eval/python/sitting.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eval/machine.h"
#include "eval/python/hidden_work.h"
#include "eval/python/operators.h"
#include "eval/waiting.h"
#include "eval/wakefulness.h"

namespace coppice::eval::python {
namespace {

constexpr std::size_t kBenchmarkTrials = 5;
constexpr int kBenchmarkWarmUps = 3 + 1;  // The last is timed and discarded.
constexpr int kBenchmarkCalls = 100;

constexpr std::size_t kTraceTrials = 3;  // FlashInfer-Bench's.
constexpr int kTraceWarmUps = 10;
constexpr int kTraceCalls = 50;

constexpr const char* kCopies =
    "its calls return the same memory: copies of its outputs, without which "
    "they would not last, are in its time\n";

// As many calls at once as are timed need more memory than checks do: so many
// rounds may see some for the first time, and later so many, for a candidate is
// not to choose which of its calls count.
constexpr int kMostSettling = 8;
constexpr int kMostUnsettled = 3;

constexpr double kMostControlled = 0.25;   // Seconds of a round.
constexpr double kLeastSeconds = 1e-6;     // Of a call from Python.
constexpr double kUndeductedShare = 0.1;   // Of a request, at least.
constexpr std::uint64_t kOneInSoMany = 4;  // Timed rounds; see CheckOnAny().

void Add(const Reaction& reaction, Told& told) {
  told.call_s.push_back(reaction.call_s);
  told.whole_s.push_back(reaction.whole_s);
  told.device_s.push_back(reaction.device_s);
}

class Trial {
 public:
  Trial(Bench& bench, Contestant& contestant, Stillness* stillness)
      : bench_(bench), contestant_(contestant), stillness_(stillness) {
    result_.workload = bench.task().workloads.front().uuid;
    result_.verdict = Verdict::kPassed;
  }

  Result<void> Prepare(const Candidate& candidate) {
    Construction construction = bench_.construction();
    construction.entry = candidate.entry_symbol;
    TRY_DONE(bench_.Join(contestant_));
    TRY(prepared,
        contestant_.Prepare(candidate.source, construction, &bench_.state()));
    Take(prepared);
    StayAwake();  // Not while anything is compiled.
    return {};
  }

  // Not while somebody else measures, either.
  Result<MeasurementLock> Alone(const std::atomic<bool>* cancelled) {
    awake_.reset();
    TRY(lock, MeasurementLock::Acquire(cancelled, bench_.Measured()));
    StayAwake();
    return lock;
  }

  // A round on inputs of another kind.
  Result<void> CheckOn(const Variant& variant, Calls calls) {
    TRY_DONE(Round(false, calls, variant.number));
    if (!Passing()) log_ = "on inputs " + variant.name + ": " + log_;
    return {};
  }

  // Who counts its calls shall not know that no such inputs come any more.
  // Each kind in its turn, beginning anywhere.
  Result<void> CheckOnAny() {
    const std::vector<Variant>& variants = bench_.variants();
    if (!Passing() || variants.empty()) return {};
    if (!turn_) turn_ = bench_.Below(variants.size());
    return CheckOn(variants[(*turn_)++ % variants.size()], Calls::kTimed);
  }

  // Calls of each on new inputs, in a random order, and what they came to.
  Result<void> Round(bool is_timed, Calls calls, std::uint32_t variant = 0) {
    const auto start = Clock::now();
    TRY_DONE(Fill(bench_.NextSeed(), calls, variant));
    const std::uint64_t seed = bench_.NextSeed();
    const bool root_first = bench_.Below(2) == 0;
    const bool is_controlled = is_timed && IsControlled();
    std::optional<Reaction> before;
    std::optional<Reaction> after;
    if (root_first || is_controlled) {
      TRY(called, CallRoot(seed, is_timed));
      before = std::move(called);
    }
    TRY(own, Call(seed));
    if (!Passing()) return {};
    if (!root_first || is_controlled) {
      TRY(called, CallRoot(seed, is_timed));
      after = std::move(called);
    }
    const Reaction& root = root_first ? *before : *after;
    const std::optional<Reaction>& control = root_first ? after : before;
    const double round_s = Seconds(Clock::now() - start);
    if (is_timed && stillness_ != nullptr && stillness_->Again(round_s)) {
      ++result_.discarded_samples;
      lost_s_ += Seconds(Clock::now() - start);
      return Enter(own, root, false);
    }
    return Enter(own, root, is_timed, is_controlled ? &*control : nullptr);
  }

  Result<void> Check(std::uint64_t seed) {
    TRY_DONE(Fill(seed, Calls::kFew));
    TRY(root, bench_.CallRoot(seed));
    TRY(own, Call(seed));
    return Enter(own, root, false);
  }

  // So many calls of one of them, after some to warm up, on equal inputs.
  template <class Callee>
  Result<void> Repeat(const Callee& callee, int warm_ups, int calls, Told& told,
                      std::vector<double>& samples) {
    int crowded = 0;
    for (int i = -warm_ups; i < calls;) {
      TRY(reaction, callee());
      if (!Passing()) return {};
      if (i >= 0 && reaction.is_unsettled) {
        CountUnsettled(samples);
        if (!Passing()) return {};
        continue;
      }
      // Few such calls make a mean longer, or a set's median.
      if (i >= 0 && IsCrowded({reaction.crowding})) {
        if (++crowded > calls / 4) FailAsCrowded();
        if (!Passing()) return {};
        continue;
      }
      if (i++ < 0) continue;
      if (samples.empty()) unsettled_ = 0;
      Add(reaction, told);
      samples.push_back(SecondsAsTold(reaction));
    }
    return {};
  }

  Result<void> TimeAsKernelBench() {
    TRY_DONE(Fill(kBenchmarkSeed, Calls::kTimed));
    TRY_DONE(Repeat([&] { return Call(kBenchmarkSeed); }, kBenchmarkWarmUps,
                    kBenchmarkCalls, own_, result_.samples_s));
    TRY_DONE(Repeat([&] { return bench_.CallRoot(kBenchmarkSeed); },
                    kBenchmarkWarmUps, kBenchmarkCalls, root_,
                    result_.root_samples_s));
    HoldEvents(1);
    CountHidden();
    return {};
  }

  // The mean of the medians on each set of inputs.
  template <class Callee>
  Result<void> TimeOnSets(const std::vector<std::uint64_t>& seeds,
                          const Callee& callee, Told& told,
                          std::vector<double>& samples) {
    double sum = 0.0;
    for (const std::uint64_t seed : seeds) {
      TRY_DONE(Fill(seed, Calls::kTimed));
      std::vector<double> on_set;
      TRY_DONE(Repeat([&] { return callee(seed); }, kTraceWarmUps, kTraceCalls,
                      told, on_set));
      if (!Passing()) return {};
      sum += Median(on_set);
    }
    samples = {sum / static_cast<double>(seeds.size())};
    return {};
  }

  Result<void> TimeAsFlashInferBench(const std::vector<std::uint64_t>& seeds) {
    TRY_DONE(TimeOnSets(
        seeds, [&](std::uint64_t seed) { return bench_.CallRoot(seed); }, root_,
        result_.root_samples_s));
    TRY_DONE(TimeOnSets(
        seeds, [&](std::uint64_t seed) { return Call(seed); }, own_,
        result_.samples_s));
    HoldEvents(seeds.size());
    CountHidden();
    return {};
  }

  Result<void> Time(const TimingBudget& budget, bool is_thorough) {
    const auto start = Clock::now();
    TimingBudget own = budget;
    own.min_rounds = LeastRounds(budget, bench_.round_s());
    while (Passing() &&
           !Enough(result_, Seconds(Clock::now() - start) - lost_s_, own)) {
      TRY_DONE(Round(true, Calls::kTimed));
      if (bench_.Below(kOneInSoMany) == 0) TRY_DONE(CheckOnAny());
    }
    const std::size_t more = is_thorough ? bench_.variants().size() : 1;
    for (std::size_t i = 0; i < more; ++i) TRY_DONE(CheckOnAny());
    HoldDevice();
    CountHidden();
    return {};
  }

  // In the last call of all, so that what it finds disturbs nothing.
  Result<void> Audit(Delegation delegation) {
    if (delegation == Delegation::kAny || !Passing()) return {};
    TRY_DONE(Fill(bench_.AnySeed(), Calls::kFew));
    const std::uint64_t seed = bench_.NextSeed();
    TRY(own, bench_.Call(contestant_, RequestKind::kAudit, seed));
    Take(own);
    if (!Passing()) return {};
    const std::string operations = contestant_.Operations();
    TRY(root, bench_.CallRoot(seed));
    TRY_DONE(Enter(own, root, false));
    TRY(ruling, bench_.problem().CheckOperations(operations, delegation));
    Take(ruling);
    return {};
  }

  // Of one more call, on which nothing rests.  On a device they would be told
  // when they were launched.
  Result<void> Observe() {
    if (!Passing() || !bench_.device_name().empty()) return {};
    TRY_DONE(Fill(bench_.AnySeed(), Calls::kFew));
    TRY(own,
        bench_.Call(contestant_, RequestKind::kProfile, bench_.NextSeed()));
    if (own.verdict != Verdict::kPassed) return {};
    result_.profile.emplace();
    result_.profile->kernels = ParseOperators(contestant_.Operations());
    return {};
  }

  bool Passing() const { return result_.verdict == Verdict::kPassed; }

  void AddTo(Sitting& sitting) {
    sitting.verdict = result_.verdict;
    if (!Passing()) {
      result_.samples_s.clear();
      result_.root_samples_s.clear();
      result_.control_samples_s.clear();
      result_.readings.clear();
      result_.profile.reset();
      sitting.log = log_ + (log_.ends_with('\n') ? "" : "\n") +
                    Quote(contestant_.Output());
    } else if (copies_) {
      sitting.log = kCopies;
    }
    sitting.workloads = {result_};
  }

 private:
  Result<void> Fill(std::uint64_t seed, Calls calls,
                    std::uint32_t variant = 0) {
    return bench_.Fill(seed, calls, variant, &contestant_);
  }

  Result<Reaction> CallRoot(std::uint64_t seed, bool is_timed) {
    const bool is_watched = is_timed && stillness_ != nullptr;
    if (is_watched) stillness_->Begin();
    TRY(reaction, bench_.CallRoot(seed));
    if (is_watched) stillness_->End();
    return reaction;
  }

  Result<Reaction> Call(std::uint64_t seed) {
    TRY(reaction, bench_.Call(contestant_, RequestKind::kCall, seed));
    Take(reaction);
    return reaction;
  }

  // By the root itself, where that does not cost too much.
  bool IsControlled() const { return bench_.round_s() < kMostControlled; }

  void StayAwake() { awake_.emplace(bench_.ToKeepAwake()); }

  void Take(const Reaction& reaction) {
    if (reaction.verdict != Verdict::kPassed) {
      Fail(reaction.verdict, reaction.log);
    }
  }

  void Fail(Verdict verdict, std::string log) {
    result_.verdict = verdict;
    log_ = std::move(log);
  }

  void CountUnsettled(const std::vector<double>& samples) {
    if (++unsettled_ <= (samples.empty() ? kMostSettling : kMostUnsettled)) {
      return;
    }
    Fail(
        Verdict::kInconclusive,
        "outputs are in new memory each time, where nobody can see soon enough "
        "whether they are there");
  }

  // What both have returned is in their processes until their next call.
  // `control`: the root's other call, if there is one.
  Result<void> Enter(const Reaction& own, const Reaction& root, bool is_timed,
                     const Reaction* control = nullptr) {
    if (!Passing()) return {};
    TRY(judgement, bench_.Judge(contestant_));
    ++result_.calls_verified;
    result_.worst_error_ratio =
        std::max(result_.worst_error_ratio, judgement.worst_error_ratio);
    result_.max_absolute_error =
        std::max(result_.max_absolute_error, judgement.max_absolute_error);
    result_.max_relative_error =
        std::max(result_.max_relative_error, judgement.max_relative_error);
    if (judgement.verdict != Verdict::kPassed) {
      Fail(judgement.verdict, judgement.log);
    } else if (is_timed &&
               (own.is_unsettled || root.is_unsettled ||
                (control != nullptr && control->is_unsettled)) &&
               !IsSlow(own)) {
      CountUnsettled(result_.samples_s);
    } else if (is_timed) {
      Sample(own, root);
      if (control != nullptr) {
        result_.control_samples_s.push_back(Clocked(*control));
      }
    }
    return {};
  }

  // Then nothing is gained by being late, nor is such a round to be left out.
  bool IsSlow(const Reaction& own) const {
    return !result_.samples_s.empty() &&
           Clocked(own) > Median(result_.samples_s);
  }

  static double Clocked(const Reaction& reaction) {
    return std::max({reaction.call_s, kLeastSeconds,
                     kUndeductedShare * reaction.wall_s / reaction.calls});
  }

  // As KernelBench tells it: by the device's events, where there are any.
  static double SecondsAsTold(const Reaction& reaction) {
    return reaction.device_s > 0.0 ? reaction.device_s : Clocked(reaction);
  }

  // Of each of so many sets of inputs, as many calls.
  void HoldEvents(std::size_t sets) {
    if (!Passing() || Median(root_.device_s) <= 0.0) return;
    const std::size_t calls = own_.call_s.size() / sets;
    for (std::size_t set = 0; set < sets; ++set) {
      if (EventsAgree(own_.Part(set * calls, calls), root_)) continue;
      Fail(Verdict::kInconclusive,
           "the device's events and the evaluator's clock do not tell the same "
           "time");
      return;
    }
  }

  void HoldDevice() {
    if (Passing() && IsCrowded(crowding_)) FailAsCrowded();
  }

  void FailAsCrowded() {
    Fail(Verdict::kInconclusive,
         "the device had other work while the problem's own was timed");
  }

  void CountHidden() {
    const double hidden_s = HiddenSeconds(own_, root_);
    for (double& sample : result_.samples_s) sample += hidden_s;
  }

  void Sample(const Reaction& own, const Reaction& root) {
    if (result_.samples_s.empty()) unsettled_ = 0;
    Add(own, own_);
    Add(root, root_);
    crowding_.push_back(root.crowding);
    copies_ = own.copies;
    result_.samples_s.push_back(Clocked(own));
    result_.root_samples_s.push_back(Clocked(root));
    Reading reading;
    reading.wall_s = own.wall_s;
    reading.cpu_s = own.cpu_s;
    result_.readings.push_back(reading);
  }

  Bench& bench_;
  Contestant& contestant_;
  Stillness* stillness_;
  std::optional<Wakefulness> awake_;
  WorkloadResult result_;
  Told own_, root_;
  std::vector<double> crowding_;  // Of the device, about the root's requests.
  std::optional<std::size_t> turn_;  // Of variants.
  int unsettled_ = 0;                // Of what was to be timed.
  double lost_s_ = 0.0;              // With rounds that were made again.
  bool copies_ = false;              // Outputs, within its time.
  std::string log_;
};

}  // namespace

Result<Sitting> Sit(Bench& bench, Contestant& contestant,
                    const Candidate& candidate, const Effort& effort) {
  Trial trial(bench, contestant, effort.stillness);
  Sitting sitting;
  const auto start = Clock::now();
  TRY_DONE(trial.Prepare(candidate));
  const Calls calls = effort.is_thorough ? Calls::kTimed : Calls::kFew;
  for (int i = 0; i < effort.checks && trial.Passing(); ++i) {
    TRY_DONE(trial.Round(false, calls));
  }
  for (const Variant& variant : bench.variants()) {
    if (trial.Passing()) TRY_DONE(trial.CheckOn(variant, calls));
  }
  const auto checked = Clock::now();
  sitting.check_s = Seconds(checked - start);
  if (trial.Passing() && effort.timing) {
    TRY(lock, trial.Alone(effort.cancelled));
    TRY_DONE(trial.Time(*effort.timing, effort.is_thorough));
    sitting.timing_s = Seconds(Clock::now() - checked);
  }
  TRY_DONE(trial.Audit(bench.DelegationOf(candidate)));
  if (effort.is_thorough) TRY_DONE(trial.Observe());
  trial.AddTo(sitting);
  return sitting;
}

namespace {

// Checks on the inputs of each seed, then times by `time`.
template <class Time>
Result<Sitting> SitByBook(Bench& bench, Contestant& contestant,
                          const Candidate& candidate, const Effort& effort,
                          const std::vector<std::uint64_t>& seeds,
                          const Time& time) {
  Trial trial(bench, contestant, effort.stillness);
  Sitting sitting;
  const auto start = Clock::now();
  TRY_DONE(trial.Prepare(candidate));
  for (const std::uint64_t seed : seeds) {
    if (trial.Passing()) TRY_DONE(trial.Check(seed));
  }
  const auto checked = Clock::now();
  sitting.check_s = Seconds(checked - start);
  if (trial.Passing() && effort.timing) {
    TRY(lock, trial.Alone(effort.cancelled));
    TRY_DONE(time(trial));
    sitting.timing_s = Seconds(Clock::now() - checked);
  }
  TRY_DONE(trial.Audit(bench.DelegationOf(candidate)));
  if (effort.is_thorough) TRY_DONE(trial.Observe());
  trial.AddTo(sitting);
  return sitting;
}

}  // namespace

Result<Sitting> SitAsKernelBench(Bench& bench, Contestant& contestant,
                                 const Candidate& candidate,
                                 const Effort& effort) {
  TRY(seeds, bench.problem().TrialSeeds(kBenchmarkSeed, kBenchmarkTrials));
  return SitByBook(bench, contestant, candidate, effort, seeds,
                   [](Trial& trial) { return trial.TimeAsKernelBench(); });
}

Result<Sitting> SitAsFlashInferBench(Bench& bench, Contestant& contestant,
                                     const Candidate& candidate,
                                     const Effort& effort) {
  std::vector<std::uint64_t> seeds(kTraceTrials);
  for (std::uint64_t& seed : seeds) seed = bench.NextSeed();
  return SitByBook(
      bench, contestant, candidate, effort, seeds,
      [&](Trial& trial) { return trial.TimeAsFlashInferBench(seeds); });
}

}  // namespace coppice::eval::python
