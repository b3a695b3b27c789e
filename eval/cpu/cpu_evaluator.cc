#include <algorithm>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "eval/cpu/bench.h"
#include "eval/cpu/channel.h"
#include "eval/cpu/cpu_roofline.h"
#include "eval/cpu/cpu_session.h"
#include "eval/cpu/generated_code.h"
#include "eval/cpu/sampling.h"
#include "eval/cpu/sanitized.h"
#include "eval/cpu/shape_check.h"
#include "eval/host/affinity.h"
#include "eval/host/background_work.h"
#include "eval/host/counters.h"
#include "eval/host/machine.h"
#include "eval/host/processor_facts.h"
#include "eval/host/secret_seed.h"
#include "eval/host/shortage.h"
#include "eval/host/thread_pool.h"
#include "eval/host/timing_stability.h"
#include "eval/host/whole_file.h"
#include "eval/judge/control_candidates.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/judge/measurement.h"
#include "eval/judge/other_shapes.h"
#include "eval/judge/roofline.h"
#include "eval/judge/same_task.h"
#include "eval/sandbox/compiler.h"
#include "eval/sandbox/sandbox.h"
#include "store/records/candidate.h"
#include "store/records/tier.h"

namespace coppice::eval {
namespace {

constexpr std::uint64_t kCandidateCpuSeconds = 1200;  // Beyond any deadline.
constexpr std::uint64_t kMostMemory = std::uint64_t{4} << 30;
constexpr std::uint64_t kLeastMemory = std::uint64_t{512} << 20;

// In the cheap tier only where it is worth the while, and takes little.
constexpr double kQuicklyCounted = 0.002;

// The fast tier, and a second session, check so much.
constexpr int kFewCalls = 2;
constexpr std::size_t kFewKinds = 2;

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

// Bytes that agents are told of a kernel's loops, and of the code of one.
constexpr std::size_t kMostOfRemarks = 500;
constexpr std::size_t kMostOfALoop = 700;

// Seconds of calls that are sampled for that, in the fast tier.
constexpr double kSampledS = 0.1;

constexpr int kSanitizedCalls = 2;  // In the full tier.

// Calls under the sanitizers may take this many times as long.
constexpr double kSanitizerSlowdown = 3.0;

constexpr std::size_t kMostOtherLanes = 7;

// Everything that is kept for the task that was evaluated last.
struct TaskBench {
  Task task;
  CpuBenchOptions options;  // The benches', but for their streams.
  Benches workloads;
  std::optional<ControlCandidates> controls;
};

// For one process of a candidate, of which there is one for each workload at a
// time: together they get half of the machine's.
std::uint64_t MemoryFor(std::size_t workloads) {
  return std::clamp(MemoryBytes() / 2 / workloads, kLeastMemory, kMostMemory);
}

// Returns some of the processors that we may use ourselves.
std::vector<int> FirstProcessors(int most) {
  std::vector<int> processors = ProcessorsOf(0);
  if (processors.size() > static_cast<std::size_t>(most)) {
    processors.resize(static_cast<std::size_t>(most));
  }
  return processors;
}

std::size_t BytesOf(const CpuBench& bench) {
  return bench.plan().input_stride + bench.plan().output_stride;
}

class CpuEvaluator : public Evaluator {
 public:
  CpuEvaluator(CpuEvaluatorOptions options, Compiler compiler,
               std::uint64_t seed, Roofline roof)
      : options_(std::move(options)),
        compiler_(std::move(compiler)),
        seed_(seed),
        shapes_(seed, Purpose::kShapes, 0),
        processors_(FirstProcessors(options_.threads)),
        pool_(std::min(OtherProcessors(), kMostOtherLanes)),
        side_(std::max<std::size_t>(OtherProcessors(), 1)),
        stability_(options_.quiet, options_.threads),
        roof_(std::move(roof)),
        environment_(Describe()) {}

  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override;
  void Prepare(const Task& task, const Candidate& candidate) override;
  Result<std::optional<Environment>> Where() override {
    return std::optional(environment_);
  }

