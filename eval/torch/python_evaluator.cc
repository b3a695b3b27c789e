// The evaluator of candidates in Python: the order of things.
#include <optional>
#include <utility>

#include "eval/host/secret_seed.h"
#include "eval/host/waiting.h"
#include "eval/judge/control_candidates.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/sandbox/sandbox.h"
#include "eval/torch/candidate_build.h"
#include "eval/torch/candidate_sessions.h"
#include "eval/torch/device.h"
#include "eval/torch/interpreter.h"
#include "eval/torch/null_judging.h"
#include "eval/torch/onlooking.h"
#include "eval/torch/python_environment.h"
#include "eval/torch/python_workbench.h"
#include "eval/torch/traffic_floor.h"
#include "store/records/paired_rounds.h"
#include "store/records/tier.h"

namespace coppice::eval::torch {
namespace {

class PythonEvaluator : public Evaluator {
 public:
  explicit PythonEvaluator(std::unique_ptr<PythonWorkbench> workbench)
      : workbench_(std::move(workbench)),
        options_(workbench_->options()),
        sessions_(*workbench_),
        traffic_floor_({.device = options_.device,
                        .cache_directory = options_.cache_directory,
                        .cache_bytes = options_.cache_bytes,
                        .threads = options_.threads,
                        .timeout_s = options_.load_timeout_s,
                        .cancelled = options_.cancelled}) {}

  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override;
  Result<std::optional<Environment>> Where() override;
  Result<std::vector<Finding>> JudgeNulls(const Task& task,
                                          Anew anew) override {
    return torch::JudgeNulls(*workbench_, task, anew);
  }
  Result<void> CheckTask(const Task& task) override;

 private:
  Result<void> Adopt(const Task& task);
  void TakeControls(const Task& task);
  Result<std::string> Blame(const Task& task, const Error& error);
  Result<EvaluationSession> RunSession(const Task& task,
                                       const Candidate& candidate, Tier tier);

