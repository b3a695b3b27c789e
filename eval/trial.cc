#include "eval/trial.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "eval/counters.h"
#include "eval/machine.h"
#include "eval/poison.h"

namespace coppice::eval {
namespace {

// Processor time over wall time, from which on threads worked side by side.
// What a candidate may gain below is the excess over 1 at most.
constexpr double kParallel = 1.05;
constexpr int kDoorbells = 10;

enum class Role { kRoot, kCandidate, kControl };

// Of the rounds in turn.  Whoever is called finds in the caches what the one
// before has left, so each meets each place, and each neighbour, equally often.
using enum Role;
constexpr std::array<std::array<Role, 3>, 6> kOrders = {{
    {kRoot, kCandidate, kControl},
    {kCandidate, kControl, kRoot},
    {kControl, kRoot, kCandidate},
    {kControl, kCandidate, kRoot},
    {kRoot, kControl, kCandidate},
    {kCandidate, kRoot, kControl},
}};

}  // namespace

Trial::Trial(Bench& bench, Program program, double fresh_s,
             SessionOptions options)
    : Trial(bench, std::move(program), fresh_s) {
  options_ = std::move(options);
}

Trial::Trial(Bench& bench, Program program, double fresh_s)
    : bench_(bench),
      program_(std::move(program)),
      fresh_s_(fresh_s),
      collected_(bench.slots()),
      patterns_(bench.slots()) {
  result_.workload = bench.workload().uuid;
  result_.verdict = Verdict::kPassed;
}

std::string Trial::Output() const {
  return session_ == nullptr ? "" : session_->Output();
}

std::string Trial::log() const {
  if (!Passing() || log_.empty()) return log_;
  char text[80];
  std::snprintf(text, sizeof text, "; error up to %.2f of the allowed, on %s",
                result_.worst_error_ratio,
                std::string(Name(worst_on_)).c_str());
  return log_ + text + " inputs" + remark_;
}

void Trial::Fail(Verdict verdict, std::string log) {
  result_.verdict = verdict;
  ForgetSamples();
  log_ = std::move(log);
}

// A process that has seen nothing yet.  It may fail to load.
Result<void> Trial::Start() {
  session_.reset();
  for (auto& slot : collected_) slot.clear();
  Shuffle();
  bench_.ClearSlots();
  if (options_) {
    TRY(session, Session::Launch(*options_, bench_.plan(), bench_.inputs(),
                                 bench_.slots()));
    TRY_DONE(session->Ready());
    session_ = std::move(session);
  } else {
    TRY(session, bench_.TakeRunner());
    session_ = std::move(session);
  }
  session_->KeepTo(bench_.processor());
  TRY(loaded, session_->Load(program_));
  if (loaded.verdict != Verdict::kPassed) Fail(loaded.verdict, loaded.log);
  return {};
}

Result<void> Trial::Check(const Checks& checks, std::mutex* turn) {
  turn_ = turn;
  TRY_DONE(Start());
  std::vector<Data> first;
  std::vector<std::vector<std::byte>> first_outputs;
  for (int i = 0; i < checks.plain && Passing(); ++i) {
    if (deck_.empty()) TRY_DONE(Renew());
    if (!Passing()) break;
    TRY(data, Draw(1));
    TRY(called, Batch(data));
    call_s_ = i == 0 ? called.wall_s : std::min(call_s_, called.wall_s);
    if (i > 0 || !Passing()) continue;
    first = std::move(data);
    first_outputs = collected_.front();
  }
  if (Passing()) TRY_DONE(CheckAdversarial(checks.adversarial));
  if (Passing() && checks.repeat)
    TRY_DONE(Repeat(first.front(), first_outputs));
  turn_ = nullptr;
  return {};
}

// In an order that no candidate can foresee.
Result<void> Trial::CheckAdversarial(std::size_t distributions) {
  std::vector<Distribution> left = bench_.adversarial();
  for (std::size_t i = 0; i < distributions && !left.empty(); ++i) {
    std::swap(left[bench_.Secret() % left.size()], left.back());
    TRY(data, bench_.AdversarialDataSet(left.back()));
    left.pop_back();
    TRY_DONE(Batch({data}));
    if (!Passing()) break;
  }
  return {};
}

// The outputs of a process that has seen nothing yet on `data`, beside those of
// another.
Result<void> Trial::Repeat(const Data& data,
                           const std::vector<std::vector<std::byte>>& outputs) {
  TRY_DONE(Start());
  // A process must not meet it again.
  std::erase(deck_, data);
  if (Passing()) TRY_DONE(Batch({data}));
  if (!Passing()) return {};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Place& place = bench_.plan().outputs[i];
    const std::size_t begin = place.offset - place.pages.offset;
    if (std::memcmp(outputs[i].data() + begin,
                    collected_.front()[i].data() + begin, place.bytes) != 0) {
      remark_ = "; output " + bench_.shapes().outputs[i].name +
                " differs from run to run on the same inputs, within the "
                "tolerance";
    }
  }
  return {};
}

