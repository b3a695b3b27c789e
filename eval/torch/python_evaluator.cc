#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "eval/cuda/nsight.h"
#include "eval/cuda/profiling.h"
#include "eval/cuda/sanitizer_output.h"
#include "eval/host/machine.h"
#include "eval/host/processor_facts.h"
#include "eval/host/secret_seed.h"
#include "eval/host/timing_stability.h"
#include "eval/host/waiting.h"
#include "eval/judge/control_candidates.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/judge/same_task.h"
#include "eval/sandbox/compile_cache.h"
#include "eval/sandbox/sandbox.h"
#include "eval/torch/bench.h"
#include "eval/torch/cases.h"
#include "eval/torch/device.h"
#include "eval/torch/extensions.h"
#include "eval/torch/findings.h"
#include "eval/torch/interpreter.h"
#include "eval/torch/jit_compile.h"
#include "eval/torch/null_result_cache.h"
#include "eval/torch/prewarmed_workers.h"
#include "eval/torch/python_session.h"
#include "eval/torch/scratch_folder.h"
#include "eval/torch/tensor_memory.h"
#include "eval/torch/tool_run.h"
#include "eval/torch/traffic_floor.h"
#include "eval/torch/trusted_preload.h"
#include "eval/torch/verdicts.h"
#include "eval/torch/worker_options.h"
#include "store/records/paired_rounds.h"
#include "store/records/tier.h"

namespace coppice::eval::torch {
namespace {

Effort EffortOf(Tier tier) {
  if (tier == Tier::kFast) {
    return {.checks = 3,
            .timing = TimingBudget{.min_rounds = 7,
                                   .max_rounds = 60,
                                   .seconds = 0.3,
                                   .noise = 0.02,
                                   .batch_s = 0.0,
                                   .long_s = 5.0},
            .hints = true};
  }
  return {.checks = 5,
          .is_thorough = true,
          .timing = TimingBudget{.min_rounds = 15,
                                 .max_rounds = 200,
                                 .seconds = 1.0,
                                 .noise = 0.01,
                                 .batch_s = 0.0,
                                 .long_s = 20.0}};
}

// `teller` knows the device: a kernel worker, a bench.
template <typename Teller>
void TellDevice(const Teller& teller, Environment& environment) {
  environment.hardware = teller.device_name();
  environment.facts = FactsOnDevice(teller.architecture(), environment.facts);
}

class PythonEvaluator : public Evaluator {
 public:
  PythonEvaluator(PythonEvaluatorOptions options, Interpreter interpreter,
                  std::uint64_t seed)
      : options_(std::move(options)),
        interpreter_(std::move(interpreter)),
        extensions_({.interpreter = interpreter_,
                     .scripts = options_.scripts,
                     .cache_directory = options_.cache_directory,
                     .cache_bytes = options_.cache_bytes,
                     .timeout_s = options_.load_timeout_s,
                     .cancelled = options_.cancelled}),
        trusted_preload_(options_.cache_bytes),
        prewarmed_workers_(options_.prewarmed_workers
                               ? options_.prewarmed_workers
                               : std::make_shared<PrewarmedWorkers>()),
        traffic_floor_({.device = options_.device,
                        .cache_directory = options_.cache_directory,
                        .cache_bytes = options_.cache_bytes,
                        .threads = options_.threads,
                        .timeout_s = options_.load_timeout_s,
                        .cancelled = options_.cancelled}),
        stability_(options_.quiet, options_.threads),
        seed_(seed) {}

  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override;
  Result<std::optional<Environment>> Where() override;
  Result<std::vector<Finding>> JudgeNulls(const Task& task, Anew anew) override;
  Result<void> CheckTask(const Task& task) override;

