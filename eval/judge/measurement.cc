#include "eval/judge/measurement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "eval/host/timing_stability.h"
#include "eval/host/waiting.h"
#include "store/records/formatted.h"

namespace coppice::eval {
namespace {

using enum Side;

// Timed rounds take these orders in turn.  Whoever is called finds in the
// caches what the one before has left, so each meets each place, and each
// neighbour, equally often.
constexpr std::array<std::array<Side, 3>, 6> kOrders = {{
    {kRoot, kCandidate, kControl},
    {kCandidate, kControl, kRoot},
    {kControl, kRoot, kCandidate},
    {kControl, kCandidate, kRoot},
    {kRoot, kControl, kCandidate},
    {kCandidate, kRoot, kControl},
}};
constexpr std::array<std::array<Side, 2>, 2> kPairs = {
    {{kRoot, kCandidate}, {kCandidate, kRoot}}};
constexpr std::array<Side, 1> kAlone = {kCandidate};

// One round of other inputs to so many timed ones.
constexpr std::uint64_t kOneInSoMany = 4;

// As many calls at once as are timed may need more memory than checks do: so
// many rounds may see some for the first time, and later so many, for a
// candidate is not to choose which of its calls count.
constexpr int kMostSettling = 8;
constexpr int kMostUnsettled = 3;

// A wrong candidate's hint takes so many rounds, or so few if they are long; at
// most so many are begun.
constexpr std::size_t kHintRounds = 5;
constexpr std::size_t kFewHintRounds = 3;
constexpr int kMostHintRounds = 8;
constexpr double kLongHint_s = 0.1;

constexpr const char* kCrowded =
    "the device had other work while the problem's own was timed";

// Published harnesses tell the time so: by the device's events, where there are
// any.
double SecondsAsTold(const Timing& timing) {
  return timing.device_s > 0.0 ? timing.device_s : timing.call_s;
}

// Makes one reading of the turns of a sample.
SampleReading ReadingOf(const std::vector<Timing>& all) {
  SampleReading reading;
  reading.calls = 0;
  double wall_s = 0.0;
  double cpu_s = 0.0;
  double clock_hz = 0.0;
  bool has_cpu = true;
  for (const Timing& one : all) {
    reading.calls += one.calls;
    wall_s += one.wall_s;
    cpu_s += one.cpu_s.value_or(0.0);
    has_cpu = has_cpu && one.cpu_s.has_value();
    clock_hz += one.clock_hz / static_cast<double>(all.size());
  }
  const auto calls = static_cast<double>(reading.calls);
  reading.wall_s = wall_s / calls;
  if (has_cpu) reading.cpu_s = cpu_s / calls;
  if (clock_hz > 0.0) reading.clock_mhz = clock_hz * 1e-6;
  return reading;
}

}  // namespace

Measurement::Measurement(CallChannel& channel, MeasurementOptions options)
    : Measurement(channel, std::move(options), SteadySeconds) {}

Measurement::Measurement(CallChannel& channel, MeasurementOptions options,
                         std::function<double()> now_s)
    : channel_(channel),
      options_(std::move(options)),
      now_s_(std::move(now_s)),
      secrets_(options_.seed, Purpose::kInputs, 0) {
  result_.workload = options_.workload;
  result_.verdict = Verdict::kPassed;
}

void Measurement::Fail(Outcome outcome) {
  result_.verdict = outcome.verdict;
  result_.breach = outcome.breach;
  ForgetSamples();
  result_.profile.reset();
  log_ = std::move(outcome.log);
}

std::string Measurement::log() const {
  if (!Passing() || how_.empty()) return log_;
  return how_ +
         Formatted("; error up to %.2f of the allowed, on ",
                   result_.worst_error_ratio) +
         worst_on_ + " inputs" + remarks_;
}

Result<void> Measurement::Take(Result<Outcome> outcome) {
  TRY(taken, std::move(outcome));
  if (taken.verdict != Verdict::kPassed) Fail(std::move(taken));
  return {};
}

Result<void> Measurement::Load() { return Take(channel_.Load()); }

Result<void> Measurement::Fill(const InputsWanted& wanted) {
  filled_ = wanted.seed;
  return Take(channel_.Fill(wanted));
}

Result<void> Measurement::Compare() {
  TRY(judgement, channel_.Compare());
  result_.calls_verified += judgement.calls;
  if (judgement.worst_error_ratio > result_.worst_error_ratio) {
    result_.worst_error_ratio = judgement.worst_error_ratio;
    worst_on_ = judgement.on;
  }
  result_.max_absolute_error =
      std::max(result_.max_absolute_error, judgement.max_absolute_error);
  result_.max_relative_error =
      std::max(result_.max_relative_error, judgement.max_relative_error);
  if (judgement.verdict != Verdict::kPassed) {
    Fail(std::move(judgement));
  }
  return {};
}

// What disturbs is looked for while trusted code is called.
Result<Timing> Measurement::CallWatched(Side side) {
  const bool is_watched = stability_ != nullptr && side != kCandidate;
  if (is_watched) stability_->Begin();
  TRY(timing, channel_.Call(side));
  if (is_watched) stability_->End();
  if (side == kRoot) root_s_ = timing.wall_s;
  return timing;
}

Result<Measurement::Turn> Measurement::CallAll(bool with_root,
                                               bool with_control) {
  std::span<const Side> order = kAlone;
  if (with_control) {
    order = kOrders[rounds_++ % kOrders.size()];
  } else if (with_root) {
    order = kPairs[secrets_.Below(kPairs.size())];
  }
  Turn turn;
  for (const Side side : order) {
    TRY(timing, CallWatched(side));
    if (timing.verdict != Verdict::kPassed) {
      Fail(std::move(timing));
      return turn;
    }
    turn.emplace(side, std::move(timing));
  }
  return turn;
}

Result<void> Measurement::CheckOn(const InputsWanted& wanted) {
  return CheckOn([&] { return channel_.Fill(wanted); });
}

Result<void> Measurement::CheckOn(
    const std::function<Result<Outcome>()>& fill) {
  TRY_DONE(Take(fill()));
  if (!Passing()) return {};
  // Among timed rounds, who is called alone would know that it is not timed.
  TRY_DONE(CallAll(options_.root_is_right || is_timing_, false));
  return Passing() ? Compare() : Result<void>();
}

Result<void> Measurement::Check(const Checks& checks) {
  for (int i = 0; i < checks.plain && Passing(); ++i) {
    TRY_DONE(CheckOn(InputsWanted{.calls = checks.calls}));
  }
  for (const std::uint32_t kind : checks.kinds) {
    if (!Passing()) break;
    TRY_DONE(CheckOn(InputsWanted{.calls = checks.calls, .kind = kind}));
  }
  return {};
}

// On any of them, which is the last time.
Result<void> Measurement::CheckOnNext(std::vector<std::uint32_t>& kinds) {
  std::swap(kinds[secrets_.Below(kinds.size())], kinds.back());
  const std::uint32_t kind = kinds.back();
  kinds.pop_back();
  return CheckOn(InputsWanted{.kind = kind});
}

Result<void> Measurement::Time(const TimingPlan& plan) {
  is_timing_ = true;
  stability_ = plan.stability;
  rounds_ = secrets_.Below(kOrders.size());
  const bool is_controlled = root_s_ < options_.most_controlled_s;
  const double start_s = now_s_();
  TimingBudget budget = plan.budget;
  std::vector<std::uint32_t> kinds = plan.kinds;
  while (Passing() && !Enough(result_, now_s_() - start_s - lost_s_, budget)) {
    TRY_DONE(Sample(is_controlled));
    budget.min_rounds = LeastRounds(plan.budget, round_s_);
    // One is left for the end, or a kernel could know that no more come.
    if (Passing() && kinds.size() > 1 && secrets_.Below(kOneInSoMany) == 0) {
      TRY_DONE(CheckOnNext(kinds));
    }
  }
  for (std::size_t i = 0; i < plan.kinds_after; ++i) {
    if (Passing() && !kinds.empty()) TRY_DONE(CheckOnNext(kinds));
  }
  is_timing_ = false;
  stability_ = nullptr;
  if (Passing() && IsContended(root_.device_contention)) {
    Fail({Verdict::kInconclusive, kCrowded});
  }
  if (Passing()) AddOffClockWork();
  return {};
}

Result<void> Measurement::Sample(bool is_controlled) {
  const double start_s = now_s_();
  if (stability_ != nullptr) stability_->Forget();
  std::vector<Turn> turns;
  std::string disturbed;
  for (int i = 0; i < options_.rounds_per_sample; ++i) {
    TRY_DONE(Fill({}));
    if (!Passing()) return {};
    TRY(turn, CallAll(true, is_controlled));
    if (!Passing()) return {};
    TRY_DONE(Compare());
    if (!Passing()) return {};
    if (turn.at(kCandidate).begins_anew) {
      ForgetSamples();
      return {};
    }
    for (const auto& [side, timing] : turn) {
      if (disturbed.empty()) disturbed = timing.disturbed;
    }
    turns.push_back(std::move(turn));
  }
  if (stability_ != nullptr &&
      stability_->Again(disturbed, now_s_() - start_s)) {
    ++result_.discarded_samples;
    lost_s_ += now_s_() - start_s;
    return {};
  }
  if (!IsUnsettled(turns)) Keep(turns);
  return {};
}

// None: it did something else than to compute wrong.  Empty: another round may
// tell.
Result<std::optional<Measurement::Turn>> Measurement::HintTurn() {
  TRY(filled, channel_.Fill({}));
  // Where a new process had to take over, its first call was judged.
  if (filled.verdict == Verdict::kWrongOutput) return Turn();
  if (filled.verdict != Verdict::kPassed) return std::nullopt;
  Turn turn;
  bool is_settled = true;
  for (const Side side : kPairs[secrets_.Below(kPairs.size())]) {
    TRY(timing, channel_.Call(side));
    if (timing.verdict != Verdict::kPassed) return std::nullopt;
    is_settled = is_settled && timing.unsettled.empty();
    turn.emplace(side, std::move(timing));
  }
  return is_settled ? turn : Turn();
}

Result<std::vector<double>> Measurement::RunForHint() {
  const double start_s = now_s_();
  std::vector<double> log_factors;
  for (int i = 0; i < kMostHintRounds; ++i) {
    const bool is_long = now_s_() - start_s >= kLongHint_s;
    if (log_factors.size() >= (is_long ? kFewHintRounds : kHintRounds)) break;
    TRY(turn, HintTurn());
    if (!turn) return std::vector<double>();
    if (turn->empty()) continue;
    const Timing& own = turn->at(kCandidate);
    if (own.begins_anew) {
      log_factors.clear();
    } else {
      log_factors.push_back(std::log(turn->at(kRoot).call_s / own.call_s));
    }
  }
  return log_factors;
}

bool Measurement::IsUnsettled(const std::vector<Turn>& turns) {
  std::string why;
  double own_s = 0.0;
  for (const Turn& turn : turns) {
    own_s += turn.at(kCandidate).call_s / static_cast<double>(turns.size());
    for (const auto& [side, timing] : turn) {
      if (why.empty()) why = timing.unsettled;
    }
  }
  if (why.empty()) return false;
  // Who is slow gains nothing by being late: such a round is not left out.
  const bool is_first = result_.samples_s.empty();
  if (!is_first && own_s > Median(result_.samples_s)) return false;
  CountUnsettled(is_first, why);
  return true;
}

void Measurement::CountUnsettled(bool is_first, const std::string& why) {
  if (++unsettled_ > (is_first ? kMostSettling : kMostUnsettled)) {
    Fail({Verdict::kInconclusive, why});
  }
}

void Measurement::Keep(const std::vector<Turn>& turns) {
  if (result_.samples_s.empty()) unsettled_ = 0;
  const auto mean = [&](Side side) {
    double sum_s = 0.0;
    for (const Turn& turn : turns) sum_s += turn.at(side).call_s;
    return sum_s / static_cast<double>(turns.size());
  };
  result_.samples_s.push_back(mean(kCandidate));
  result_.root_samples_s.push_back(mean(kRoot));
  if (turns.front().contains(kControl)) {
    result_.control_samples_s.push_back(mean(kControl));
  }
  std::vector<Timing> own;
  round_s_ = 0.0;
  for (const Turn& turn : turns) {
    own_.Add(turn.at(kCandidate));
    root_.Add(turn.at(kRoot));
    own.push_back(turn.at(kCandidate));
    for (const auto& [side, timing] : turn) round_s_ += timing.wall_s;
  }
  result_.readings.push_back(ReadingOf(own));
  remark_ = turns.back().at(kCandidate).remark;
  const auto root_calls =
      static_cast<std::size_t>(turns.back().at(kRoot).calls);
  how_ = std::to_string(result_.samples_s.size()) + " rounds of " +
         std::to_string(result_.readings.back().calls) + " calls" +
         (remark_.empty() ? "" : ", " + remark_) + " (root " +
         std::to_string(root_calls * turns.size()) + ")";
}

void Measurement::ForgetSamples() {
  result_.samples_s.clear();
  result_.root_samples_s.clear();
  result_.control_samples_s.clear();
  result_.readings.clear();
  own_ = {};
  root_ = {};
}

void Measurement::AddOffClockWork() {
  const double after_s = SecondsAfter(own_, root_);
  if (WorksAfter(own_, root_)) {
    return Fail(Rejected(
        Breach::kWorkedLate,
        Formatted("it works on a stream that the one that it was given does "
                  "not wait for: %.3g us later the device is still busy",
                  after_s * 1e6)));
  }
  const double hidden_s = HiddenSeconds(own_, root_);
  if (after_s + hidden_s <= 0.0) return;
  for (double& sample : result_.samples_s) sample += after_s + hidden_s;
  Remark(Formatted(
      "for %.3g us of a call the device works beyond it, which counts",
      (after_s + hidden_s) * 1e6));
}

// So many calls of one side in a row, after some to warm up.
Result<std::vector<double>> Measurement::Repeat(Side side,
                                                const InTurnPlan& plan,
                                                TimingSeries& series) {
  std::vector<double> samples;
  int crowded = 0;
  for (int i = -plan.warm_ups; i < plan.calls;) {
    TRY(timing, channel_.Call(side));
    if (timing.verdict != Verdict::kPassed) {
      Fail(std::move(timing));
    } else if (i >= 0 && !timing.unsettled.empty()) {
      CountUnsettled(samples.empty(), timing.unsettled);
    } else if (i >= 0 && IsContended({timing.device_contention})) {
      // Few such calls make a mean longer, or a set's median.
      if (++crowded > plan.calls / 4) Fail({Verdict::kInconclusive, kCrowded});
    } else if (i++ >= 0) {
      if (samples.empty()) unsettled_ = 0;
      remark_ = timing.remark;
      series.Add(timing);
      samples.push_back(SecondsAsTold(timing));
    }
    if (!Passing()) break;
  }
  return samples;
}

Result<void> Measurement::TimeSide(Side side, const InTurnPlan& plan) {
  std::vector<double> samples;
  for (const std::uint64_t seed : plan.seeds) {
    // Drawing may take long, and equal inputs may be at hand.
    if (filled_ != seed) TRY_DONE(Fill({.seed = seed}));
    if (!Passing()) return {};
    TRY(on_set, Repeat(side, plan, side == kRoot ? root_ : own_));
    if (!Passing()) return {};
    if (plan.of_medians) on_set = {Median(on_set)};
    samples.insert(samples.end(), on_set.begin(), on_set.end());
  }
  if (plan.of_medians) samples = {Mean(samples)};
  (side == kRoot ? result_.root_samples_s : result_.samples_s) = samples;
  return {};
}

Result<void> Measurement::TimeInTurn(const InTurnPlan& plan) {
  filled_.reset();
  TRY_DONE(TimeSide(plan.first, plan));
  if (!Passing()) return {};
  TRY_DONE(TimeSide(plan.first == kRoot ? kCandidate : kRoot, plan));
  if (!Passing()) return {};
  how_ = std::to_string(plan.calls) + " calls in a row";
  HoldEvents(plan.seeds.size());
  if (Passing()) AddOffClockWork();
  return {};
}

// Each of so many sets of inputs has as many calls.
void Measurement::HoldEvents(std::size_t sets) {
  if (Median(root_.device_s) <= 0.0) return;
  const std::size_t calls = own_.call_s.size() / sets;
  for (std::size_t set = 0; set < sets; ++set) {
    if (EventsAgree(own_.Part(set * calls, calls), root_)) continue;
    return Fail(
        {Verdict::kInconclusive,
         "the device's events and the evaluator's clock do not tell the "
         "same time"});
  }
}

}  // namespace coppice::eval