 private:
  Result<void> Adopt(const Task& task);
  Result<std::filesystem::path> CompileTrusted(const Task& task,
                                               const Solution& solution);
  Result<void> Prove(const Candidate& candidate, const Program& program,
                     const Depth& depth, EvaluationSession first,
                     Evaluation& evaluation);
  Result<void> CheckOtherShapes(const Program& program, Evaluation& evaluation);
  Result<void> Sanitize(const Candidate& candidate, Evaluation& evaluation);
  Result<void> Conclude(const Candidate& candidate, const Program& program,
                        Evaluation& evaluation);
  Result<EvaluationSession> RunSession(const Program& program,
                                       const Depth& depth);
  Result<void> ForEachBench(const std::function<Result<void>(CpuBench&)>& work);
  Result<void> Prestart();
  Result<void> HoldAgainstRoofline(Evaluation& evaluation);
  void Observe(Evaluation& evaluation);
  Result<std::string> TellCode(const Candidate& candidate,
                               const Program& program,
                               const Evaluation& evaluation);
  CpuRunnerOptions Options() const;
  Environment Describe() const;

  CpuEvaluatorOptions options_;
  Compiler compiler_;
  std::uint64_t seed_;
  std::uint64_t next_stream_ = 0;
  RandomStream shapes_;                // Seeds of those that nobody is shown.
  const std::vector<int> processors_;  // Those that candidates may use.
  ThreadPool pool_;  // Longer than the processes that they have started.
  BackgroundWork side_;
  TimingStability stability_;
  std::unique_ptr<TaskBench> bench_;
  Roofline roof_;
  const Environment environment_;  // Told by the members above.
};

CpuRunnerOptions CpuEvaluator::Options() const {
  return {.runner = options_.runner,
          .scratch = compiler_.cache(),
          .environment = {},
          .threads = options_.threads,
          .processors = processors_,
          .timeout_s = options_.call_timeout_s,
          .cancelled = options_.cancelled};
}

Environment CpuEvaluator::Describe() const {
  return {.hardware = ProcessorName(),
          .threads = options_.threads,
          .system = SystemName(),
          .driver = "",
          .facts = ProcessorFacts(
              static_cast<int>(std::thread::hardware_concurrency())),
          .compiler = compiler_.version(),
          .flags = Compiler::Flags(),
          .libraries = {{"glibc", LibraryVersion()}}};
}

Result<std::filesystem::path> CpuEvaluator::CompileTrusted(
    const Task& task, const Solution& solution) {
  const auto broken = [&](const std::string& what) {
    return Fail(Errc::kUsage, task.definition.name + ": solution " +
                                  solution.name + ": " + what);
  };
  if (solution.language != Language::kCpp || solution.sources.size() != 1 ||
      !IsIdentifier(solution.entry_symbol)) {
    return broken("must be one C++ file with an entry symbol");
  }
  TRY(compiled, compiler_.Compile(SourceOf(solution), solution.entry_symbol));
  if (compiled.verdict != Verdict::kPassed) {
    return broken("does not compile: " + compiled.diagnostics);
  }
  return compiled.object;
}

Result<void> CpuEvaluator::Adopt(const Task& task) {
  if (bench_ != nullptr && SameTask(bench_->task, task)) return {};
  bench_.reset();
  if (task.workloads.empty()) {
    return Fail(Errc::kUsage, task.definition.name + ": has no workload");
  }
  auto adopted = std::make_unique<TaskBench>();
  adopted->task = task;
  CpuBenchOptions options{.session = Options(),
                          .candidate = Options(),
                          .root = {{}, task.root.entry_symbol},
                          .oracle = {{}, task.oracle.entry_symbol},
                          .seed = seed_,
                          .stream = next_stream_};
  next_stream_ += task.workloads.size();
  options.candidate.cpu_limit_s = kCandidateCpuSeconds;
  options.candidate.memory_bytes = MemoryFor(task.workloads.size());
  // What candidates derived from the root include is compiled ahead.
  auto precompiled = std::async(std::launch::async, [&] {
    return compiler_.Precompile(SourceOf(task.root));
  });
  auto oracle = std::async(std::launch::async,
                           [&] { return CompileTrusted(task, task.oracle); });
  TRY_ASSIGN(options.root.object, CompileTrusted(task, task.root));
  TRY_ASSIGN(options.oracle.object, oracle.get());
  adopted->options = options;
  adopted->workloads.resize(task.workloads.size());
  const auto open = [&](std::size_t i) -> Result<void> {
    CpuBenchOptions own = options;
    own.stream += i;
    TRY_ASSIGN(adopted->workloads[i],
               CpuBench::Open(std::move(own), adopted->task,
                              adopted->task.workloads[i]));
    return {};
  };
  TRY_DONE(pool_.ForEach(task.workloads.size(), open));
  for (const auto& bench : adopted->workloads) TRY_DONE(bench->EstimateRoot());
  TRY_DONE(precompiled.get());
  adopted->controls.emplace(ControlsOf(compiler_.cache(), ProcessorIdentity(),
                                       options_.threads, adopted->task));
  bench_ = std::move(adopted);
  return {};
}

Result<Evaluation> CpuEvaluator::Evaluate(const Task& task,
                                          const Candidate& candidate,
                                          Tier tier) {
  if (candidate.language != Language::kCpp ||
      !IsIdentifier(candidate.entry_symbol)) {
    return Fail(Errc::kUsage, task.definition.name +
                                  ": a candidate of the CPU evaluator is C++ "
                                  "with an entry symbol");
  }
  TRY_DONE(Adopt(task));
  Evaluation evaluation;
  evaluation.tier = tier;
  evaluation.environment = environment_;
  Depth depth = DepthOf(tier);
  const bool is_sanitized = options_.onlookers == Onlookers::kSanitizers;
  const bool is_timed = !is_sanitized && !options_.checks_only;
  if (!is_timed) depth.timing.reset();

  auto start = Clock::now();
  const auto lap = [&start] {
    const auto begun = std::exchange(start, Clock::now());
    return Seconds(start - begun);
  };
  TRY_DONE(Prestart());  // They start while the compiler works.
  TRY(compiled, compiler_.Compile(candidate.source, candidate.entry_symbol,
                                  Purposed::kSpeed, candidate.libraries));
  evaluation.compile_s = lap();
  if (compiled.verdict != Verdict::kPassed) {
    evaluation.verdict = compiled.verdict;
    evaluation.log = std::move(compiled.diagnostics);
    return evaluation;
  }
  const Program program{compiled.object, candidate.entry_symbol};
  TRY(first, RunSession(program, depth));
  if (is_sanitized) {
    Enter(first, 0, evaluation);
    if (first.verdict == Verdict::kPassed) {
      TRY_DONE(Sanitize(candidate, evaluation));
    }
    return evaluation;
  }
  if (!is_timed) {
    Enter(first, 0, evaluation);
    TRY_DONE(Prestart());  // As below.
    return evaluation;
  }
  if (tier == Tier::kFull && first.verdict == Verdict::kPassed) {
    TRY_DONE(Prove(candidate, program, depth, std::move(first), evaluation));
  } else {
    Enter(first, 0, evaluation);
  }
  TRY_DONE(Conclude(candidate, program, evaluation));
  TRY_DONE(Prestart());  // The next candidate's, while it is thought of.
  return evaluation;
}

// What is told of a candidate that was timed, if it passed.
Result<void> CpuEvaluator::Conclude(const Candidate& candidate,
                                    const Program& program,
                                    Evaluation& evaluation) {
  if (evaluation.verdict != Verdict::kPassed) return {};
  TRY_DONE(HoldAgainstRoofline(evaluation));
  if (evaluation.verdict != Verdict::kPassed) return {};
  Summarise(evaluation);
  Observe(evaluation);
  if (!options_.tells_code) return {};
  TRY(code, TellCode(candidate, program, evaluation));
  evaluation.profile += code;
  return {};
}

// Objects are found by content: what fails here is tried again in its turn.
void CpuEvaluator::Prepare(const Task& /*task*/, const Candidate& candidate) {
  if (!IsIdentifier(candidate.entry_symbol)) return;
  side_.Do([&] {
    static_cast<void>(compiler_.Compile(candidate.source,
                                        candidate.entry_symbol,
                                        Purposed::kSpeed, candidate.libraries));
  });
}

Result<void> CpuEvaluator::HoldAgainstRoofline(Evaluation& evaluation) {
  for (std::size_t i = 0; i < evaluation.workloads.size(); ++i) {
    WorkloadResult& result = evaluation.workloads[i];
    const CpuBench& bench = *bench_->workloads[i];
    result.floor_s = FloorSeconds(roof_, bench.work());
    if (!IsBelowFloor(result)) continue;
    // The roof itself may have been measured at a bad moment.
    TRY_ASSIGN(roof_, RaiseRoofline(compiler_, options_.threads));
    result.floor_s = FloorSeconds(roof_, bench.work());
    if (!IsBelowFloor(result)) continue;
    evaluation.verdict = Verdict::kInconclusive;
    evaluation.log += Prefix(bench.workload()) + CondemnBelowFloor(result);
  }
  return {};
}

// What is known of a candidate that has passed, and the same in words.
void CpuEvaluator::Observe(Evaluation& evaluation) {
  std::vector<Profile> profiles;
  for (std::size_t i = 0; i < evaluation.workloads.size(); ++i) {
    WorkloadResult& result = evaluation.workloads[i];
    const CpuBench& bench = *bench_->workloads[i];
    Profile profile = ProfileOf(roof_, bench.work(), Median(result.samples_s));
    profile.shape = ShapeText(bench.workload());
    if (result.profile) profile.counters = result.profile->counters;
    if (!HasHardwareCounters()) {
      profile.note = "This system gives no hardware counters.";
    }
    profiles.push_back(profile);
    result.profile = std::move(profile);
  }
  evaluation.profile = Digest(profiles);
}

// Goes after a digest (store/records/profile.h).
Result<std::string> CpuEvaluator::TellCode(const Candidate& candidate,
                                           const Program& program,
                                           const Evaluation& evaluation) {
  const std::string loops = TellLoops(Compiler::LoopRemarks(program.object),
                                      candidate.source, kMostOfRemarks);
  TRY(code, compiler_.Disassemble(program.object));
  const auto longest = std::ranges::max_element(
      evaluation.workloads, {},
      [](const WorkloadResult& result) { return Median(result.samples_s); });
  CpuBench& bench = *bench_->workloads[static_cast<std::size_t>(
      longest - evaluation.workloads.begin())];
  TRY(samples,
      SampleCalls(bench, bench_->options.candidate, program,
                  evaluation.tier == Tier::kFast ? kSampledS : 3 * kSampledS));
  const std::string loop = TellLoop(code, samples, kMostOfALoop);
  if (loops.empty() && loop.empty()) return "";
  return "\n\n" + (loops.empty() ? "" : "Of its loops g++ says:\n" + loops) +
         loop;
}

Result<void> CpuEvaluator::ForEachBench(
    const std::function<Result<void>(CpuBench&)>& work) {
  return pool_.ForEach(bench_->workloads.size(), [&](std::size_t i) {
    return work(*bench_->workloads[i]);
  });
}

Result<void> CpuEvaluator::Prestart() {
  return ForEachBench([](CpuBench& bench) { return bench.Prestart(1); });
}

Result<EvaluationSession> CpuEvaluator::RunSession(const Program& program,
                                                   const Depth& depth) {
  TRY(session, eval::RunSession(bench_->workloads, program, depth, pool_, side_,
                                stability_, options_.cancelled));
  TRY_DONE(bench_->controls->Enter(session.workloads));
  return session;
}

// What the full tier asks beside a first session that passed.
Result<void> CpuEvaluator::Prove(const Candidate& candidate,
                                 const Program& program, const Depth& depth,
                                 EvaluationSession first,
                                 Evaluation& evaluation) {
  Enter(first, 0, evaluation);
  TRY_DONE(CheckOtherShapes(program, evaluation));
  if (evaluation.verdict != Verdict::kPassed) return {};
  TRY_DONE(Sanitize(candidate, evaluation));
  if (evaluation.verdict != Verdict::kPassed) return {};
  Depth again = depth;
  again.plain = kFewCalls;  // It has passed more.
  again.adversarial = kFewKinds;
  again.repeat = false;
  const auto run_again = [&]() -> Result<EvaluationSession> {
    TRY_DONE(ForEachBench([](CpuBench& bench) { return bench.Reseed(); }));
    return RunSession(program, again);
  };
  return RepeatUntilTwoAgree(std::move(first), run_again, evaluation);
}

Result<void> CpuEvaluator::CheckOtherShapes(const Program& program,
                                            Evaluation& evaluation) {
  const auto start = Clock::now();
  const std::uint64_t seed = options_.shapes_seed.value_or(DrawSeed(shapes_));
  std::mutex turn;  // Threads that spin would wait for each other's processor.
  const auto check = [&](const Workload& workload, std::uint64_t inputs_seed) {
    CpuBenchOptions options = bench_->options;
    options.seed = inputs_seed;
    options.stream = 0;  // All that the candidate meets is the seed's.
    options.pool_s = 0.0;
    options.candidate.memory_bytes =
        std::min(options.candidate.memory_bytes, MemoryFor(kOtherShapes));
    return CheckOnShape(bench_->task, workload, options, program, turn);
  };
  std::vector<OtherShape> shapes(kOtherShapes);
  TRY_DONE(pool_.ForEach(shapes.size(), [&](std::size_t i) -> Result<void> {
    TRY_ASSIGN(shapes[i],
               CheckOtherShape(bench_->task, seed, static_cast<int>(i), check));
    return {};
  }));
  evaluation.check_s += Seconds(Clock::now() - start);
  Enter(shapes, evaluation);
  return {};
}

// A few calls on the smallest workload, compiled with the address and the
// undefined-behaviour sanitizer.
Result<void> CpuEvaluator::Sanitize(const Candidate& candidate,
                                    Evaluation& evaluation) {
  auto start = Clock::now();
  TRY(compiled, compiler_.Compile(candidate.source, candidate.entry_symbol,
                                  Purposed::kSanitizers, candidate.libraries));
  const auto begun = std::exchange(start, Clock::now());
  evaluation.compile_s += Seconds(start - begun);
  if (compiled.verdict != Verdict::kPassed) {
    evaluation.log += std::string(kNotSanitized) +
                      "it cannot be compiled for the sanitizers\n";
    return {};
  }
  CpuBench& bench = **std::ranges::min_element(
      bench_->workloads, {}, [](const auto& each) { return BytesOf(*each); });
  CpuRunnerOptions options = Options();
  options.cpu_limit_s = kCandidateCpuSeconds;
  options.timeout_s *= kSanitizerSlowdown;
  options.libraries = Libraries::kAll;
  options.memory_bytes = 0;  // Their shadow takes terabytes of addresses.
  options.environment = {
      {"LD_PRELOAD", SanitizerRunTime(ReadWhole(compiled.object).value_or(""))},
      {"ASAN_OPTIONS", "detect_leaks=0:max_allocation_size_mb=4096"}};
  CpuChannel channel(bench,
                     {.program = {compiled.object, candidate.entry_symbol},
                      .session = std::move(options)});
  Measurement measurement(
      channel, {.workload = bench.workload().uuid, .seed = bench.Secret()});
  TRY_DONE(measurement.Load());
  TRY_DONE(measurement.Check({.plain = kSanitizedCalls}));
  evaluation.check_s += Seconds(Clock::now() - start);
  const Verdict verdict = measurement.result().verdict;
  if (verdict == Verdict::kTimedOut) {
    evaluation.log +=
        std::string(kNotSanitized) + "it takes too long under the sanitizers\n";
  } else if (verdict != Verdict::kPassed) {
    evaluation.verdict = verdict;
    evaluation.breach = measurement.result().breach;
    evaluation.log = Prefix(bench.workload()) +
                     "under the sanitizers: " + measurement.log() + "\n" +
                     Quote(WithoutWarnings(channel.Output()));
    for (WorkloadResult& result : evaluation.workloads) {
      if (result.workload == bench.workload().uuid) {
        result = measurement.result();
      }
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Evaluator>> MakeCpuEvaluator(
    CpuEvaluatorOptions options) {
  if (options.threads < 1) {
    return Fail(Errc::kUsage, "threads: must be at least 1");
  }
  if (!std::filesystem::is_regular_file(options.runner)) {
    return Fail(Errc::kUnavailable,
                options.runner.string() + ": coppice-runner: not found");
  }
  options.runner = std::filesystem::absolute(options.runner);
  TRY_DONE(CheckAddressSpace());
  TRY_DONE(ProbeSandbox());
  TRY(compiler,
      Compiler::Find(options.cache_directory, options.compile_timeout_s,
                     options.cancelled, options.cache_bytes));
  TRY(seed, SecretSeed(options.input_seed));
  TRY(roof, FindRoofline(compiler, options.threads));
  return std::make_unique<CpuEvaluator>(std::move(options), std::move(compiler),
                                        seed, std::move(roof));
}

}  // namespace coppice::eval