 private:
  Result<void> Adopt(const Task& task);
  Result<std::vector<Finding>> JudgeNullsOn(const Task& task,
                                            std::size_t number, Anew anew);
  Result<std::string> JudgeNullsNow(const Task& task, std::size_t number,
                                    const std::string& order);
  Result<std::string> Hardware();
  Result<void> Prestart(const Task& task, const Candidate& candidate);
  Result<Reaction> BuildFor(const Candidate& candidate);
  Result<std::string> Blame(const Error& error);
  Result<EvaluationSession> RunOneSession(const Candidate& candidate,
                                          Tier tier);
  Result<EvaluationSession> BeginSession(const Candidate& candidate, Tier tier);
  Result<void> ExplainCrash(const Candidate& candidate,
                            EvaluationSession& crashed);
  Result<EvaluationSession> RunWholeSession(KernelWorker& kernel_worker,
                                            const Candidate& candidate,
                                            Tier tier);
  Result<EvaluationSession> RunSessionWith(KernelWorker& kernel_worker,
                                           const Candidate& candidate,
                                           Tier tier);
  Result<void> RenewControl();
  Result<void> LookAt(const Candidate& candidate, Evaluation& evaluation);
  WorkerOptions Options();
  Environment Describe() const;
  bool IsForSanitizers() const {
    return options_.onlookers == Onlookers::kSanitizers;
  }
  bool IsTimed() const { return !IsForSanitizers() && !options_.checks_only; }

