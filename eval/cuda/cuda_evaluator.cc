#include <sys/random.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <future>
#include <limits>
#include <thread>

#include "eval/cuda/cubin.h"
#include "eval/cuda/examination.h"
#include "eval/cuda/helpers.h"
#include "eval/cuda/host_clock.h"
#include "eval/cuda/launch_check.h"
#include "eval/cuda/launch_plan.h"
#include "eval/cuda/linkage.h"
#include "eval/cuda/nsight.h"
#include "eval/cuda/nvml.h"
#include "eval/cuda/profiling.h"
#include "eval/cuda/toolchain.h"
#include "eval/cuda/tracing.h"
#include "eval/cuda/trial.h"
#include "eval/evaluator.h"
#include "eval/machine.h"
#include "eval/same_task.h"
#include "eval/sitting.h"

namespace coppice::eval::cuda {
namespace {

constexpr double kCalibrationSeconds = 60.0;
constexpr int kMostSittings = 3;
constexpr double kNsightSeconds = 60.0;
constexpr int kMostStarts = 4;
constexpr double kRestartSeconds = 0.5;
constexpr int kAdversarialAhead = 2;  // Kinds that the first candidate meets.

struct CudaDepth {
  int plain;                // Calls per workload, before timing,
  std::size_t adversarial;  // and on so many other distributions.
  TimingBudget timing;
};

CudaDepth DepthFor(Tier tier) {
  if (tier == Tier::kFast) return {5, 2, {10, 60, 0.15, 0.0015, 0.0}};
  return {
      20, std::numeric_limits<std::size_t>::max(), {15, 200, 0.5, 0.0007, 0.0}};
}

// Code as a task's workloads run it: one assignment each.
struct Prepared {
  Verdict verdict = Verdict::kPassed;
  std::string diagnostics;
  std::vector<Assignment> assignments;
  std::filesystem::path libraries;  // Where to find CUDA's; empty: none.
};

// Everything that is kept for the task that was evaluated last.
struct Adopted {
  Task task;
  TrustedRunners runners;
  std::vector<std::unique_ptr<Bench>> benches;
  std::vector<Assignment> roots;
  std::vector<Assignment> oracles;
  // Since the first shared object came.
  std::vector<std::unique_ptr<HostClock>> clocks;
  std::unique_ptr<Examination> examination;  // Once it is needed.
};

class CudaEvaluator : public Evaluator {
 public:
  CudaEvaluator(CudaEvaluatorOptions options, Toolchain toolchain,
                std::unique_ptr<Nvml> nvml, std::filesystem::path driver,
                std::uint64_t seed)
      : options_(std::move(options)),
        toolchain_(std::move(toolchain)),
        nvml_(std::move(nvml)),
        driver_(std::move(driver)),
        seed_(seed) {}

  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override;

 private:
  using Runner = std::shared_ptr<RunnerProcess>;

  Result<void> FindHelpers();
  Result<Runner> StartRunner(const std::filesystem::path& libraries = {});
  Result<Runner> TakeRunner(const std::filesystem::path& libraries);
  Result<Prepared> Prepare(const Task& task, const Candidate& candidate,
                           Role role);
  Result<std::vector<Assignment>> PrepareTrusted(const Task& task,
                                                 const Solution& solution,
                                                 Role role);
  Result<void> Adopt(const Task& task);
  Result<void> Calibrate();
  Result<Sitting> Sit(const Prepared& prepared, const CudaDepth& depth);
  Result<void> OpenClocks();
  std::uint32_t ClockNumber(std::size_t workload) const;
  Result<void> TimeHost(const Prepared& prepared, const Runner& runner,
                        std::size_t workload, Trial& trial);
  Result<void> CheckDevice();
  Result<void> CountOn(std::size_t i, const Prepared& prepared, Traced& traced);
  Result<void> Examine(const Prepared& prepared, Evaluation& evaluation);
  RunnerOptions Runners(const std::filesystem::path& libraries) const;
  Result<void> Observe(const Prepared& prepared, Evaluation& evaluation);
  Environment Describe() const;