Result<void> Trial::Time(const TimingBudget& budget, Stillness& stillness) {
  session_->KeepTo(bench_.processor());
  TRY(doorbell, bench_.RootDoorbell(kDoorbells));
  doorbell_s_ = doorbell;
  // Who works in parallel is timed call by call from the start, so that all
  // sessions time it alike; who hides it is found out below.
  one_by_one_ = session_->CountThreads() > 1;
  batch_s_ = budget.batch_s;
  call_s_ = WithoutDoorbell(call_s_);
  double root_call_s = WithoutDoorbell(bench_.root_call_s());
  std::uint32_t calls = CallsPerBatch(call_s_);
  std::uint32_t root_calls = CallsPerBatch(root_call_s);
  TimingBudget rule = budget;
  rule.min_rounds =
      LeastRounds(budget, calls * call_s_ + root_calls * root_call_s);

  TRY_DONE(bench_.RenewControl());

  auto start = Clock::now();
  do {
    const auto round_start = Clock::now();
    TRY(is_whole, Round(calls, root_calls, stillness));
    if (!Passing()) return {};
    if (!is_whole) {
      ForgetSamples();
      continue;
    }
    if (stillness.Again(Seconds(Clock::now() - round_start))) {
      ForgetRound();
      start += Clock::now() - round_start;
      continue;
    }
    // Later batches may be longer: single calls are a poor estimate.  All grow
    // alike, since a longer one is interrupted more often.
    call_s_ = std::min(call_s_, result_.samples_s.back());
    root_call_s = std::min({root_call_s, result_.root_samples_s.back(),
                            result_.control_samples_s.back()});
    calls = CallsPerBatch(call_s_);
    root_calls = CallsPerBatch(root_call_s);
  } while (result_.samples_s.empty() ||
           !Enough(result_, Seconds(Clock::now() - start), rule));

  char text[120];
  std::snprintf(text, sizeof text, "%zu rounds of up to %u calls%s (root %u)",
                result_.samples_s.size(), calls,
                one_by_one_ ? ", one by one" : "", root_calls);
  log_ = text;
  return {};
}

void Trial::ForgetSamples() {
  result_.samples_s.clear();
  result_.root_samples_s.clear();
  result_.control_samples_s.clear();
  result_.readings.clear();
}

void Trial::ForgetRound() {
  ++result_.discarded_samples;
  result_.samples_s.pop_back();
  result_.root_samples_s.pop_back();
  result_.control_samples_s.pop_back();
  result_.readings.pop_back();
}

// Seconds of a call.
Result<double> Trial::Watched(Result<double> (Bench::*time)(std::uint32_t),
                              std::uint32_t calls, Stillness& stillness) {
  stillness.Begin();
  TRY(seconds, (bench_.*time)(calls));
  stillness.End();
  return WithoutDoorbell(seconds) / calls;
}

// All three on the same data.  False if the candidate is to be timed otherwise
// from now on.
Result<bool> Trial::Round(std::uint32_t calls, std::uint32_t root_calls,
                          Stillness& stillness) {
  if (deck_.size() < calls) TRY_DONE(Renew());
  if (Passing()) TRY_DONE(Arm(calls));
  if (!Passing()) return false;
  TRY(data, Draw(calls));
  for (const Role role : kOrders[result_.samples_s.size() % kOrders.size()]) {
    if (role == Role::kCandidate) {
      TRY(sample, Sample(data));
      if (!Passing() || !sample) return false;
      result_.samples_s.push_back(*sample);
      continue;
    }
    Show(data, root_calls);
    const bool is_root = role == Role::kRoot;
    TRY(call_s, Watched(is_root ? &Bench::TimeRoot : &Bench::TimeControl,
                        root_calls, stillness));
    (is_root ? result_.root_samples_s : result_.control_samples_s)
        .push_back(call_s);
  }
  return true;
}