  PythonEvaluatorOptions options_;
  Interpreter interpreter_;
  Extensions extensions_;
  TrustedPreload trusted_preload_;
  std::shared_ptr<PrewarmedWorkers> prewarmed_workers_;
  TrafficFloor traffic_floor_;
  TimingStability stability_;
  std::uint64_t seed_;
  std::unique_ptr<TorchBench> bench_;
  std::optional<ControlCandidates> controls_;  // For its task.
  std::string imports_;                        // Of its text.
  // What the candidate at hand has compiled, and whether there is any; and
  // whether it has passed the cases that are not timed.
  ScratchFolder built_;
  bool is_built_ = false;
  bool is_tested_ = false;
  std::uint64_t evaluations_ = 0;
  double compile_s_ = 0.0;  // Its compiling, in the evaluation at hand.
};

WorkerOptions PythonEvaluator::Options() {
  WorkerOptions workers = OptionsFor(options_, interpreter_, options_.device);
  workers.extensions = &extensions_;
  workers.trusted_preload = &trusted_preload_;
  workers.imports = imports_;
  return workers;
}

Environment PythonEvaluator::Describe() const {
  Environment environment = {.hardware = ProcessorName(),
                             .threads = options_.threads,
                             .system = SystemName(),
                             .driver = "",
                             .facts = ProcessorFacts(options_.threads),
                             .compiler = "Python " + interpreter_.version,
                             .flags = options_.device,
                             .libraries = {{"torch", interpreter_.torch}}};
  // They compile for no processor.
  for (const auto& [name, version] : {std::pair("triton", interpreter_.triton),
                                      std::pair("nvcc", interpreter_.nvcc)}) {
    if (version.empty() || options_.device == kHost) continue;
    environment.libraries.emplace_back(name, version);
  }
  return environment;
}

// A kernel worker tells the device's name.
Result<std::optional<Environment>> PythonEvaluator::Where() {
  TRY(one, prewarmed_workers_->Take(Options(), WorkerRole::kKernel));
  Environment environment = Describe();
  if (!one.kernel_worker->device_name().empty()) {
    TellDevice(*one.kernel_worker, environment);
  }
  prewarmed_workers_->Return(std::move(one));
  return std::optional(std::move(environment));
}

// What an evaluation will need, so that all of it starts at the same time.
Result<void> PythonEvaluator::Prestart(const Task& task,
                                       const Candidate& candidate) {
  const bool is_new = bench_ == nullptr || !SameTask(bench_->task(), task);
  imports_ = ImportsOf(task.definition.reference);
  const std::size_t controls = options_.device == kHost && IsTimed() ? 1 : 0;
  TRY_DONE(prewarmed_workers_->Launch(Options(), WorkerRole::kKernel,
                                      (is_new ? 2 : 1) + controls));
  if (ToolsOf(candidate.source, options_.device).Any()) {
    TRY_DONE(trusted_preload_.Begin(Options()));
  }
  return NeedsBuilding(candidate.source)
             ? prewarmed_workers_->Launch(Options(), WorkerRole::kBuilder, 1)
             : Result<void>();
}

Result<void> PythonEvaluator::Adopt(const Task& task) {
  if (bench_ != nullptr && SameTask(bench_->task(), task)) return {};
  TRY_DONE(MustFit(task, options_.device));
  imports_ = ImportsOf(task.definition.reference);
  bench_.reset();
  // A root for which they cannot be made does without.
  if (ToolsOf(SourceOf(task.root), options_.device).Any()) {
    TRY_DONE(trusted_preload_.Make(Options()));
  }
  TRY(bench, TorchBench::Open(Options(), *prewarmed_workers_, task, seed_++));
  controls_.emplace(ControlsOf(
      options_.cache_directory,
      bench->device_name().empty() ? ProcessorIdentity() : bench->Measured(),
      options_.threads, task));
  bench_ = std::move(bench);
  return {};
}

// On all cases, or one that fails would be found by each candidate.
Result<void> PythonEvaluator::CheckTask(const Task& task) {
  TRY_DONE(Adopt(task));
  for (std::size_t i = 0; i < bench_->cases().size(); ++i) {
    TRY_DONE(bench_->TurnTo(i));
    TRY_DONE(bench_->BringRoot());
  }
  return {};
}

Result<Reaction> PythonEvaluator::BuildFor(const Candidate& candidate) {
  is_built_ = NeedsBuilding(candidate.source);
  if (!is_built_) return Reaction{};
  if (ToolsOf(candidate.source, options_.device).Any()) {
    TRY(provided, trusted_preload_.Make(Options()));
    if (provided.verdict != Verdict::kPassed) return provided;
  }
  TRY(builder, prewarmed_workers_->Take(Options(), WorkerRole::kBuilder));
  auto done = Build(*builder.kernel_worker, *bench_, candidate);
  builder.kernel_worker.reset();  // It may hold open what it has removed.
  if (!done) {
    TRY(log, Blame(done.error()));
    return Reaction{{{Verdict::kCrashed, std::move(log)}}};
  }
  Reaction& built = *done;
  built_ = std::move(builder.cache);
  if (built.verdict != Verdict::kPassed) {
    built_ = ScratchFolder();  // Whoever fills the disk has failed by itself.
    TRY_DONE(CheckRoom(options_.cache_directory, kLeastBuildingRoom));
  }
  return built;
}

// What beside a candidate, which is gone now, went wrong with the task: it is
// the candidate's if the task does well without it.  The error if not.
Result<std::string> PythonEvaluator::Blame(const Error& error) {
  if (error.code != Errc::kUsage && error.code != Errc::kUnfit &&
      error.code != Errc::kUnavailable) {
    return tl::unexpected<Error>(error);
  }
  const Task task = bench_->task();
  const std::size_t at = bench_->CaseNumber();
  bench_.reset();
  if (!Adopt(task) || !bench_->TurnTo(at) || !bench_->BringRoot()) {
    return tl::unexpected<Error>(error);
  }
  return "the task itself fails beside it: " + error.what;
}

Result<EvaluationSession> PythonEvaluator::RunOneSession(
    const Candidate& candidate, Tier tier) {
  auto session = BeginSession(candidate, tier);
  if (session) {
    TRY_DONE(controls_->Enter(session->workloads));
    return session;
  }
  TRY(log, Blame(session.error()));
  EvaluationSession blamed;
  blamed.verdict = Verdict::kCrashed;
  blamed.log = log + "\n";
  return blamed;
}

Result<EvaluationSession> PythonEvaluator::BeginSession(
    const Candidate& candidate, Tier tier) {
  TRY(own, prewarmed_workers_->Take(Options(), WorkerRole::kKernel));
  if (is_built_) {
    TRY(is_whole, CopyBuilt(built_.path(), own.cache.path()));
    if (!is_whole) {
      EvaluationSession session;
      session.verdict = Verdict::kCompileFailed;
      session.log = std::string(kTooMuchBuilt) + "\n";
      return session;
    }
  }
  KernelWorker& kernel_worker = *own.kernel_worker;
  TRY(session, RunWholeSession(kernel_worker, candidate, tier));
  compile_s_ += kernel_worker.compile_s();
  session.check_s -= kernel_worker.compile_s();
  if (session.verdict == Verdict::kCrashed && options_.device != kHost) {
    own.kernel_worker.reset();  // With the memory that it holds.
    const auto start = Clock::now();
    TRY_DONE(ExplainCrash(candidate, session));
    session.check_s += Seconds(Clock::now() - start);
  }
  return session;
}

// Why it crashed is not known otherwise: it stays a crash if that cannot be
// found out.
Result<void> PythonEvaluator::ExplainCrash(const Candidate& candidate,
                                           EvaluationSession& crashed) {
  TRY(own, prewarmed_workers_->Take(Options(), WorkerRole::kKernel));
  if (is_built_) TRY_DONE(CopyBuilt(built_.path(), own.cache.path()));
  const auto changes = ChangesInputs(*bench_, *own.kernel_worker, candidate);
  if (!changes && changes.error().code == Errc::kCancelled) {
    return tl::unexpected<Error>(changes.error());
  }
  if (!changes || !*changes) return {};
  Outcome outcome = Rejected(Breach::kWroteInput, "it changed an input\n");
  for (WorkloadResult& result : crashed.workloads) {
    if (result.verdict != Verdict::kCrashed) continue;
    result.verdict = outcome.verdict;
    result.breach = outcome.breach;
  }
  static_cast<Outcome&>(crashed) = std::move(outcome);
  return {};
}

// Enters one case's.
void Add(EvaluationSession one, bool is_timed, EvaluationSession& all) {
  std::string log = std::move(all.log);
  if (log.find(one.log) == std::string::npos) log += one.log;
  static_cast<Outcome&>(all) = one;
  all.log = std::move(log);
  all.hint = one.hint;
  all.check_s += one.check_s;
  all.timing_s += one.timing_s;
  if (!is_timed && one.verdict == Verdict::kPassed) return;
  // It says where it failed.
  std::ranges::move(one.workloads, std::back_inserter(all.workloads));
}

Result<void> PythonEvaluator::RenewControl() {
  TRY(control, prewarmed_workers_->Take(Options(), WorkerRole::kKernel));
  return bench_->RenewControl(std::move(control));
}

// All cases in one process, as their own evaluators have it; those that are not
// timed only the first time.
Result<EvaluationSession> PythonEvaluator::RunWholeSession(
    KernelWorker& kernel_worker, const Candidate& candidate, Tier tier) {
  EvaluationSession all;
  bool has_control = false;
  const std::vector<Case>& cases = bench_->cases();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!cases[i].is_timed && is_tested_) continue;
    if (kernel_worker.HasLoaded()) {
      TRY(parted, kernel_worker.Part());
      if (parted.verdict != Verdict::kPassed) {
        static_cast<Outcome&>(all) = parted;
        return all;
      }
    }
    TRY_DONE(bench_->TurnTo(i));
    TRY_DONE(bench_->BringRoot());
    const bool wants = cases[i].is_timed && IsTimed();
    if (wants && !has_control && bench_->WantsControl()) {
      TRY_DONE(RenewControl());
      has_control = true;
    }
    TRY(one, RunSessionWith(kernel_worker, candidate, tier));
    Add(std::move(one), cases[i].is_timed, all);
    if (all.verdict != Verdict::kPassed) return all;
    // While it is at hand; whoever wants it says what was wrong.
    if (cases.size() > 1 && cases[i].is_timed && IsTimed()) {
      static_cast<void>(bench_->LeastWriting(i));
    }
  }
  is_tested_ = true;
  return all;
}

