// The evaluator of CUDA candidates: what it keeps between them, and the order
// of things.
#include <algorithm>
#include <future>
#include <optional>
#include <utility>

#include "eval/cuda/adversarial.h"
#include "eval/cuda/cuda_session.h"
#include "eval/cuda/device_facts.h"
#include "eval/cuda/full_tier.h"
#include "eval/cuda/helpers.h"
#include "eval/cuda/launch_plan.h"
#include "eval/cuda/loaded_task.h"
#include "eval/cuda/preparation.h"
#include "eval/cuda/profiling.h"
#include "eval/cuda/runner_pool.h"
#include "eval/cuda/sanitizer_output.h"
#include "eval/cuda/shape_check.h"
#include "eval/cuda/toolchain.h"
#include "eval/host/background_work.h"
#include "eval/host/machine.h"
#include "eval/host/nvml.h"
#include "eval/host/secret_seed.h"
#include "eval/host/thread_pool.h"
#include "eval/host/timing_stability.h"
#include "eval/judge/control_candidates.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/judge/other_shapes.h"
#include "eval/judge/same_task.h"
#include "store/records/candidate.h"
#include "store/records/tier.h"

namespace coppice::eval::cuda {
namespace {

constexpr double kCalibrationSeconds = 60.0;

// Processors, beside one, that are left to what is measured while candidates
// are compiled ahead: a host clock polls on one, host code runs on another.
constexpr std::size_t kSpared = 2;

class CudaEvaluator : public Evaluator {
 public:
  CudaEvaluator(CudaEvaluatorOptions options, Toolchain toolchain,
                std::unique_ptr<Nvml> nvml, std::filesystem::path driver,
                std::uint64_t seed)
      : options_(std::move(options)),
        toolchain_(std::move(toolchain)),
        nvml_(std::move(nvml)),
        driver_(std::move(driver)),
        inputs_{.seed = seed},
        shapes_(seed, Purpose::kShapes, 0),
        side_(OtherProcessors() > kSpared ? OtherProcessors() - kSpared : 1),
        stability_(MachineLoad(options_.quiet)),
        proof_({.toolkit = toolchain_.folder(),
                .seed = seed,
                .call_timeout_s = options_.call_timeout_s}) {}

  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override;
  void Prepare(const Task& task, const Candidate& candidate) override;

 private:
  Result<void> FindHelpers();
  Result<void> Adopt(const Task& task);
  Result<void> Calibrate();
  Result<EvaluationSession> BeginSession(const Prepared& prepared, Tier tier);
  Result<void> CheckDevice();
  Result<void> Examine(const Prepared& prepared, const Candidate& candidate,
                       Evaluation& evaluation);
  Result<void> Observe(const Prepared& prepared, Evaluation& evaluation);
  Environment Describe() const;
  bool IsForSanitizers() const {
    return options_.onlookers == Onlookers::kSanitizers;
  }
  bool IsTimed() const { return !IsForSanitizers() && !options_.checks_only; }