  CudaEvaluatorOptions options_;
  Toolchain toolchain_;
  std::unique_ptr<Nvml> nvml_;
  std::filesystem::path driver_;
  std::uint64_t seed_;
  std::uint64_t next_stream_ = 0;
  std::filesystem::path helpers_;
  std::optional<Abilities> abilities_;
  Runner next_;  // For the candidate to come.
  std::unique_ptr<Adopted> adopted_;
  std::string nsight_fails_;  // Then it is not asked again.
};

Result<void> CudaEvaluator::FindHelpers() {
  if (!helpers_.empty()) return {};
  TRY(compiled, toolchain_.Cubin(HelpersSource()));
  if (compiled.verdict != Verdict::kPassed) {
    return Fail(Errc::kUnavailable,
                "CUDA: the evaluator's own kernels do not compile: " +
                    compiled.diagnostics);
  }
  helpers_ = compiled.object;
  return {};
}

RunnerOptions CudaEvaluator::Runners(
    const std::filesystem::path& libraries) const {
  return {.runner = options_.runner,
          .helpers = helpers_,
          .driver = driver_,
          .libraries = libraries,
          .device = nvml_->identity(),
          .cancelled = options_.cancelled};
}

Result<CudaEvaluator::Runner> CudaEvaluator::StartRunner(
    const std::filesystem::path& libraries) {
  TRY(started, RunnerProcess::Start(Runners(libraries)));
  return Runner(std::move(started));
}

Result<CudaEvaluator::Runner> CudaEvaluator::TakeRunner(
    const std::filesystem::path& libraries) {
  Runner runner = libraries.empty() ? std::exchange(next_, nullptr) : Runner();
  for (int start = 1;; ++start) {
    if (runner == nullptr) {
      TRY(started, StartRunner(libraries));
      runner = std::move(started);
    }
    const auto ready = runner->Ready();
    if (ready) return runner;
    const bool final =
        start == kMostStarts || ready.error().code == Errc::kCancelled;
    if (final) return tl::unexpected(ready.error());
    // The driver may still be taking memory back that the one before had taken
    // all of.
    runner.reset();
    std::this_thread::sleep_for(std::chrono::duration<double>(kRestartSeconds));
  }
}

// What is wrong with it, before any device sees it.  Empty if nothing is.
// `plans`: one for each workload, or none for a shared object, which may need
// `libraries`.
Result<std::string> CheckCompiled(const Task& task,
                                  const std::filesystem::path& object,
                                  const std::vector<EvaluatedPlan>& plans,
                                  const std::vector<std::string>& libraries) {
  std::ifstream file(object, std::ios::binary);
  const std::string code{std::istreambuf_iterator<char>(file), {}};
  if (!file) return Fail(Errc::kIo, object.string() + ": cannot be read");
  if (plans.empty()) return CheckLinkage(code, libraries);
  const auto kernels = ReadCubin(code);
  // What a later compiler makes is left to the driver to judge.
  if (!kernels) return std::string();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    TRY(shapes, Resolve(task.definition, task.workloads[i]));
    std::string wrong = CheckLaunches(plans[i].assignment, shapes, *kernels);
    if (!wrong.empty()) return wrong;
  }
  return std::string();
}

Result<Prepared> CudaEvaluator::Prepare(const Task& task,
                                        const Candidate& candidate, Role role) {
  const std::string& source = candidate.source;
  Prepared prepared;
  const bool device_only = HasLaunchPlan(source);
  std::vector<EvaluatedPlan> plans;
  for (const Workload& workload : task.workloads) {
    if (!device_only) break;
    plans.push_back(
        EvaluateLaunchPlan(source, task.definition, workload, role));
    if (plans.back().error.empty()) continue;
    prepared.verdict = Verdict::kCompileFailed;
    prepared.diagnostics = plans.back().error;
    return prepared;
  }
  TRY(compiled, device_only
                    ? toolchain_.Cubin(source)
                    : toolchain_.SharedObject(source, candidate.libraries));
  if (!candidate.libraries.empty()) {
    prepared.libraries = toolchain_.LibraryFolder();
  }
  prepared.verdict = compiled.verdict;
  prepared.diagnostics = std::move(compiled.diagnostics);
  if (prepared.verdict != Verdict::kPassed) return prepared;
  TRY(wrong, CheckCompiled(task, compiled.object, plans, candidate.libraries));
  if (!wrong.empty()) {
    prepared.verdict = Verdict::kCompileFailed;
    prepared.diagnostics += wrong;
    return prepared;
  }
  for (std::size_t i = 0; i < task.workloads.size(); ++i) {
    if (device_only) {
      plans[i].assignment.code = compiled.object;
      prepared.assignments.push_back(std::move(plans[i].assignment));
    } else {
      TRY(shapes, Resolve(task.definition, task.workloads[i]));
      prepared.assignments.push_back(
          CallEntry(compiled.object, candidate.entry_symbol, shapes));
    }
  }
  return prepared;
}

Result<std::vector<Assignment>> CudaEvaluator::PrepareTrusted(
    const Task& task, const Solution& solution, Role role) {
  const auto broken = [&](const std::string& what) {
    return Fail(Errc::kUsage, task.definition.name + ": solution " +
                                  solution.name + ": " + what);
  };
  const std::string& source = SourceOf(solution);
  if (solution.language != Language::kCuda || !HasLaunchPlan(source)) {
    return broken("must be one CUDA file with a launch plan");
  }
  TRY(prepared,
      Prepare(task, {Language::kCuda, source, solution.entry_symbol}, role));
  if (prepared.verdict != Verdict::kPassed) {
    return broken("does not compile: " + prepared.diagnostics);
  }
  return std::move(prepared.assignments);
}

Result<void> CudaEvaluator::Adopt(const Task& task) {
  if (adopted_ != nullptr && SameTask(adopted_->task, task)) return {};
  adopted_.reset();
  if (task.workloads.empty()) {
    return Fail(Errc::kUsage, task.definition.name + ": has no workload");
  }
  TRY_DONE(FindHelpers());
  auto adopted = std::make_unique<Adopted>();
  adopted->task = task;
  std::vector<std::unique_ptr<AdversarialInputs>> adversarial;
  for (const Workload& workload : adopted->task.workloads) {
    RandomStream stream(seed_, Purpose::kInputs, ~next_stream_++);
    TRY(inputs,
        AdversarialInputs::Make(adopted->task, workload, stream.NextU64()));
    for (int i = 0; i < kAdversarialAhead; ++i) inputs->BeginAnother();
    adversarial.push_back(std::move(inputs));
  }
  // All three make their contexts while the compiler works.
  TRY(keeper, StartRunner());
  TRY(root_runner, StartRunner());
  if (next_ == nullptr) {
    TRY(next, StartRunner());
    next_ = std::move(next);
  }
  auto oracles = std::async(std::launch::async, [&] {
    return PrepareTrusted(task, task.oracle, Role::kOracle);
  });
  TRY(roots, PrepareTrusted(task, task.root, Role::kKernel));
  TRY(oracle_assignments, oracles.get());
  TRY_DONE(keeper->Ready());
  TRY_DONE(root_runner->Ready());
  adopted->runners = {keeper, root_runner};
  for (std::size_t i = 0; i < task.workloads.size(); ++i) {
    BenchOptions options{.root = roots[i],
                         .oracle = oracle_assignments[i],
                         .number = static_cast<std::uint32_t>(i),
                         .seed = seed_,
                         .stream = next_stream_++,
                         .adversarial = std::move(adversarial[i])};
    TRY(bench, Bench::Open(adopted->runners, std::move(options), adopted->task,
                           adopted->task.workloads[i]));
    adopted->benches.push_back(std::move(bench));
  }
  adopted->roots = std::move(roots);
  adopted->oracles = std::move(oracle_assignments);
  adopted_ = std::move(adopted);
  return Calibrate();
}

// Once: a device does not change.
Result<void> CudaEvaluator::Calibrate() {
  if (abilities_) return {};
  TRY(lock,
      MeasurementLock::Acquire(options_.cancelled, nvml_->identity().uuid));
  Request request{};
  request.kind = RequestKind::kCalibrate;
  TRY(answer, adopted_->runners.keeper->Ask(request, kCalibrationSeconds));
  if (answer.verdict != Verdict::kPassed) {
    return Fail(Errc::kUnavailable, "CUDA: calibration: " + answer.log);
  }
  abilities_ = answer.reply.abilities;
  return {};
}

Environment CudaEvaluator::Describe() const {
  Environment environment{.hardware = nvml_->identity().name,
                          .threads = 1,
                          .system = SystemName(),
                          .driver = nvml_->identity().driver_version,
                          .compiler = toolchain_.version(),
                          .flags = toolchain_.Flags(),
                          .libraries = {{"glibc", LibraryVersion()}}};
  return environment;
}

// Device code has no host code to mistrust, and an expert is trusted.
bool HasUntrustedHostCode(const Prepared& prepared) {
  return prepared.libraries.empty() &&
         prepared.assignments.front().part == Part::kSharedObject;
}

// Before the first candidate that they are for runs, which might leave them no
// memory.
Result<void> CudaEvaluator::OpenClocks() {
  while (adopted_->clocks.size() < adopted_->benches.size()) {
    const std::size_t workload = adopted_->clocks.size();
    TRY(clock, HostClock::Open(adopted_->runners,
                               {.root = adopted_->roots[workload],
                                .oracle = adopted_->oracles[workload],
                                .number = ClockNumber(workload),
                                .seed = seed_,
                                .stream = next_stream_++,
                                .adversarial = nullptr},
                               *adopted_->benches[workload],
                               abilities_->memory_bytes));
    adopted_->clocks.push_back(std::move(clock));
  }
  return {};
}

// Runners are opened for all workloads first, then for their clocks.
std::uint32_t CudaEvaluator::ClockNumber(std::size_t workload) const {
  return static_cast<std::uint32_t>(adopted_->task.workloads.size() + workload);
}

// REQUIRES: that of all workloads before, and no other, was timed.
Result<void> CudaEvaluator::TimeHost(const Prepared& prepared,
                                     const Runner& runner, std::size_t workload,
                                     Trial& trial) {
  if (!trial.Passing() || !HasUntrustedHostCode(prepared)) return {};
  TRY(told, adopted_->clocks[workload]->Time(
                runner, ClockNumber(workload), prepared.assignments[workload],
                Median(trial.result().samples_s), options_.call_timeout_s));
  if (told.verdict != Verdict::kPassed) {
    trial.Fail(told.verdict, told.log);
  } else {
    trial.Charge(told.call_s);
  }
  return {};
}

// A candidate on every workload: checked on all, then timed on all.
Result<Sitting> CudaEvaluator::Sit(const Prepared& prepared,
                                   const CudaDepth& depth) {
  Sitting sitting;
  const auto start = Clock::now();
  if (HasUntrustedHostCode(prepared)) TRY_DONE(OpenClocks());
  TRY(runner, TakeRunner(prepared.libraries));
  std::vector<std::unique_ptr<Trial>> trials;
  const auto enter = [&](std::size_t i) {
    const Trial& trial = *trials[i];
    sitting.workloads[i] = trial.result();
    const Verdict verdict = trial.result().verdict;
    if (trial.log().empty()) return;
    sitting.verdict = verdict;
    sitting.log +=
        Prefix(adopted_->benches[i]->workload()) + trial.log() + "\n";
    if (verdict != Verdict::kPassed) sitting.log += Quote(runner->Output());
  };
  for (const auto& bench : adopted_->benches) {
    sitting.workloads.emplace_back().workload = bench->workload().uuid;
  }
  for (std::size_t i = 0; i < adopted_->benches.size(); ++i) {
    trials.push_back(std::make_unique<Trial>(*adopted_->benches[i], *abilities_,
                                             options_.call_timeout_s));
    Trial& trial = *trials.back();
    TRY_DONE(trial.Open(runner, static_cast<std::uint32_t>(i),
                        prepared.assignments[i]));
    TRY_DONE(trial.Check(depth.plain, depth.adversarial));
    enter(i);
    if (!trial.Passing()) break;
  }
  const auto checked = Clock::now();
  sitting.check_s = Seconds(checked - start);
  if (sitting.verdict == Verdict::kPassed) {
    TRY(lock,
        MeasurementLock::Acquire(options_.cancelled, nvml_->identity().uuid));
    for (std::size_t i = 0; i < trials.size(); ++i) {
      TRY_DONE(trials[i]->Time(depth.timing));
      TRY_DONE(TimeHost(prepared, runner, i, *trials[i]));
      // Of a single one its time is known.
      if (trials[i]->Passing() && prepared.assignments[i].launches.size() > 1) {
        TRY_DONE(trials[i]->Observe());
      }
      enter(i);
      sitting.workloads[i].temperature_c =
          static_cast<double>(nvml_->State().celsius);
      if (!trials[i]->Passing()) break;
    }
    sitting.timing_s = Seconds(Clock::now() - checked);
  }
  trials.clear();
  runner.reset();  // Its processes are gone before anybody hears of it.
  if (sitting.verdict == Verdict::kCrashed ||
      sitting.verdict == Verdict::kTimedOut ||
      sitting.verdict == Verdict::kRejected) {
    TRY_DONE(CheckDevice());
  }
  return sitting;
}

// That a fault has left the device, and the trusted processes on it, whole.
Result<void> CudaEvaluator::CheckDevice() {
  for (const auto& bench : adopted_->benches) {
    auto healthy = bench->CheckHealth();
    if (healthy) continue;
    if (healthy.error().code == Errc::kCancelled) return healthy;
    adopted_.reset();  // The next candidate gets new ones.
    next_.reset();
    return Fail(Errc::kUnavailable,
                "CUDA: the device does not compute after "
                "a candidate's fault: " +
                    healthy.error().what);
  }
  return {};
}

// Of the timed calls together.
double DeviceSeconds(const Evaluation& evaluation) {
  double seconds = 0.0;
  for (const WorkloadResult& result : evaluation.workloads) {
    for (std::size_t i = 0; i < result.samples_s.size(); ++i) {
      seconds +=
          result.samples_s[i] * static_cast<double>(result.readings[i].calls);
    }
  }
  return seconds;
}

// What a library of CUDA's does in an expert's name is not held against it.
Result<void> CudaEvaluator::Examine(const Prepared& prepared,
                                    Evaluation& evaluation) {
  if (!prepared.libraries.empty()) return {};
  if (adopted_->examination == nullptr) {
    TRY(made, Examination::Make({.runner = Runners({}),
                                 .toolkit = toolchain_.folder(),
                                 .seed = seed_},
                                adopted_->task, adopted_->roots));
    adopted_->examination = std::move(made);
  }
  TRY(report, adopted_->examination->Examine(prepared.assignments));
  const std::size_t i = adopted_->examination->workload();
  evaluation.log += Prefix(adopted_->task.workloads[i]) + report.log;
  if (report.verdict == Verdict::kPassed) return {};
  evaluation.verdict = report.verdict;
  evaluation.workloads[i].verdict = report.verdict;
  return {};
}

std::size_t LongestOf(const Evaluation& evaluation) {
  const auto longest = std::ranges::max_element(
      evaluation.workloads, {},
      [](const WorkloadResult& result) { return Median(result.samples_s); });
  return static_cast<std::size_t>(longest - evaluation.workloads.begin());
}

// Counters of the workload that the digest tells of.
Result<void> CudaEvaluator::CountOn(std::size_t i, const Prepared& prepared,
                                    Traced& traced) {
  Counted counted{.kernels = {}, .note = nsight_fails_};
  if (nsight_fails_.empty()) {
    const Shapes& shapes = adopted_->benches[i]->shapes();
    TRY(inputs, RehearsalInputs(shapes, adopted_->task.workloads[i], seed_));
    const Assignment& assignment = prepared.assignments[i];
    TRY(asked,
        Count(Runners(prepared.libraries), FindNsight(toolchain_.folder()),
              {assignment, shapes, inputs}, kNsightSeconds));
    counted = std::move(asked);
    // Device code has no part in that; host code could have.
    if (assignment.part == Part::kDeviceCode) nsight_fails_ = counted.note;
  }
  traced.counted = std::move(counted.kernels);
  traced.counted_workload = i;
  if (!traced.note.empty() && !counted.note.empty()) traced.note += " ";
  traced.note += counted.note;
  return {};
}

// Of a candidate that has passed; in the full tier with all means.
Result<void> CudaEvaluator::Observe(const Prepared& prepared,
                                    Evaluation& evaluation) {
  Traced traced;
  if (evaluation.tier == Tier::kFull) {
    RunnerOptions options = Runners(prepared.libraries);
    options.profiler = FindCupti(toolchain_.folder());
    TRY(found, Trace(options, adopted_->benches, prepared.assignments,
                     options_.call_timeout_s));
    traced = std::move(found);
    TRY_DONE(CountOn(LongestOf(evaluation), prepared, traced));
    if (traced.has_failed) TRY_DONE(CheckDevice());
  }
  return FillProfiles(adopted_->benches, prepared.assignments, *abilities_,
                      traced, evaluation);
}

Result<Evaluation> CudaEvaluator::Evaluate(const Task& task,
                                           const Candidate& candidate,
                                           Tier tier) {
  if (candidate.language != Language::kCuda ||
      !IsIdentifier(candidate.entry_symbol)) {
    return Fail(Errc::kUsage, task.definition.name +
                                  ": a candidate of the CUDA evaluator is "
                                  "CUDA C++ with an entry symbol");
  }
  TRY_DONE(FindHelpers());
  Evaluation evaluation;
  evaluation.tier = tier;
  evaluation.environment = Describe();
  const auto start = Clock::now();
  // Both at a time, when the task is new.
  auto compiling = std::async(std::launch::async, [&] {
    return Prepare(task, candidate, Role::kKernel);
  });
  const auto adopted = Adopt(task);
  TRY(prepared, compiling.get());
  TRY_DONE(adopted);
  evaluation.compile_s = Seconds(Clock::now() - start);
  if (prepared.verdict != Verdict::kPassed) {
    evaluation.verdict = prepared.verdict;
    evaluation.log = std::move(prepared.diagnostics);
    return evaluation;
  }
  const int most = tier == Tier::kFull ? kMostSittings : 1;
  std::vector<Sitting> sittings;
  bool agreed = tier == Tier::kFast;
  for (int number = 0; number < most; ++number) {
    auto sat = Sit(prepared, DepthFor(tier));
    if (!sat) {
      adopted_.reset();  // Its processes may be what failed.
      return tl::unexpected(sat.error());
    }
    Sitting& sitting = *sat;
    Enter(sitting, number, evaluation);
    // The next one's, while this one's result is thought about.
    for (const auto& bench : adopted_->benches) {
      bench->adversarial().BeginAnother();
    }
    if (next_ == nullptr) {
      TRY(next, StartRunner());
      next_ = std::move(next);
    }
    if (sitting.verdict != Verdict::kPassed) return evaluation;
    agreed = agreed || std::ranges::any_of(sittings, [&](const auto& before) {
               return Agree(before, sitting);
             });
    if (agreed) break;
    sittings.push_back(std::move(sitting));
  }
  if (agreed && tier == Tier::kFull) {
    TRY_DONE(Examine(prepared, evaluation));
    if (evaluation.verdict != Verdict::kPassed) return evaluation;
  }
  if (agreed) {
    evaluation.device_s = DeviceSeconds(evaluation);
    Summarise(evaluation);
    TRY_DONE(Observe(prepared, evaluation));
  } else {
    evaluation.verdict = Verdict::kInconclusive;
    evaluation.log +=
        "no two of three sessions agree on how fast it is: cannot tell\n";
  }
  return evaluation;
}

}  // namespace
}  // namespace coppice::eval::cuda