Result<EvaluationSession> PythonEvaluator::RunSessionWith(
    KernelWorker& kernel_worker, const Candidate& candidate, Tier tier) {
  Effort effort = EffortOf(tier);
  effort.cancelled = options_.cancelled;
  if (!IsTimed()) effort.timing.reset();
  if (bench_->device_name().empty()) effort.stability = &stability_;
  return RunSession(*bench_, kernel_worker, candidate, effort);
}

// Another time, with more memory, a crash may be a verdict.
bool IsDecided(const Finding& finding) {
  return finding.found == Verdict::kPassed ||
         finding.found == Verdict::kWrongOutput;
}

// A problem that is sound may need more time, or memory, than there is.
Result<std::string> NotItsFault(Result<std::string> found) {
  const bool is_ours = !found && found.error().code != Errc::kUsage &&
                       found.error().code != Errc::kUnfit;
  if (found || is_ours) return found;
  return Fail(Errc::kUnavailable, found.error().what);
}

Result<std::string> PythonEvaluator::Hardware() {
  if (IsCpu(options_.device)) return ProcessorName();
  TRY(where, Where());
  return where->hardware;
}

Result<std::vector<Finding>> PythonEvaluator::JudgeNulls(const Task& task,
                                                         Anew anew) {
  std::vector<std::vector<Finding>> by_workload;
  const std::vector<Case> cases = CasesOf(task);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!cases[i].is_timed) continue;
    TRY(found, JudgeNullsOn(task, i, anew));
    if (found.empty()) return found;  // Not known of all.
    by_workload.push_back(std::move(found));
  }
  return ByCandidate(std::move(by_workload));
}