Result<void> Trial::Count(double most_s) {
  if (call_s_ > most_s) return {};
  const std::uint32_t calls = CallsPerBatch(call_s_);
  if (deck_.size() < calls) TRY_DONE(Renew());
  if (Passing()) TRY_DONE(Arm(calls));
  if (!Passing()) return {};
  TRY(data, Draw(calls));
  const auto counters = ProcessCounters::Attach(session_->process());
  TRY_DONE(Batch(data));
  if (Passing()) result_.profile.emplace().counters = counters.Read(calls);
  return {};
}

// Seconds per call.  None if it is to be timed otherwise from now on.
Result<std::optional<double>> Trial::Sample(const std::vector<Data>& data) {
  const auto calls = static_cast<double>(data.size());
  if (one_by_one_ && data.size() > 1) {
    TRY(seconds, OneByOne(data));
    return seconds / calls;
  }
  TRY(called, Batch(data));
  if (data.size() > 1 && called.cpu_s > kParallel * called.wall_s) {
    one_by_one_ = true;
    return std::nullopt;
  }
  Note(called.wall_s, called.cpu_s, data.size());
  return WithoutDoorbell(called.wall_s) / calls;
}

Result<double> Trial::OneByOne(const std::vector<Data>& data) {
  double seconds = 0.0;
  double wall_s = 0.0;
  double cpu_s = 0.0;
  for (std::uint32_t slot = 0; slot < data.size(); ++slot) {
    TRY(called, Batch({data[slot]}, slot));
    if (!Passing()) break;
    seconds += WithoutDoorbell(called.wall_s);
    wall_s += called.wall_s;
    cpu_s += called.cpu_s;
  }
  Note(wall_s, cpu_s, data.size());
  return seconds;
}

// No less than a tenth: a doorbell that was answered late is no call of no
// time.
double Trial::WithoutDoorbell(double wall_s) const {
  return std::max(wall_s - doorbell_s_, 0.1 * wall_s);
}

void Trial::Note(double wall_s, double cpu_s, std::size_t calls) {
  const auto count = static_cast<double>(calls);
  Reading reading;
  reading.calls = static_cast<std::int64_t>(calls);
  reading.wall_s = wall_s / count;
  if (std::isfinite(cpu_s)) reading.cpu_s = cpu_s / count;
  reading.clock_mhz = ProcessorClockMhz();
  result_.readings.push_back(reading);
}

// The candidate's data to the root, over again if that makes more calls: others
// would be seen in the slots before their turn.
void Trial::Show(const std::vector<Data>& data, std::uint32_t calls) {
  // Nothing of a later call while it is called one by one.
  const std::size_t shown = one_by_one_ ? 1 : data.size();
  for (std::uint32_t slot = 0; slot < calls; ++slot) {
    bench_.LoadSlot(slot, *data[slot % shown]);
  }
}

std::uint32_t Trial::CallsPerBatch(double call_s) const {
  const double wanted = std::ceil(batch_s_ / std::max(call_s, 1e-9));
  // The pool without the warm-up of a new process.
  const std::size_t most =
      std::min<std::size_t>(bench_.slots(), bench_.pool().size() - 1);
  return static_cast<std::uint32_t>(
      std::clamp(wanted, 1.0, static_cast<double>(most)));
}

// A new process, warmed up by one call.  It may fail.
Result<void> Trial::Renew() {
  TRY_DONE(Start());
  if (!Passing()) return {};
  TRY(data, Draw(1));
  TRY_DONE(Batch(data));
  return {};
}

Result<void> Trial::Arm(std::uint32_t count) {
  TRY(armed, session_->Arm(count));
  if (armed.verdict != Verdict::kPassed) Fail(armed.verdict, armed.log);
  return {};
}

// What this process has not seen.
Result<std::vector<Trial::Data>> Trial::Draw(std::size_t count) {
  std::vector<Data> drawn;
  while (drawn.size() < count) {
    const bool first = result_.calls_verified == 0;
    if (first || deck_.empty() || fresh_s_ >= bench_.data_set_cost_s()) {
      fresh_s_ -= bench_.data_set_cost_s();
      TRY(data, bench_.NewDataSet());
      drawn.push_back(std::move(data));
    } else {
      drawn.push_back(std::move(deck_.back()));
      deck_.pop_back();
    }
  }
  return drawn;
}

