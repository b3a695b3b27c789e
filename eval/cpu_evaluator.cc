#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "eval/bench.h"
#include "eval/compiler.h"
#include "eval/evaluator.h"
#include "eval/machine.h"
#include "eval/sandbox.h"
#include "eval/trial.h"

namespace coppice::eval {
namespace {

constexpr std::size_t kPrintedLimit = 4096;           // Of it in a log.
constexpr std::uint64_t kCandidateCpuSeconds = 1200;  // Beyond any deadline.
constexpr std::uint64_t kMostMemory = std::uint64_t{4} << 30;
constexpr std::uint64_t kLeastMemory = std::uint64_t{512} << 20;

struct Depth {
  Checks checks;   // Per workload, before timing.
  double fresh_s;  // Per workload, for data sets that are made for it.
  TimingBudget timing;
};

Depth DepthOf(Tier tier) {
  if (tier == Tier::kFast) {
    return {{.plain = 3, .adversarial = 2}, 0.03, {5, 40, 0.1, 0.01}};
  }
  constexpr auto kAll = std::numeric_limits<std::size_t>::max();
  return {{.plain = 10, .adversarial = kAll, .repeat = true},
          0.5,
          {10, 200, 1.0, 0.005}};
}

// Everything that is kept for the task that was evaluated last.
struct TaskBench {
  Task task;
  std::vector<std::unique_ptr<Bench>> workloads;
};

const std::string& SourceOf(const Solution& solution) {
  static const std::string none;
  for (const SourceFile& file : solution.sources) {
    if (file.path == solution.entry_file) return file.content;
  }
  return none;
}

// Equal as far as judging goes.
bool SameTask(const Task& a, const Task& b) {
  const auto axes_and_ids = [](const Task& task) {
    std::string text = task.definition.name;
    for (const Workload& workload : task.workloads) {
      text += "\n" + workload.uuid;
      for (const auto& [axis, value] : workload.axes) {
        text += " " + axis + "=" + std::to_string(value);
      }
    }
    return text;
  };
  return axes_and_ids(a) == axes_and_ids(b) &&
         SourceOf(a.root) == SourceOf(b.root) &&
         SourceOf(a.oracle) == SourceOf(b.oracle) &&
         a.definition.tags == b.definition.tags &&
         a.tolerance.factor == b.tolerance.factor;
}

// "workload ID (M=33, N=17): "
std::string Prefix(const Workload& workload) {
  std::string axes;
  for (const auto& [axis, value] : workload.axes) {
    axes += (axes.empty() ? "" : ", ") + axis + "=" + std::to_string(value);
  }
  return "workload " + workload.uuid + " (" + axes + "): ";
}

// For one process of a candidate, of which there is one for each workload at a
// time: together they get half of the machine's.
std::uint64_t MemoryFor(std::size_t workloads) {
  return std::clamp(MemoryBytes() / 2 / workloads, kLeastMemory, kMostMemory);
}

// Enters a trial's result, and its log under the first failure or a pass.
void Record(const Trial& trial, const Bench& bench, Evaluation& evaluation) {
  for (WorkloadResult& result : evaluation.workloads) {
    if (result.workload == trial.result().workload) result = trial.result();
  }
  const Verdict verdict = trial.result().verdict;
  const bool explains = verdict == evaluation.verdict
                            ? verdict == Verdict::kPassed
                            : evaluation.verdict == Verdict::kPassed;
  if (!explains || trial.log().empty()) return;
  evaluation.verdict = verdict;
  evaluation.log += Prefix(bench.workload()) + trial.log() + "\n";
  if (verdict == Verdict::kPassed) return;
  std::string printed = trial.Output();
  if (printed.empty()) return;
  if (printed.size() > kPrintedLimit) {
    printed.resize(kPrintedLimit);
    printed += "\n[cut]";
  }
  evaluation.log += "it printed:\n" + printed + "\n";
}

class CpuEvaluator : public Evaluator {
 public:
  CpuEvaluator(CpuEvaluatorOptions options, Compiler compiler,
               std::uint64_t seed)
      : options_(std::move(options)),
        compiler_(std::move(compiler)),
        seed_(seed) {}

  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override;

 private:
  Result<void> Adopt(const Task& task);
  Result<std::filesystem::path> CompileTrusted(const Task& task,
                                               const Solution& solution);
  Result<void> Check(const Candidate& candidate, const Compiled& compiled,
                     const Depth& depth, Evaluation& evaluation);
  Result<void> Time(const Depth& depth, Evaluation& evaluation);
  SessionOptions Options() const;
  Environment Describe() const;