Result<std::vector<Finding>> PythonEvaluator::JudgeNullsOn(const Task& task,
                                                           std::size_t number,
                                                           Anew anew) {
  const std::string order = NullsOrder(RuleOf(task));
  const std::string workload = CasesOf(task)[number].workload;
  TRY(hardware, Hardware());
  const NullResultCache kept(Options(), options_.cache_bytes, hardware, task,
                             order + std::to_string(number));
  if (anew != Anew::kYes) {
    if (auto findings = ReadFindings(workload, kept.Find())) return *findings;
  }
  if (anew == Anew::kNever) return std::vector<Finding>{};
  TRY(text, JudgeNullsNow(task, number, order));
  auto findings = ReadFindings(workload, text);
  if (!findings) {
    return Fail(Errc::kUnavailable,
                task.definition.name + ": cannot be judged");
  }
  const bool is_decided = std::ranges::all_of(*findings, IsDecided);
  if (is_decided) static_cast<void>(kept.Keep(text));  // Or it is done again.
  return *std::move(findings);
}

Result<std::string> PythonEvaluator::JudgeNullsNow(const Task& task,
                                                   std::size_t number,
                                                   const std::string& order) {
  if (bench_ != nullptr && SameTask(bench_->task(), task)) {
    TRY_DONE(bench_->TurnTo(number));
    return NotItsFault(bench_->problem().JudgeNulls(order, bench_->NextSeed()));
  }
  TRY_DONE(MustFit(task, options_.device));
  imports_ = ImportsOf(task.definition.reference);
  // The root's, which imports torch meanwhile.
  TRY_DONE(prewarmed_workers_->Launch(Options(), WorkerRole::kKernel, 1));
  RandomStream stream(seed_++, Purpose::kInputs, 0);
  TRY(problem, OpenProblem(Options(), *prewarmed_workers_, task,
                           stream.NextU64(), number));
  // Else it would be said to fail in double precision.
  TRY_DONE(MustRepeat(*problem, task, stream.NextU64()));
  TRY(found, NotItsFault(problem->JudgeNulls(order, stream.NextU64())));
  prewarmed_workers_->Keep(std::move(problem));
  return found;
}

