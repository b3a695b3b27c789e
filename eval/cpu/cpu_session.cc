#include "eval/cpu/cpu_session.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "eval/cpu/bench.h"
#include "eval/cpu/channel.h"
#include "eval/host/affinity.h"
#include "eval/host/background_work.h"
#include "eval/host/counters.h"
#include "eval/host/machine.h"
#include "eval/host/thread_pool.h"
#include "eval/host/timing_stability.h"
#include "eval/host/whole_file.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/measurement.h"
#include "store/records/tier.h"

namespace coppice::eval {
namespace {

// In the cheap tier only where it is worth the while, and takes little.
constexpr double kQuicklyCounted = 0.002;

// The fast tier, and a second session, check so much.
constexpr int kFewCalls = 2;
constexpr std::size_t kFewKinds = 2;

// One workload's part of a session.
struct Trial {
  Trial(CpuBench& bench, CpuChannelOptions options)
      : channel(bench, std::move(options)),
        measurement(channel, {.workload = bench.workload().uuid,
                              .seed = bench.Secret()}) {}

  CpuChannel channel;
  Measurement measurement;
  std::vector<std::uint32_t> kinds;        // It is checked on these,
  std::vector<std::uint32_t> timed_kinds;  // and while it is timed.
};

using Trials = std::vector<std::unique_ptr<Trial>>;

void Record(const Trial& trial, const CpuBench& bench, WorkloadResult& result,
            EvaluationSession& session) {
  Record(
      trial.measurement, bench.workload(),
      [&] { return trial.channel.Output(); }, result, session);
}

// The names that an object needs tell it.  Threads that spin until another one
// gets a processor lose milliseconds each time: they want all processors.  One
// that hides its threads only makes itself wait.
bool MayStartThreads(const std::filesystem::path& object) {
  const std::string bytes = ReadWhole(object).value_or("");
  return std::ranges::any_of(
      std::array{"GOMP_parallel", "_M_start_thread", "pthread_create"},
      [&](const char* name) { return bytes.find(name) != bytes.npos; });
}

// So many of the adversarial kinds before it is timed, in an order that no
// candidate can foresee, and as many others, as far as there are any,
// meanwhile. Numbers from 1 on.
void ChooseKinds(CpuBench& bench, std::size_t most, Trial& trial) {
  std::vector<std::uint32_t> kinds(bench.adversarial().size());
  std::iota(kinds.begin(), kinds.end(), 1u);
  for (std::size_t i = kinds.size(); i > 1; --i) {
    std::swap(kinds[i - 1], kinds[bench.Secret() % i]);
  }
  const std::size_t count = std::min(most, kinds.size());
  for (std::size_t i = 0; i < count; ++i) {
    trial.kinds.push_back(kinds[i]);
    trial.timed_kinds.push_back(kinds[(count + i) % kinds.size()]);
  }
}

Result<void> Check(const Depth& depth, Trial& trial) {
  Measurement& measurement = trial.measurement;
  TRY_DONE(measurement.Load());
  TRY_DONE(measurement.Check({.plain = depth.plain, .kinds = trial.kinds}));
  if (!depth.repeat || !measurement.Passing()) return {};
  TRY_DONE(measurement.CheckOn([&] { return trial.channel.FillFirstAgain(); }));
  const std::string remark = trial.channel.WhatDiffers();
  if (measurement.Passing() && !remark.empty()) measurement.Remark(remark);
  return {};
}

// Each workload's processes to one of the processors, so that a candidate sees
// as few while it is checked as while it is timed; or to all of them.
void KeepEach(const Benches& benches, bool is_kept) {
  for (std::size_t i = 0; i < benches.size(); ++i) {
    const std::vector<int>& processors = benches[i]->processors();
    benches[i]->KeepTo(is_kept
                           ? std::optional(processors[i % processors.size()])
                           : std::nullopt);
  }
}

Result<void> CheckAll(const Benches& benches, const Program& program,
                      bool may_start_threads, const Depth& depth,
                      ThreadPool& pool, Trials& trials,
                      EvaluationSession& session) {
  trials.resize(benches.size());
  // Somebody else's timed calls shall lose no more processors than one.
  TRY(somebody_measures, MeasurementLock::IsTaken());
  ThreadPool caller_alone(0);
  ThreadPool& used = somebody_measures ? caller_alone : pool;
  std::mutex turn;
  const CpuChannelOptions options{
      .program = program,
      .fresh_s = depth.fresh_s,
      .batch_s = depth.timing ? depth.timing->batch_s : 0.0,
      .turn = may_start_threads ? &turn : nullptr,
      .repeats = depth.repeat};
  std::atomic<bool> is_late = false;
  const auto check = [&](std::size_t i) -> Result<void> {
    // The next workload would cost the whole time limit again.
    if (is_late) return {};
    trials[i] = std::make_unique<Trial>(*benches[i], options);
    ChooseKinds(*benches[i], depth.adversarial, *trials[i]);
    TRY_DONE(Check(depth, *trials[i]));
    const WorkloadResult& result = trials[i]->measurement.result();
    if (result.verdict == Verdict::kTimedOut) is_late = true;
    return {};
  };
  TRY_DONE(used.ForEach(benches.size(), check));
  for (std::size_t i = 0; i < benches.size(); ++i) {
    WorkloadResult& result = session.workloads.emplace_back();
    result.workload = benches[i]->workload().uuid;
    if (trials[i]) Record(*trials[i], *benches[i], result, session);
  }
  return {};
}

// Single threads share a processor with the evaluator, which writes what they
// read and poisons where they write: whoever was left on another one would find
// all of it in the wrong caches, and on a busy machine stays there.
int WhereToTime(const CpuBench& bench) {
  const int here = sched_getcpu();
  const std::vector<int>& processors = bench.processors();
  const bool is_permitted =
      std::ranges::find(processors, here) != processors.end();
  return is_permitted ? here : processors.front();
}

// Has `time` done with what timed calls have to themselves: silence, the
// machine's lock, and, if they are kept to it, a processor.
Result<void> Undisturbed(
    const Benches& benches, bool is_kept, BackgroundWork& side,
    const std::atomic<bool>* cancelled,
    const std::function<Result<void>(std::optional<int> processor)>& time) {
  const BackgroundWork::Silence silence(side);
  TRY(lock, MeasurementLock::Acquire(cancelled));
  std::optional<int> processor;
  std::optional<Seat> seat;
  if (is_kept) {
    processor = WhereToTime(*benches.front());
    seat.emplace(*processor);
  }
  return time(processor);
}

Result<void> TimeAll(const Benches& benches, std::optional<int> processor,
                     const Depth& depth, TimingStability& stability,
                     Trials& trials, EvaluationSession& session) {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    Trial& trial = *trials[i];
    benches[i]->KeepTo(processor);
    TRY_DONE(trial.channel.BeginTiming());
    TRY_DONE(trial.measurement.Time(
        {.budget = *depth.timing,
         .kinds = trial.timed_kinds,
         .kinds_after = depth.repeat ? trial.timed_kinds.size() : 1,
         .stability = &stability}));
    benches[i]->PromoteControl();
    Record(trial, *benches[i], session.workloads[i], session);
    session.workloads[i].temperature_c = ProcessorTemperatureC();
  }
  return {};
}

// On all workloads, also those on which it is right.
Result<void> HintAll(const Benches& benches, std::optional<int> processor,
                     Trials& trials, EvaluationSession& session) {
  std::vector<std::vector<double>> log_factors;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    benches[i]->KeepTo(processor);
    TRY_DONE(trials[i]->channel.BeginHint());
    TRY(rounds, trials[i]->measurement.RunForHint());
    log_factors.push_back(std::move(rounds));
    if (log_factors.back().empty()) break;
  }
  session.hint = HintOf(log_factors);
  return {};
}