void Trial::Shuffle() {
  deck_.assign(bench_.pool().begin(), bench_.pool().end());
  for (std::size_t i = deck_.size(); i > 1; --i) {
    std::swap(deck_[i - 1], deck_[bench_.Secret() % i]);
  }
}

// One batch, its outputs verified; meaningless once the verdict is no longer
// kPassed.
Result<Observed> Trial::Batch(const std::vector<Data>& data,
                              std::uint32_t first) {
  const auto count = static_cast<std::uint32_t>(data.size());
  TRY_DONE(Arm(first + count));
  if (!Passing()) return Observed{};
  for (std::uint32_t i = 0; i < count; ++i) {
    bench_.LoadSlot(first + i, *data[i]);
    if (!PoisonOutputs(first + i)) return Observed{};
  }
  TRY(called, Call(first, count));
  if (called.verdict != Verdict::kPassed) {
    Fail(called.verdict, called.log);
    return called;
  }
  for (std::uint32_t i = 0; i < count; ++i) Collect(first + i);
  TRY_DONE(Verify(data, first));
  return called;
}

Result<Observed> Trial::Call(std::uint32_t first, std::uint32_t count) {
  std::unique_lock<std::mutex> lock;
  if (turn_ != nullptr) lock = std::unique_lock(*turn_);
  return session_->Call(first, count);
}

// False, with a verdict, if the outputs are not what was collected when the
// slot's last call returned.
bool Trial::PoisonOutputs(std::uint32_t slot) {
  const auto& outputs = bench_.shapes().outputs;
  const auto& collected = collected_[slot];
  for (std::size_t i = 0; i < collected.size(); ++i) {
    if (std::memcmp(collected[i].data(), session_->OutputPages(slot, i).data(),
                    collected[i].size()) != 0) {
      Fail(Verdict::kRejected, "it changed output " + outputs[i].name +
                                   " after its call had returned");
      return false;
    }
  }
  patterns_[slot].clear();
  const PoisonKind kind =
      poisonings_++ % 2 == 0 ? PoisonKind::kNan : PoisonKind::kFinite;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::uint64_t pattern =
        MakePoison(bench_.Secret(), outputs[i].dtype, kind);
    Poison(session_->OutputPages(slot, i), pattern);
    patterns_[slot].push_back(pattern);
  }
  return true;
}

void Trial::Collect(std::uint32_t slot) {
  auto& collected = collected_[slot];
  collected.resize(bench_.shapes().outputs.size());
  for (std::size_t i = 0; i < collected.size(); ++i) {
    const auto pages = session_->OutputPages(slot, i);
    collected[i].resize(pages.size());
    std::memcpy(collected[i].data(), pages.data(), pages.size());
  }
}

Result<void> Trial::Verify(const std::vector<Data>& data, std::uint32_t first) {
  for (std::uint32_t i = 0; i < data.size() && Passing(); ++i) {
    const bool fresh = data[i]->expected.empty();
    TRY_DONE(bench_.Reveal(*data[i]));
    if (fresh) bench_.Keep(data[i]);
    Judge(first + i, *data[i]);
  }
  return {};
}

void Trial::Judge(std::uint32_t slot, const DataSet& data) {
  const auto& outputs = bench_.shapes().outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::vector<std::byte>& pages = collected_[slot][i];
    const Place& place = bench_.plan().outputs[i];
    const std::uint64_t pattern = patterns_[slot][i];
    if (!SlackIntact(pages, place, pattern)) {
      return Fail(Verdict::kCrashed,
                  "it wrote out of bounds of output " + outputs[i].name);
    }
    const Comparison comparison =
        Compare(std::span(pages).subspan(place.offset - place.pages.offset,
                                         place.bytes),
                outputs[i], data.expected[i], pattern);
    if (comparison.worst_error_ratio > result_.worst_error_ratio) {
      result_.worst_error_ratio = comparison.worst_error_ratio;
      worst_on_ = data.distribution;
    }
    result_.max_absolute_error =
        std::max(result_.max_absolute_error, comparison.max_absolute_error);
    result_.max_relative_error =
        std::max(result_.max_relative_error, comparison.max_relative_error);
    if (comparison.wrong > 0) {
      std::string where;
      if (data.distribution != Distribution::kPlain) {
        where = "on inputs of the distribution " +
                std::string(Name(data.distribution)) + ": ";
      }
      return Fail(Verdict::kWrongOutput,
                  where + Describe(comparison, outputs[i], data.expected[i]));
    }
  }
  ++result_.calls_verified;
}

}  // namespace coppice::eval