// What its compilers left is still there.
Result<void> PythonEvaluator::LookAt(const Candidate& candidate,
                                     Evaluation& evaluation) {
  if (options_.onlookers == Onlookers::kNone) return {};
  const Subject subject{candidate,
                        is_built_ ? built_.path() : std::filesystem::path()};
  // The profile is of the first case that is timed.
  const auto first = std::ranges::find_if(bench_->cases(), &Case::is_timed);
  TRY_DONE(bench_->TurnTo(
      static_cast<std::size_t>(first - bench_->cases().begin())));
  WorkloadResult& result = evaluation.workloads.front();
  if (IsForSanitizers()) {
    TRY(conclusion, Sanitize(*bench_, Options(), subject));
    evaluation.log += conclusion.log;
    evaluation.verdict = result.verdict = conclusion.verdict;
    evaluation.breach = result.breach = conclusion.breach;
  } else if (options_.onlookers == Onlookers::kProfilers &&
             options_.device != kHost) {
    TRY(counted, CountKernels(*bench_, Options(), subject));
    result.profile.emplace();
    result.profile->kernels = std::move(counted.kernels);
    for (KernelProfile& kernel : result.profile->kernels) {
      kernel.name = cuda::PlainName(kernel.name);
    }
    result.profile->note = std::move(counted.note);
  }
  return {};
}

// Ends an evaluation before the candidate was called.
Evaluation EndedBy(const Reaction& reaction, Evaluation evaluation) {
  evaluation.verdict = reaction.verdict;
  evaluation.breach = reaction.breach;
  evaluation.log = reaction.log + "\n";
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
  evaluation.environment = Describe();
  TRY_DONE(Prestart(task, candidate));
  TRY_DONE(Adopt(task));
  if (!bench_->device_name().empty()) {
    TellDevice(*bench_, evaluation.environment);
    if (options_.gpu) evaluation.device = options_.gpu->uuid;
  }
  TRY(read, bench_->problem().Check(candidate.source, candidate.entry_symbol,
                                    bench_->DelegationOf(candidate)));
  if (read.verdict != Verdict::kPassed) {
    return EndedBy(read, std::move(evaluation));
  }
  is_tested_ = false;
  const auto start = Clock::now();
  TRY(built, BuildFor(candidate));
  compile_s_ = Seconds(Clock::now() - start);
  evaluation.compile_s = compile_s_;
  if (built.verdict != Verdict::kPassed) {
    return EndedBy(built, std::move(evaluation));
  }
  TRY(first, RunOneSession(candidate, tier));
  const bool is_proved = tier == Tier::kFull &&
                         first.verdict == Verdict::kPassed &&
                         task.protocol == Protocol::kCoppice && IsTimed();
  Enter(first, 0, evaluation);
  if (is_proved) {
    TRY_DONE(RepeatUntilTwoAgree(
        std::move(first), [&] { return RunOneSession(candidate, tier); },
        evaluation));
  }
  evaluation.compile_s = compile_s_;
  if (evaluation.verdict == Verdict::kPassed) {
    TRY_DONE(LookAt(candidate, evaluation));
  }
  if (!IsTimed()) return evaluation;
  if (evaluation.verdict == Verdict::kPassed) {
    TRY_DONE(traffic_floor_.Hold(*bench_, evaluation));
  }
  if (evaluation.verdict == Verdict::kPassed) {
    Digested(task.protocol, evaluation);
  }
  // The next candidate's, while it is thought of; there may be none.
  if (++evaluations_ > 1) {
    TRY_DONE(prewarmed_workers_->Launch(Options(), WorkerRole::kKernel, 1));
  }
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
  options.cache_directory =
      torch::OptionsFor(options, interpreter, options.device).caches;
  TRY(seed, SecretSeed(options.input_seed));
  return std::make_unique<torch::PythonEvaluator>(std::move(options),
                                                  std::move(interpreter), seed);
}

}  // namespace coppice::eval
