#include "eval/cuda/workbench.h"

#include <optional>
#include <utility>

#include "eval/cuda/cuda_session.h"
#include "eval/cuda/device_facts.h"
#include "eval/cuda/helpers.h"
#include "eval/cuda/loaded_task.h"
#include "eval/cuda/runner_pool.h"
#include "eval/cuda/toolchain.h"
#include "eval/host/timing_stability.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/evaluators.h"
#include "eval/judge/same_task.h"
#include "store/records/environment.h"

namespace coppice::eval::cuda {
struct Workbench::Kept {
  Kept(CudaEvaluatorOptions given, Toolchain found,
       std::unique_ptr<Nvml> opened, std::filesystem::path folder,
       std::uint64_t seed)
      : options(std::move(given)),
        toolchain(std::move(found)),
        nvml(std::move(opened)),
        driver(std::move(folder)),
        inputs{.seed = seed},
        stability(MachineLoad(options.quiet)) {}

  CudaEvaluatorOptions options;
  Toolchain toolchain;
  std::unique_ptr<Nvml> nvml;
  std::filesystem::path driver;
  InputSource inputs;
  TimingStability stability;
  std::optional<Abilities> abilities;
  std::optional<RunnerPool> runners;  // Once our own kernels are compiled.
  std::unique_ptr<LoadedTask> loaded_task;
};

Workbench::Workbench(std::unique_ptr<Kept> kept) : kept_(std::move(kept)) {}

Workbench::~Workbench() = default;

Result<std::unique_ptr<Workbench>> Workbench::Open(CudaEvaluatorOptions options,
                                                   std::uint64_t seed) {
  TRY(nvml, Nvml::Open(options.device_uuid));
  TRY(driver, FindDriver());
  if (!std::filesystem::is_regular_file(options.runner)) {
    return Fail(Errc::kUnavailable,
                options.runner.string() + ": coppice-cuda-runner: not found");
  }
  options.runner = std::filesystem::absolute(options.runner);
  TRY_DONE(ProbeSandbox());
  TRY(toolchain,
      Toolchain::Find({.cache_directory = options.cache_directory,
                       .cache_bytes = options.cache_bytes,
                       .nvrtc = options.nvrtc,
                       .compute_major = nvml->identity().compute_major,
                       .compute_minor = nvml->identity().compute_minor,
                       .timeout_s = options.compile_timeout_s,
                       .cancelled = options.cancelled}));
  return std::unique_ptr<Workbench>(new Workbench(
      std::make_unique<Kept>(std::move(options), std::move(toolchain),
                             std::move(nvml), std::move(driver), seed)));
}

const CudaEvaluatorOptions& Workbench::options() const {
  return kept_->options;
}

double Workbench::call_timeout_s() const { return options().call_timeout_s; }

std::uint64_t Workbench::seed() const { return kept_->inputs.seed; }

const Toolchain& Workbench::toolchain() const { return kept_->toolchain; }

const std::filesystem::path& Workbench::toolkit() const {
  return toolchain().folder();
}

const DeviceIdentity& Workbench::identity() const {
  return kept_->nvml->identity();
}

const Abilities& Workbench::abilities() const { return *kept_->abilities; }

RunnerPool& Workbench::runners() { return *kept_->runners; }

LoadedTask& Workbench::loaded_task() { return *kept_->loaded_task; }

Result<void> Workbench::FindHelpers() {
  if (kept_->runners) return {};
  TRY(compiled, toolchain().Cubin(HelpersSource()));
  if (compiled.verdict != Verdict::kPassed) {
    return Fail(Errc::kUnavailable,
                "CUDA: the evaluator's own kernels do not compile: " +
                    compiled.diagnostics);
  }
  kept_->runners.emplace(RunnerOptions{.runner = options().runner,
                                       .helpers = compiled.object,
                                       .driver = kept_->driver,
                                       .libraries = {},
                                       .device = identity(),
                                       .cancelled = options().cancelled});
  return {};
}

Result<Prepared> Workbench::Prepare(const Task& task,
                                    const Candidate& candidate) const {
  return PrepareCandidate(toolchain(), task, candidate);
}

Result<bool> Workbench::Adopt(const Task& task) {
  std::unique_ptr<LoadedTask>& loaded_task = kept_->loaded_task;
  if (loaded_task != nullptr && SameTask(loaded_task->task, task)) return false;
  loaded_task.reset();
  TRY_ASSIGN(loaded_task,
             LoadedTask::Make(toolchain(), runners(), task, kept_->inputs));
  auto calibrated = Calibrate();
  if (!calibrated) {
    loaded_task.reset();  // So that it is tried again with the next candidate.
    return tl::unexpected<Error>(std::move(calibrated).error());
  }
  return true;
}

// Once: a device does not change.
Result<void> Workbench::Calibrate() {
  if (kept_->abilities) return {};
  TRY_ASSIGN(kept_->abilities,
             loaded_task().Calibrate(identity().uuid, options().cancelled));
  return {};
}

Environment Workbench::Describe() const {
  return DeviceEnvironment(identity(), toolchain(),
                           kept_->abilities ? &abilities() : nullptr);
}

Result<EvaluationSession> Workbench::RunSession(const Prepared& prepared,
                                                const CudaDepth& depth) {
  auto session = cuda::RunSession(
      {.loaded_task = loaded_task(),
       .runners = runners(),
       .inputs = kept_->inputs,
       .abilities = abilities(),
       .device = identity(),
       .temperature_c = [this] { return kept_->nvml->TemperatureC(); },
       .stability = kept_->stability,
       .call_timeout_s = options().call_timeout_s,
       .cancelled = options().cancelled},
      prepared, depth);
  if (!session) {
    kept_->loaded_task.reset();  // Its processes may be what failed.
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
  loaded_task().BeginInputs();
  TRY_DONE(runners().StartNext());
  return session;
}

Result<void> Workbench::CheckDevice() {
  auto healthy = loaded_task().CheckHealth();
  if (healthy) return healthy;
  kept_->loaded_task.reset();  // The next candidate gets new ones.
  if (healthy.error().code == Errc::kCancelled) return healthy;
  runners().DropNext();
  return Fail(Errc::kUnavailable,
              "CUDA: the device does not compute after a candidate's fault: " +
                  healthy.error().what);
}

}  // namespace coppice::eval::cuda