  const std::unique_ptr<PythonWorkbench> workbench_;
  const PythonEvaluatorOptions& options_;  // Of the workbench.
  CandidateSessions sessions_;
  TrafficFloor traffic_floor_;
  std::optional<ControlCandidates> controls_;  // For its task.
  std::uint64_t evaluations_ = 0;
};

Result<std::optional<Environment>> PythonEvaluator::Where() {
  TRY(environment, EnvironmentOf(*workbench_));
  return std::optional(std::move(environment));
}

Result<void> PythonEvaluator::Adopt(const Task& task) {
  TRY(is_new, workbench_->Adopt(task));
  if (is_new) TakeControls(task);
  return {};
}

void PythonEvaluator::TakeControls(const Task& task) {
  controls_.emplace(ControlsOf(options_.cache_directory,
                               workbench_->MachineIdentity(), options_.threads,
                               task));
}

// On all cases, or one that fails would be found by each candidate.
Result<void> PythonEvaluator::CheckTask(const Task& task) {
  TRY_DONE(Adopt(task));
  return workbench_->TryCases();
}

// What beside a candidate, which is gone now, went wrong with the task: it is
// the candidate's if the task does well without it.  The error if not.
Result<std::string> PythonEvaluator::Blame(const Task& task,
                                           const Error& error) {
  if (error.code != Errc::kUsage && error.code != Errc::kUnfit &&
      error.code != Errc::kUnavailable) {
    return tl::unexpected<Error>(error);
  }
  if (!workbench_->Reopen()) return tl::unexpected<Error>(error);
  TakeControls(task);
  return "the task itself fails beside it: " + error.what;
}

Result<EvaluationSession> PythonEvaluator::RunSession(
    const Task& task, const Candidate& candidate, Tier tier) {
  auto session = sessions_.Run(candidate, tier);
  if (session) {
    TRY_DONE(controls_->Enter(session->workloads));
    return session;
  }
  TRY(log, Blame(task, session.error()));
  EvaluationSession blamed;
  blamed.verdict = Verdict::kCrashed;
  blamed.log = log + "\n";
  return blamed;
}

// Ends an evaluation before the candidate was called.
Evaluation EndedBy(const Outcome& outcome, Evaluation evaluation) {
  evaluation.verdict = outcome.verdict;
  evaluation.breach = outcome.breach;
  evaluation.log = outcome.log + "\n";
  return evaluation;
}

// What is said of one that has passed.
void Digested(Protocol protocol, Evaluation& evaluation) {
  Summarise(evaluation);
  if (protocol == Protocol::kBenchmark) {
    const WorkloadResult& first = evaluation.workloads.front();
    evaluation.runtime_s = Mean(first.samples_s);
    evaluation.root_runtime_s = Mean(first.root_samples_s);
    evaluation.speedup = SpeedupOfMeans(first);
  }
  std::vector<Profile> profiles;
  const bool is_one = evaluation.workloads.size() == 1;
  for (WorkloadResult& result : evaluation.workloads) {
    if (!result.profile) continue;
    result.profile->runtime_s =
        is_one ? evaluation.runtime_s.value_or(0.0) : Median(result.samples_s);
    if (!is_one) result.profile->shape = result.workload;
    profiles.push_back(*result.profile);
  }
  evaluation.profile = Digest(profiles);
}

Result<Evaluation> PythonEvaluator::Evaluate(const Task& task,
                                             const Candidate& candidate,
                                             Tier tier) {
  if (candidate.language != Language::kPython &&
      candidate.language != Language::kTriton) {
    return Fail(Errc::kUsage, task.definition.name +
                                  ": a candidate of this task is in Python");
  }
  Evaluation evaluation;
  evaluation.tier = tier;
  TRY_DONE(workbench_->Prestart(task, candidate));
  TRY_DONE(Adopt(task));
  EnterPlace(*workbench_, evaluation);
  TRY(read, ReadCandidate(*workbench_, candidate));
  if (read.verdict != Verdict::kPassed) {
    return EndedBy(read, std::move(evaluation));
  }
  const auto start = Clock::now();
  TRY(built, BuildCandidate(*workbench_, candidate, [&](const Error& error) {
        return Blame(task, error);
      }));
  const double build_s = Seconds(Clock::now() - start);
  evaluation.compile_s = build_s;
  if (built.outcome.verdict != Verdict::kPassed) {
    return EndedBy(built.outcome, std::move(evaluation));
  }
  sessions_.TurnTo(built.left.path());
  TRY(first, RunSession(task, candidate, tier));
  const bool is_timed = workbench_->IsTimed();
  const bool is_proved = tier == Tier::kFull &&
                         first.verdict == Verdict::kPassed &&
                         task.protocol == Protocol::kCoppice && is_timed;
  Enter(first, 0, evaluation);
  if (is_proved) {
    TRY_DONE(RepeatUntilTwoAgree(
        std::move(first), [&] { return RunSession(task, candidate, tier); },
        evaluation));
  }
  evaluation.compile_s = build_s + sessions_.compile_s();
  if (evaluation.verdict == Verdict::kPassed) {
    TRY_DONE(LookAt(*workbench_, candidate, built.left.path(), evaluation));
  }
  if (!is_timed) return evaluation;
  if (evaluation.verdict == Verdict::kPassed) {
    TRY_DONE(traffic_floor_.Hold(workbench_->bench(), evaluation));
  }
  if (evaluation.verdict == Verdict::kPassed) {
    Digested(task.protocol, evaluation);
  }
  // The next candidate's, while it is thought of; there may be none.
  if (++evaluations_ > 1) TRY_DONE(workbench_->PrestartOne());
  return evaluation;
}

}  // namespace
}  // namespace coppice::eval::torch

namespace coppice::eval {

Result<std::unique_ptr<Evaluator>> MakePythonEvaluator(
    PythonEvaluatorOptions options) {
  TRY_DONE(ProbeSandbox());
  TRY(interpreter, torch::FindInterpreter(options.python));
  TRY_ASSIGN(options.device, torch::ChooseDevice(options.device, interpreter));
  TRY(seed, SecretSeed(options.input_seed));
  return std::make_unique<torch::PythonEvaluator>(
      std::make_unique<torch::PythonWorkbench>(std::move(options),
                                               std::move(interpreter), seed));
}

}  // namespace coppice::eval
