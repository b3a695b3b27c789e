#include <algorithm>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "eval/cpu/cpu_roofline.h"
#include "eval/cpu/cpu_session.h"
#include "eval/cpu/profiling.h"
#include "eval/cpu/program.h"
#include "eval/cpu/sanitized.h"
#include "eval/cpu/shape_check.h"
#include "eval/cpu/task_bench.h"
#include "eval/host/background_work.h"
#include "eval/host/machine.h"
#include "eval/host/process_limits.h"
#include "eval/host/processor_facts.h"
#include "eval/host/secret_seed.h"
#include "eval/host/thread_pool.h"
#include "eval/host/timing_stability.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/sandbox/compiler.h"
#include "eval/sandbox/sandbox.h"
#include "store/records/candidate.h"
#include "store/records/evaluation.h"
#include "store/records/random.h"
#include "store/records/tier.h"

namespace coppice::eval {
namespace {

constexpr std::size_t kMostOtherLanes = 7;

class CpuEvaluator : public Evaluator {
 public:
  CpuEvaluator(CpuEvaluatorOptions options, Compiler compiler,
               std::uint64_t seed, Roofline roof)
      : options_(std::move(options)),
        compiler_(std::move(compiler)),
        seed_(seed),
        shapes_(seed, Purpose::kShapes, 0),
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
  Result<void> Prove(const Candidate& candidate, const Program& program,
                     const Depth& depth, EvaluationSession first,
                     Evaluation& evaluation);
  Result<void> Conclude(const Candidate& candidate, const Program& program,
                        Evaluation& evaluation);
  Result<EvaluationSession> RunSession(const Program& program,
                                       const Depth& depth);
  Environment Describe() const;

  CpuEvaluatorOptions options_;
  Compiler compiler_;
  std::uint64_t seed_;
  std::uint64_t next_stream_ = 0;
  RandomStream shapes_;  // Seeds of those that nobody is shown.
  ThreadPool pool_;      // Longer than the processes that they have started.
  BackgroundWork side_;
  TimingStability stability_;
  std::unique_ptr<CpuTaskBench> bench_;
  Roofline roof_;
  const Environment environment_;  // Told by the members above.
};

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

Result<void> CpuEvaluator::Adopt(const Task& task) {
  if (bench_ != nullptr && bench_->IsOf(task)) return {};
  bench_.reset();
  const TaskBenchTerms terms{.runner = options_.runner,
                             .threads = options_.threads,
                             .call_timeout_s = options_.call_timeout_s,
                             .cancelled = options_.cancelled,
                             .seed = seed_,
                             .stream = next_stream_};
  next_stream_ += task.workloads.size();
  TRY_ASSIGN(bench_, CpuTaskBench::Open(compiler_, terms, task, pool_));
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
  TRY_DONE(bench_->Prestart(pool_));  // They start while the compiler works.
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
      TRY_DONE(Sanitize(*bench_, compiler_, candidate, evaluation));
    }
    return evaluation;
  }
  if (!is_timed) {
    Enter(first, 0, evaluation);
    TRY_DONE(bench_->Prestart(pool_));  // As below.
    return evaluation;
  }
  if (tier == Tier::kFull && first.verdict == Verdict::kPassed) {
    TRY_DONE(Prove(candidate, program, depth, std::move(first), evaluation));
  } else {
    Enter(first, 0, evaluation);
  }
  TRY_DONE(Conclude(candidate, program, evaluation));
  TRY_DONE(bench_->Prestart(
      pool_));  // The next candidate's, while it is thought of.
  return evaluation;
}

// What is told of a candidate that was timed, if it passed.
Result<void> CpuEvaluator::Conclude(const Candidate& candidate,
                                    const Program& program,
                                    Evaluation& evaluation) {
  if (evaluation.verdict != Verdict::kPassed) return {};
  TRY_DONE(HoldAgainstRoofline(bench_->workloads, compiler_, options_.threads,
                               roof_, evaluation));
  if (evaluation.verdict != Verdict::kPassed) return {};
  Summarise(evaluation);
  FillProfiles(bench_->workloads, roof_, evaluation);
  if (!options_.tells_code) return {};
  TRY(code, TellCode(*bench_, compiler_, candidate, program, evaluation));
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

Result<EvaluationSession> CpuEvaluator::RunSession(const Program& program,
                                                   const Depth& depth) {
  TRY(session, eval::RunSession(bench_->workloads, program, depth, pool_, side_,
                                stability_, options_.cancelled));
  TRY_DONE(bench_->EnterControls(session.workloads));
  return session;
}

// What the full tier asks beside a first session that passed.
Result<void> CpuEvaluator::Prove(const Candidate& candidate,
                                 const Program& program, const Depth& depth,
                                 EvaluationSession first,
                                 Evaluation& evaluation) {
  Enter(first, 0, evaluation);
  const std::uint64_t seed = options_.shapes_seed.value_or(DrawSeed(shapes_));
  TRY_DONE(CheckOtherShapes(*bench_, program, seed, pool_, evaluation));
  if (evaluation.verdict != Verdict::kPassed) return {};
  TRY_DONE(Sanitize(*bench_, compiler_, candidate, evaluation));
  if (evaluation.verdict != Verdict::kPassed) return {};
  const Depth again = DepthOfAnother(depth);
  const auto run_again = [&]() -> Result<EvaluationSession> {
    TRY_DONE(bench_->Reseed(pool_));
    return RunSession(program, again);
  };
  return RepeatUntilTwoAgree(std::move(first), run_again, evaluation);
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