  CudaEvaluatorOptions options_;
  Toolchain toolchain_;
  std::unique_ptr<Nvml> nvml_;
  std::filesystem::path driver_;
  InputSource inputs_;
  RandomStream shapes_;  // Seeds of those that nobody is shown.
  BackgroundWork side_;
  TimingStability stability_;
  FullTier proof_;
  std::optional<Abilities> abilities_;
  std::optional<RunnerPool> runners_;  // Once our own kernels are compiled.
  std::unique_ptr<LoadedTask> loaded_task_;
  std::optional<ControlCandidates> controls_;  // For its task.
};

Result<void> CudaEvaluator::FindHelpers() {
  if (runners_) return {};
  TRY(compiled, toolchain_.Cubin(HelpersSource()));
  if (compiled.verdict != Verdict::kPassed) {
    return Fail(Errc::kUnavailable,
                "CUDA: the evaluator's own kernels do not compile: " +
                    compiled.diagnostics);
  }
  runners_.emplace(RunnerOptions{.runner = options_.runner,
                                 .helpers = compiled.object,
                                 .driver = driver_,
                                 .libraries = {},
                                 .device = nvml_->identity(),
                                 .cancelled = options_.cancelled});
  return {};
}

Result<void> CudaEvaluator::Adopt(const Task& task) {
  if (loaded_task_ != nullptr && SameTask(loaded_task_->task, task)) return {};
  loaded_task_.reset();
  TRY_ASSIGN(loaded_task_,
             LoadedTask::Make(toolchain_, *runners_, task, inputs_));
  controls_.emplace(ControlsOf(
      options_.cache_directory,
      nvml_->identity().uuid + " driver " + nvml_->identity().driver_version, 1,
      task));
  return Calibrate();
}

// Once: a device does not change.
Result<void> CudaEvaluator::Calibrate() {
  if (abilities_) return {};
  TRY(lock,
      MeasurementLock::Acquire(options_.cancelled, nvml_->identity().uuid));
  TRY(answer, loaded_task_->runners.trusted_runner->Ask(
                  RequestFor(RequestKind::kCalibrate), kCalibrationSeconds));
  if (answer.verdict != Verdict::kPassed) {
    return Fail(Errc::kUnavailable, "CUDA: calibration: " + answer.log);
  }
  abilities_ = answer.reply.abilities;
  return {};
}

Environment CudaEvaluator::Describe() const {
  Environment environment{
      .hardware = nvml_->identity().name,
      .threads = 1,
      .system = SystemName(),
      .driver = nvml_->identity().driver_version,
      .facts = abilities_ ? DeviceFacts(nvml_->identity(), *abilities_) : "",
      .compiler = toolchain_.version(),
      .flags = toolchain_.Flags(),
      .libraries = {{"glibc", LibraryVersion()}}};
  return environment;
}

// Leaves what the next session needs in the making.
Result<EvaluationSession> CudaEvaluator::BeginSession(const Prepared& prepared,
                                                      Tier tier) {
  CudaDepth depth = DepthFor(tier);
  if (!IsTimed()) depth.timing.reset();
  auto session =
      RunSession({.loaded_task = *loaded_task_,
                  .runners = *runners_,
                  .inputs = inputs_,
                  .abilities = *abilities_,
                  .device = nvml_->identity(),
                  .temperature_c = [this] { return nvml_->TemperatureC(); },
                  .stability = stability_,
                  .call_timeout_s = options_.call_timeout_s,
                  .cancelled = options_.cancelled},
                 prepared, depth);
  if (!session) {
    loaded_task_.reset();  // Its processes may be what failed.
    return session;
  }
  // It may have done worse when it was timed for a hint.
  const bool has_broken_off = session->verdict == Verdict::kWrongOutput &&
                              depth.hints && depth.timing && !session->hint;
  if (session->verdict == Verdict::kCrashed ||
      session->verdict == Verdict::kTimedOut ||
      session->verdict == Verdict::kRejected || has_broken_off) {
    TRY_DONE(CheckDevice());
  }
  TRY_DONE(controls_->Enter(session->workloads));
  for (const auto& bench : loaded_task_->benches) {
    bench->adversarial().BeginAnother();
  }
  TRY_DONE(runners_->StartNext());
  return session;
}

// Fails if a fault has damaged the device or the trusted processes on it.
Result<void> CudaEvaluator::CheckDevice() {
  auto healthy = loaded_task_->CheckHealth();
  if (healthy) return healthy;
  loaded_task_.reset();  // The next candidate gets new ones.
  if (healthy.error().code == Errc::kCancelled) return healthy;
  runners_->DropNext();
  return Fail(Errc::kUnavailable,
              "CUDA: the device does not compute after a candidate's fault: " +
                  healthy.error().what);
}

// What is right on the task's workloads, by sanitizers and on other shapes.
Result<void> CudaEvaluator::Examine(const Prepared& prepared,
                                    const Candidate& candidate,
                                    Evaluation& evaluation) {
  const Verdict before = evaluation.verdict;
  if (IsForSanitizers()) {
    return proof_.Examine(*runners_, *loaded_task_, prepared, evaluation);
  }
  // Its processes start while the sanitizers look.
  TRY(shapes, ShapeCheck::Begin({.toolchain = toolchain_,
                                 .runners = *runners_,
                                 .abilities = *abilities_,
                                 .call_timeout_s = options_.call_timeout_s},
                                loaded_task_->task));
  TRY_DONE(proof_.Examine(*runners_, *loaded_task_, prepared, evaluation));
  if (evaluation.verdict != before) return {};
  const std::uint64_t seed = options_.shapes_seed.value_or(DrawSeed(shapes_));
  TRY_DONE(shapes.Check(candidate, seed, evaluation));
  if (evaluation.verdict != Verdict::kPassed) TRY_DONE(CheckDevice());
  return {};
}

// Adds up the timed calls.
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

// Profiles a candidate that has passed; in the full tier with all tools.
Result<void> CudaEvaluator::Observe(const Prepared& prepared,
                                    Evaluation& evaluation) {
  Traced traced;
  const auto begun = Clock::now();
  if (evaluation.tier == Tier::kFull) {
    TRY_ASSIGN(traced,
               proof_.Observe(*runners_, *loaded_task_, prepared, evaluation));
    if (traced.has_failed) TRY_DONE(CheckDevice());
    evaluation.check_s += Seconds(Clock::now() - begun);
  }
  return FillProfiles(loaded_task_->benches, prepared.assignments,
                      nvml_->identity(), *abilities_, traced, evaluation);
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
  const auto start = Clock::now();
  // Both at a time, when the task is new.
  auto compiling = std::async(std::launch::async, [&] {
    return cuda::Prepare(toolchain_, task, candidate, PlanSide::kKernel);
  });
  const auto loaded_task = Adopt(task);
  TRY(prepared, compiling.get());
  TRY_DONE(loaded_task);
  evaluation.environment = Describe();
  evaluation.device = nvml_->identity().uuid;
  evaluation.compile_s = Seconds(Clock::now() - start);
  if (prepared.verdict != Verdict::kPassed) {
    evaluation.verdict = prepared.verdict;
    evaluation.log = std::move(prepared.diagnostics);
    return evaluation;
  }
  TRY(first, BeginSession(prepared, tier));
  Enter(first, 0, evaluation);
  // Only of a time is it said that nobody can tell.
  const bool is_right = first.verdict == Verdict::kPassed ||
                        first.verdict == Verdict::kInconclusive;
  if (tier == Tier::kFull && is_right) {
    const auto begun = Clock::now();
    TRY_DONE(Examine(prepared, candidate, evaluation));
    evaluation.check_s += Seconds(Clock::now() - begun);
  }
  if (!IsTimed()) return evaluation;
  if (tier == Tier::kFull && evaluation.verdict == Verdict::kPassed) {
    TRY_DONE(RepeatUntilTwoAgree(
        std::move(first), [&] { return BeginSession(prepared, tier); },
        evaluation));
  }
  if (evaluation.verdict != Verdict::kPassed) return evaluation;
  evaluation.device_s = DeviceSeconds(evaluation);
  Summarise(evaluation);
  TRY_DONE(Observe(prepared, evaluation));
  return evaluation;
}

// Compiling goes on beside timed calls, since those are the device's, on which
// a compiler has nothing to do.
void CudaEvaluator::Prepare(const Task& task, const Candidate& candidate) {
  if (!IsIdentifier(candidate.entry_symbol)) return;
  side_.Do([&] {
    static_cast<void>(
        cuda::Prepare(toolchain_, task, candidate, PlanSide::kKernel));
  });
}

}  // namespace
}  // namespace coppice::eval::cuda

namespace coppice::eval {

Result<std::unique_ptr<Evaluator>> MakeCudaEvaluator(
    CudaEvaluatorOptions options) {
  TRY(nvml, cuda::Nvml::Open(options.device_uuid));
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
  TRY(seed, SecretSeed(options.input_seed));
  return std::make_unique<cuda::CudaEvaluator>(
      std::move(options), std::move(toolchain), std::move(nvml),
      std::move(driver), seed);
}

}  // namespace coppice::eval