  CpuEvaluatorOptions options_;
  Compiler compiler_;
  std::uint64_t seed_;
  std::uint64_t next_stream_ = 0;
  std::unique_ptr<TaskBench> bench_;
  std::vector<std::unique_ptr<Trial>> trials_;  // Of the present candidate.
};

SessionOptions CpuEvaluator::Options() const {
  return {.runner = options_.runner,
          .object = {},
          .entry = {},
          .threads = options_.threads,
          .timeout_s = options_.call_timeout_s,
          .cancelled = options_.cancelled};
}

Environment CpuEvaluator::Describe() const {
  return {.hardware = ProcessorName(),
          .threads = options_.threads,
          .system = SystemName(),
          .driver = "",
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
  BenchOptions options{.session = Options(),
                       .root = {},
                       .root_entry = task.root.entry_symbol,
                       .oracle = {},
                       .oracle_entry = task.oracle.entry_symbol,
                       .seed = seed_};
  TRY(root, CompileTrusted(task, task.root));
  TRY(oracle, CompileTrusted(task, task.oracle));
  options.root = root;
  options.oracle = oracle;
  for (const Workload& workload : adopted->task.workloads) {
    options.stream = next_stream_++;
    TRY(bench, Bench::Open(options, adopted->task, workload));
    adopted->workloads.push_back(std::move(bench));
  }
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
  evaluation.environment = Describe();
  const Depth depth = DepthOf(tier);

  auto start = Clock::now();
  const auto lap = [&start] {
    const auto begun = std::exchange(start, Clock::now());
    return Seconds(start - begun);
  };
  TRY(compiled, compiler_.Compile(candidate.source, candidate.entry_symbol));
  evaluation.compile_s = lap();
  if (compiled.verdict != Verdict::kPassed) {
    evaluation.verdict = compiled.verdict;
    evaluation.log = std::move(compiled.diagnostics);
    return evaluation;
  }
  auto checked = Check(candidate, compiled, depth, evaluation);
  evaluation.check_s = lap();
  if (checked && evaluation.verdict == Verdict::kPassed) {
    checked = Time(depth, evaluation);
    evaluation.timing_s = lap();
  }
  trials_.clear();  // Its processes are gone before anybody hears of it.
  if (!checked) return tl::unexpected<Error>(std::move(checked).error());
  if (evaluation.verdict == Verdict::kPassed) Summarise(evaluation);
  return evaluation;
}

Result<void> CpuEvaluator::Check(const Candidate& candidate,
                                 const Compiled& compiled, const Depth& depth,
                                 Evaluation& evaluation) {
  SessionOptions options = Options();
  options.object = compiled.object;
  options.entry = candidate.entry_symbol;
  options.cpu_limit_s = kCandidateCpuSeconds;
  options.memory_bytes = MemoryFor(bench_->workloads.size());
  evaluation.verdict = Verdict::kPassed;
  for (const auto& bench : bench_->workloads) {
    evaluation.workloads.emplace_back().workload = bench->workload().uuid;
    // The next workload would cost the whole time limit again.
    if (evaluation.verdict == Verdict::kTimedOut) continue;
    auto trial = std::make_unique<Trial>(*bench, options, depth.fresh_s);
    TRY_DONE(trial->Check(depth.checks));
    Record(*trial, *bench, evaluation);
    trials_.push_back(std::move(trial));
  }
  return {};
}

Result<void> CpuEvaluator::Time(const Depth& depth, Evaluation& evaluation) {
  TRY(lock, MeasurementLock::Acquire(options_.cancelled));
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    TRY_DONE(trials_[i]->Time(depth.timing));
    Record(*trials_[i], *bench_->workloads[i], evaluation);
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
  TRY_DONE(ProbeSandbox());
  TRY(compiler, Compiler::Find(options.cache_directory,
                               options.compile_timeout_s, options.cancelled));
  std::uint64_t seed = options.input_seed.value_or(0);
  if (!options.input_seed && getrandom(&seed, sizeof seed, 0) != sizeof seed) {
    return Fail(Errc::kUnavailable, "getrandom: no random numbers");
  }
  return std::make_unique<CpuEvaluator>(std::move(options), std::move(compiler),
                                        seed);
}

}  // namespace coppice::eval