// Whether it ran to its end everywhere, and computed wrong.
bool IsOnlyWrong(const EvaluationSession& session) {
  return session.verdict == Verdict::kWrongOutput &&
         std::ranges::all_of(session.workloads, [](const auto& result) {
           return result.verdict == Verdict::kPassed ||
                  result.verdict == Verdict::kWrongOutput;
         });
}

// Calls more, when everything is timed, so that it disturbs nothing.
Result<void> CountAll(const Benches& benches, const Depth& depth,
                      Trials& trials, EvaluationSession& session) {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    CpuChannel& channel = trials[i]->channel;
    Measurement& measurement = trials[i]->measurement;
    if (channel.call_s() > depth.counted_s) continue;
    channel.CountNext();
    TRY_DONE(measurement.CheckOn(InputsWanted{}));
    if (measurement.Passing()) {
      session.workloads[i].profile.emplace().counters = channel.counters();
    } else {
      Record(*trials[i], *benches[i], session.workloads[i], session);
    }
  }
  return {};
}

}  // namespace

Depth DepthOf(Tier tier) {
  if (tier == Tier::kFast) {
    return {.plain = kFewCalls,
            .adversarial = kFewKinds,
            .fresh_s = 0.01,
            .timing = TimingBudget{.min_rounds = 5,
                                   .max_rounds = 40,
                                   .seconds = 0.02,
                                   .noise = 0.015,
                                   .batch_s = 0.0005,
                                   .long_s = 0.03},
            .counted_s = HasHardwareCounters() ? kQuicklyCounted : 0.0,
            .hints = true};
  }
  return {.plain = 5,
          .adversarial = std::numeric_limits<std::size_t>::max(),
          .repeat = true,
          .fresh_s = 0.05,
          .timing = TimingBudget{.min_rounds = 8,
                                 .max_rounds = 60,
                                 .seconds = 0.06,
                                 .noise = 0.0075,
                                 .batch_s = 0.0005,
                                 .long_s = 0.16},
          .counted_s = std::numeric_limits<double>::infinity()};
}

