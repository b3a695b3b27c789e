// Workloads of a trace set, each put as a problem of KernelBench's kind, so
// that the same workers and the same loop judge them.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "eval/host/secret_seed.h"
#include "eval/host/waiting.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/evaluators.h"
#include "eval/judge/other_shapes.h"
#include "eval/torch/findings.h"
#include "eval/torch/trace_task.h"
#include "store/records/random.h"
#include "store/records/tier.h"

namespace coppice::eval {
namespace {

class TraceSetEvaluator : public Evaluator {
 public:
  TraceSetEvaluator(PythonEvaluatorOptions options,
                    std::unique_ptr<Evaluator> first, std::uint64_t seed)
      : options_(std::move(options)), shapes_(seed, Purpose::kShapes, 0) {
    judges_[0] = std::move(first);
  }

  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override;
  // Checks on the first workloads, whose benches stay.
  Result<void> CheckTask(const Task& task) override;
  Result<std::vector<Finding>> JudgeNulls(const Task& task, Anew anew) override;

  Result<std::optional<Environment>> Where() override {
    return judges_[0]->Where();
  }

 private:
  // Each has two processes that know its last workload.
  static constexpr std::size_t kJudges = 4;

  Result<Evaluator*> JudgeOf(std::size_t workload);
  Result<void> CheckShapes(const Task& task, const Candidate& module,
                           Evaluation& whole);
  Result<OnShape> CheckOn(const Task& task, const Candidate& module,
                          std::uint64_t seed);

  PythonEvaluatorOptions options_;
  std::array<std::unique_ptr<Evaluator>, kJudges> judges_;
  RandomStream shapes_;  // Seeds of those that nobody is shown.
};

Result<Evaluator*> TraceSetEvaluator::JudgeOf(std::size_t workload) {
  // The first has one for itself: on that one onlookers look.
  auto& judge = judges_[workload == 0 ? 0 : 1 + (workload - 1) % (kJudges - 1)];
  if (judge == nullptr) {
    PythonEvaluatorOptions options = options_;
    if (workload != 0) options.onlookers = Onlookers::kNone;
    TRY_ASSIGN(judge, MakePythonEvaluator(std::move(options)));
  }
  return judge.get();
}

PythonEvaluatorOptions ForChecks(PythonEvaluatorOptions options) {
  options.onlookers = Onlookers::kNone;
  options.checks_only = true;
  return options;
}

Result<void> TraceSetEvaluator::CheckTask(const Task& task) {
  for (std::size_t i = 0; i < std::min(kJudges, task.workloads.size()); ++i) {
    TRY(problem, TraceProblem(task, i));
    TRY(judge, JudgeOf(i));
    TRY_DONE(judge->CheckTask(problem));
  }
  return {};
}

Result<std::vector<Finding>> TraceSetEvaluator::JudgeNulls(const Task& task,
                                                           Anew anew) {
  std::vector<std::vector<Finding>> found;  // By workload.
  for (std::size_t i = 0; i < task.workloads.size(); ++i) {
    TRY(problem, TraceProblem(task, i));
    TRY(judge, JudgeOf(i));
    TRY(of_one, judge->JudgeNulls(problem, anew));
    if (of_one.empty()) return of_one;  // Not known of all.
    found.push_back(std::move(of_one));
  }
  return torch::ByCandidate(std::move(found));
}

// Enters all that is not of single workloads.
void Enter(Evaluation one, Evaluation& whole) {
  whole.verdict = one.verdict;
  whole.breach = one.breach;
  // What onlookers said of the first stays.
  if (!one.log.empty()) whole.log = std::move(one.log);
  whole.compile_s += one.compile_s;
  whole.check_s += one.check_s;
  whole.timing_s += one.timing_s;
  whole.environment = std::move(one.environment);
  whole.device = std::move(one.device);
}

// `task` has that one workload.  All that the two meet is the seed's.
Result<OnShape> TraceSetEvaluator::CheckOn(const Task& task,
                                           const Candidate& module,
                                           std::uint64_t seed) {
  PythonEvaluatorOptions options = ForChecks(options_);
  options.input_seed = seed;
  TRY(problem, TraceProblem(task, 0));
  TRY(judge, MakePythonEvaluator(std::move(options)));
  OnShape judged;
  if (const auto adopted = judge->CheckTask(problem); !adopted) {
    const Error& error = adopted.error();
    if (error.code != Errc::kUsage && error.code != Errc::kUnfit) {
      return tl::unexpected<Error>(error);
    }
    const bool is_for_time = error.code == Errc::kUnfit;
    judged.root = {is_for_time ? Verdict::kTimedOut : Verdict::kCrashed,
                   error.what};
    return judged;
  }
  TRY(one, judge->Evaluate(problem, module, Tier::kFast));
  judged.candidate = {one.verdict, std::move(one.log), one.breach};
  return judged;
}

Result<void> TraceSetEvaluator::CheckShapes(const Task& task,
                                            const Candidate& module,
                                            Evaluation& whole) {
  if (const auto why = WhyShapesAreFixed(task)) {
    whole.log += "no shapes were drawn that were not shown: " + *why + "\n";
    return {};
  }
  const auto start = Clock::now();
  const auto check = [&](const Workload& workload, std::uint64_t seed) {
    Task one = task;
    one.workloads = {workload};
    return CheckOn(one, module, seed);
  };
  const std::uint64_t seed = options_.shapes_seed.value_or(DrawSeed(shapes_));
  TRY_DONE(CheckOtherShapes(task, seed, check, whole));
  whole.check_s += Seconds(Clock::now() - start);
  return {};
}

Result<Evaluation> TraceSetEvaluator::Evaluate(const Task& task,
                                               const Candidate& candidate,
                                               Tier tier) {
  TRY(module, TraceModule(task, candidate));
  Evaluation whole;
  whole.tier = tier;
  whole.verdict = Verdict::kPassed;
  std::vector<Profile> profiles;
  for (std::size_t i = 0; i < task.workloads.size(); ++i) {
    TRY(problem, TraceProblem(task, i));
    TRY(judge, JudgeOf(i));
    TRY(one, judge->Evaluate(problem, module, tier));
    for (WorkloadResult& result : one.workloads) {
      result.workload = task.workloads[i].uuid;
      if (result.profile) {
        const Workload& workload = task.workloads[i];
        result.profile->shape =
            workload.axes.empty() ? workload.uuid : ShapeText(workload);
        profiles.push_back(*result.profile);
      }
      whole.workloads.push_back(std::move(result));
    }
    Enter(std::move(one), whole);
    if (whole.verdict != Verdict::kPassed) return whole;
  }
  if (whole.workloads.empty()) {
    return Fail(Errc::kUsage, task.definition.name + ": has no workloads");
  }
  const bool is_proved = tier == Tier::kFull &&
                         task.protocol == Protocol::kCoppice &&
                         options_.onlookers != Onlookers::kSanitizers;
  if (is_proved) {
    TRY_DONE(CheckShapes(task, module, whole));
    if (whole.verdict != Verdict::kPassed) return whole;
  }
  Summarise(whole);
  whole.profile = Digest(profiles);
  return whole;
}

}  // namespace

Result<std::unique_ptr<Evaluator>> MakeTraceSetEvaluator(
    PythonEvaluatorOptions options) {
  TRY(first, MakePythonEvaluator(options));
  TRY(seed, SecretSeed(options.input_seed));
  return std::make_unique<TraceSetEvaluator>(std::move(options),
                                             std::move(first), seed);
}

}  // namespace coppice::eval
