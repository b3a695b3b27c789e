// The evaluator of CUDA candidates: the order of things.
#include <future>
#include <optional>
#include <utility>

#include "eval/cuda/cuda_session.h"
#include "eval/cuda/full_tier.h"
#include "eval/cuda/preparation.h"
#include "eval/cuda/workbench.h"
#include "eval/host/background_work.h"
#include "eval/host/nvml.h"
#include "eval/host/secret_seed.h"
#include "eval/host/thread_pool.h"
#include "eval/host/waiting.h"
#include "eval/judge/control_candidates.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/sandbox/compiler.h"
#include "store/records/random.h"
#include "store/records/tier.h"

namespace coppice::eval::cuda {
namespace {

// Processors, beside one, that are left to what is measured while candidates
// are compiled ahead: a host clock polls on one, host code runs on another.
constexpr std::size_t kSpared = 2;

class CudaEvaluator : public Evaluator {
 public:
  explicit CudaEvaluator(std::unique_ptr<Workbench> workbench)
      : workbench_(std::move(workbench)),
        options_(workbench_->options()),
        shapes_(workbench_->seed(), Purpose::kShapes, 0),
        side_(OtherProcessors() > kSpared ? OtherProcessors() - kSpared : 1),
        proof_(*workbench_) {}

  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override;
  void Prepare(const Task& task, const Candidate& candidate) override;

 private:
  Result<void> Adopt(const Task& task);
  Result<EvaluationSession> BeginSession(const Prepared& prepared, Tier tier);
  Result<void> Examine(const Prepared& prepared, const Candidate& candidate,
                       Evaluation& evaluation);
  bool IsForSanitizers() const {
    return options_.onlookers == Onlookers::kSanitizers;
  }
  bool IsTimed() const { return !IsForSanitizers() && !options_.checks_only; }

  const std::unique_ptr<Workbench> workbench_;
  const CudaEvaluatorOptions& options_;  // Of the workbench.
  RandomStream shapes_;                  // Seeds of those that nobody is shown.
  BackgroundWork side_;
  FullTier proof_;
  std::optional<ControlCandidates> controls_;  // For its task.
};

Result<void> CudaEvaluator::Adopt(const Task& task) {
  TRY(is_new, workbench_->Adopt(task));
  if (!is_new) return {};
  const DeviceIdentity& device = workbench_->identity();
  controls_.emplace(ControlsOf(options_.cache_directory,
                               device.uuid + " driver " + device.driver_version,
                               1, task));
  return {};
}

Result<EvaluationSession> CudaEvaluator::BeginSession(const Prepared& prepared,
                                                      Tier tier) {
  CudaDepth depth = DepthFor(tier);
  if (!IsTimed()) depth.timing.reset();
  TRY(session, workbench_->RunSession(prepared, depth));
  TRY_DONE(controls_->Enter(session.workloads));
  return session;
}

// What is right on the task's workloads, by sanitizers and on other shapes.
Result<void> CudaEvaluator::Examine(const Prepared& prepared,
                                    const Candidate& candidate,
                                    Evaluation& evaluation) {
  if (IsForSanitizers()) return proof_.Examine(prepared, evaluation);
  const std::uint64_t seed = options_.shapes_seed.value_or(DrawSeed(shapes_));
  TRY(is_decided, proof_.Prove(prepared, candidate, seed, evaluation));
  if (is_decided && evaluation.verdict != Verdict::kPassed) {
    TRY_DONE(workbench_->CheckDevice());
  }
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

Result<Evaluation> CudaEvaluator::Evaluate(const Task& task,
                                           const Candidate& candidate,
                                           Tier tier) {
  if (candidate.language != Language::kCuda ||
      !IsIdentifier(candidate.entry_symbol)) {
    return Fail(Errc::kUsage, task.definition.name +
                                  ": a candidate of the CUDA evaluator is "
                                  "CUDA C++ with an entry symbol");
  }
  TRY_DONE(workbench_->FindHelpers());
  Evaluation evaluation;
  evaluation.tier = tier;
  const auto start = Clock::now();
  // Both at a time, when the task is new.
  auto compiling = std::async(
      std::launch::async, [&] { return workbench_->Prepare(task, candidate); });
  const auto loaded_task = Adopt(task);
  TRY(prepared, compiling.get());
  TRY_DONE(loaded_task);
  evaluation.environment = workbench_->Describe();
  evaluation.device = workbench_->identity().uuid;
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
  TRY_DONE(proof_.Observe(prepared, evaluation));
  return evaluation;
}

// Compiling goes on beside timed calls, since those are the device's, on which
// a compiler has nothing to do.
void CudaEvaluator::Prepare(const Task& task, const Candidate& candidate) {
  if (!IsIdentifier(candidate.entry_symbol)) return;
  side_.Do([&] { static_cast<void>(workbench_->Prepare(task, candidate)); });
}

}  // namespace
}  // namespace coppice::eval::cuda

namespace coppice::eval {

Result<std::unique_ptr<Evaluator>> MakeCudaEvaluator(
    CudaEvaluatorOptions options) {
  TRY(seed, SecretSeed(options.input_seed));
  TRY(workbench, cuda::Workbench::Open(std::move(options), seed));
  return std::make_unique<cuda::CudaEvaluator>(std::move(workbench));
}

}  // namespace coppice::eval
