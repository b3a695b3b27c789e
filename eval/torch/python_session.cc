#include "eval/torch/python_session.h"

#include <utility>
#include <vector>

#include "eval/host/machine.h"
#include "eval/host/waiting.h"
#include "eval/host/wakefulness.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/measurement.h"
#include "eval/torch/bench.h"
#include "eval/torch/channel.h"
#include "eval/torch/operators.h"

namespace coppice::eval::torch {
namespace {

constexpr int kTimesEachKind = 8;  // At most, while it is timed.

// A published protocol: checks on the inputs of each seed, then timed calls.
struct Book {
  std::vector<std::uint64_t> check_seeds;
  InTurnPlan timing;
};

// None: our own.
Result<std::optional<Book>> BookOf(TorchBench& bench) {
  if (bench.task().protocol == Protocol::kCoppice) return std::nullopt;
  if (bench.task().format == TaskFormat::kFlashInferBench) {
    const EvalConfig& config = bench.task().eval_config;
    std::vector<std::uint64_t> seeds(
        static_cast<std::size_t>(config.num_trials));
    for (std::uint64_t& seed : seeds) seed = bench.NextSeed();
    return Book{seeds,
                {.seeds = seeds,
                 .first = Side::kRoot,
                 .warm_ups = static_cast<int>(config.warmup_runs),
                 .calls = static_cast<int>(config.iterations),
                 .of_medians = true}};
  }
  TRY(seeds, bench.problem().TrialSeeds(kBenchmarkSeed, 5));
  return Book{std::move(seeds),
              {.seeds = {kBenchmarkSeed}, .warm_ups = 3 + 1, .calls = 100}};
}

std::vector<std::uint32_t> AllKinds(const TorchBench& bench) {
  std::vector<std::uint32_t> kinds;
  for (std::size_t i = 0; i < bench.variants().size(); ++i) {
    kinds.push_back(static_cast<std::uint32_t>(i + 1));
  }
  return kinds;
}

Result<void> Check(const TorchBench& bench, const std::optional<Book>& book,
                   const Effort& effort, Measurement& measurement) {
  if (!book) {
    return measurement.Check(
        {.plain = effort.checks,
         .kinds = AllKinds(bench),
         .calls = effort.is_thorough ? CallCount::kTimed : CallCount::kFew});
  }
  for (const std::uint64_t seed : book->check_seeds) {
    if (!measurement.Passing()) break;
    TRY_DONE(measurement.CheckOn(
        InputsWanted{.calls = CallCount::kFew, .seed = seed}));
  }
  return {};
}

Result<void> Time(const TorchBench& bench, const std::optional<Book>& book,
                  const Effort& effort, Measurement& measurement) {
  if (book) return measurement.TimeInTurn(book->timing);
  // Inputs of a kind are new each time.
  const std::vector<std::uint32_t> all = AllKinds(bench);
  std::vector<std::uint32_t> kinds;
  for (int i = 0; i < kTimesEachKind; ++i) {
    kinds.insert(kinds.end(), all.begin(), all.end());
  }
  return measurement.Time({.budget = *effort.timing,
                           .kinds = std::move(kinds),
                           .kinds_after = effort.is_thorough ? all.size() : 1,
                           .stability = effort.stability});
}

// In the last call of all, so that what it finds disturbs nothing.
Result<void> Audit(TorchBench& bench, Delegation delegation,
                   TorchChannel& channel, Measurement& measurement) {
  if (delegation == Delegation::kAny || !measurement.Passing()) return {};
  channel.WatchNext(WorkerRequestKind::kAudit);
  TRY_DONE(measurement.CheckOn(
      InputsWanted{.calls = CallCount::kFew, .seed = bench.last_seed()}));
  if (!measurement.Passing()) return {};
  TRY(ruling,
      bench.problem().CheckOperations(channel.operations(), delegation));
  if (ruling.verdict != Verdict::kPassed) measurement.Fail(ruling);
  return {};
}

// One more call, on which nothing rests.  On a device its operators would be
// told when they were launched.
Result<void> Observe(TorchBench& bench, TorchChannel& channel,
                     Measurement& measurement) {
  if (!measurement.Passing() || !bench.device_name().empty()) return {};
  TRY_DONE(channel.Fill({.calls = CallCount::kFew, .seed = bench.last_seed()}));
  channel.WatchNext(WorkerRequestKind::kProfile);
  TRY(own, channel.Call(Side::kCandidate));
  if (own.verdict != Verdict::kPassed) return {};
  measurement.result().profile.emplace().kernels =
      ParseOperators(channel.operations());
  return {};
}

}  // namespace

Result<EvaluationSession> RunSession(TorchBench& bench,
                                     KernelWorker& kernel_worker,
                                     const Candidate& candidate,
                                     const Effort& effort) {
  TorchChannel channel(bench, kernel_worker, candidate);
  Measurement measurement(channel, {.workload = bench.at().workload,
                                    .root_is_right = true,
                                    .most_controlled_s = kMostControlled,
                                    .seed = bench.NextSeed()});
  EvaluationSession session;
  const auto start = Clock::now();
  TRY(book, BookOf(bench));
  TRY_DONE(measurement.Load());
  // Not while anything is compiled, nor while somebody else measures.
  std::optional<Wakefulness> awake(bench.ToKeepAwake());
  TRY_DONE(Check(bench, book, effort, measurement));
  const auto checked = Clock::now();
  session.check_s = Seconds(checked - start);
  if (measurement.Passing() && effort.timing && bench.at().is_timed) {
    awake.reset();
    TRY(lock, MeasurementLock::Acquire(effort.cancelled, bench.Measured()));
    awake.emplace(bench.ToKeepAwake());
    TRY_DONE(Time(bench, book, effort, measurement));
    session.timing_s = Seconds(Clock::now() - checked);
  }
  const bool is_wrong = measurement.result().verdict == Verdict::kWrongOutput;
  if (is_wrong && effort.hints && effort.timing && !book &&
      bench.at().is_timed) {
    awake.reset();
    TRY(lock, MeasurementLock::Acquire(effort.cancelled, bench.Measured()));
    awake.emplace(bench.ToKeepAwake());
    TRY(rounds, measurement.RunForHint());
    session.hint = HintOf({rounds});
    session.timing_s = Seconds(Clock::now() - checked);
  }
  TRY_DONE(Audit(bench, bench.DelegationOf(candidate), channel, measurement));
  if (effort.is_thorough && bench.at().is_timed) {
    TRY_DONE(Observe(bench, channel, measurement));
  }
  session.verdict = measurement.result().verdict;
  session.breach = measurement.result().breach;
  session.log =
      measurement.Passing() ? measurement.remark() : measurement.log();
  if (!session.log.empty() && !session.log.ends_with('\n')) {
    session.log += '\n';
  }
  if (!measurement.Passing()) session.log += Quote(kernel_worker.Output());
  session.workloads = {measurement.result()};
  return session;
}

Result<bool> ChangesInputs(TorchBench& bench, KernelWorker& kernel_worker,
                           const Candidate& candidate) {
  kernel_worker.AllowWrites();
  TorchChannel channel(bench, kernel_worker, candidate);
  TRY(loaded, channel.Load());
  if (loaded.verdict != Verdict::kPassed) return false;
  const Wakefulness awake(bench.ToKeepAwake());
  TRY_DONE(channel.Fill({.calls = CallCount::kFew}));
  for (const Side side : {Side::kRoot, Side::kCandidate}) {
    TRY(called, channel.Call(side));
    if (called.verdict != Verdict::kPassed) return false;
  }
  TRY(judgement, channel.Compare());
  return judgement.breach == Breach::kWroteInput;
}

}  // namespace coppice::eval::torch