namespace coppice::eval {

Result<std::unique_ptr<Evaluator>> MakeCudaEvaluator(
    CudaEvaluatorOptions options) {
  TRY(nvml, cuda::Nvml::Open(options.device));
  TRY(driver, cuda::FindDriver());
  if (!std::filesystem::is_regular_file(options.runner)) {
    return Fail(Errc::kUnavailable,
                options.runner.string() + ": coppice-cuda-runner: not found");
  }
  options.runner = std::filesystem::absolute(options.runner);
  TRY_DONE(ProbeSandbox());
  TRY(toolchain,
      cuda::Toolchain::Find({.cache_directory = options.cache_directory,
                             .cache_bytes = options.cache_bytes,
                             .nvrtc = options.nvrtc,
                             .compute_major = nvml->identity().compute_major,
                             .compute_minor = nvml->identity().compute_minor,
                             .timeout_s = options.compile_timeout_s,
                             .cancelled = options.cancelled}));
  std::uint64_t seed = options.input_seed.value_or(0);
  if (!options.input_seed && getrandom(&seed, sizeof seed, 0) != sizeof seed) {
    return Fail(Errc::kUnavailable, "getrandom: no random numbers");
  }
  return std::make_unique<cuda::CudaEvaluator>(
      std::move(options), std::move(toolchain), std::move(nvml),
      std::move(driver), seed);
}

}  // namespace coppice::eval