Depth DepthOfAnother(const Depth& depth) {
  Depth another = depth;
  another.plain = kFewCalls;  // It has passed more.
  another.adversarial = kFewKinds;
  another.repeat = false;
  return another;
}

Result<EvaluationSession> RunSession(const Benches& benches,
                                     const Program& program, const Depth& depth,
                                     ThreadPool& pool, BackgroundWork& side,
                                     TimingStability& stability,
                                     const std::atomic<bool>* cancelled) {
  EvaluationSession session;
  Trials trials;  // Gone with their processes before anybody hears of it.
  const auto start = Clock::now();
  const bool may_start_threads = MayStartThreads(program.object);
  const bool is_kept = !benches.empty() && !may_start_threads &&
                       !MayStartThreads(benches.front()->root().object);
  KeepEach(benches, is_kept);
  TRY_DONE(CheckAll(benches, program, may_start_threads, depth, pool, trials,
                    session));
  const auto checked = Clock::now();
  session.check_s = Seconds(checked - start);
  if (!depth.timing) return session;
  if (session.verdict == Verdict::kPassed) {
    TRY_DONE(
        Undisturbed(benches, is_kept, side, cancelled, [&](auto processor) {
          return TimeAll(benches, processor, depth, stability, trials, session);
        }));
    session.timing_s = Seconds(Clock::now() - checked);
  }
  if (depth.hints && IsOnlyWrong(session)) {
    TRY_DONE(
        Undisturbed(benches, is_kept, side, cancelled, [&](auto processor) {
          return HintAll(benches, processor, trials, session);
        }));
    session.timing_s = Seconds(Clock::now() - checked);
  }
  if (session.verdict == Verdict::kPassed && depth.counted_s > 0.0) {
    TRY_DONE(CountAll(benches, depth, trials, session));
  }
  return session;
}

}  // namespace coppice::eval
