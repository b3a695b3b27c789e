#include "eval/cpu/task_bench.h"

#include <algorithm>
#include <filesystem>
#include <future>
#include <utility>

#include "eval/cpu/bench.h"
#include "eval/host/affinity.h"
#include "eval/host/machine.h"
#include "eval/host/thread_pool.h"
#include "eval/judge/control_candidates.h"
#include "eval/judge/same_task.h"
#include "eval/sandbox/compiler.h"

namespace coppice::eval {
namespace {

constexpr std::uint64_t kMostMemory = std::uint64_t{4} << 30;
constexpr std::uint64_t kLeastMemory = std::uint64_t{512} << 20;

Result<std::filesystem::path> CompileTrusted(const Compiler& compiler,
                                             const Task& task,
                                             const Solution& solution) {
  const auto broken = [&](const std::string& what) {
    return Fail(Errc::kUsage, task.definition.name + ": solution " +
                                  solution.name + ": " + what);
  };
  if (solution.language != Language::kCpp || solution.sources.size() != 1 ||
      !IsIdentifier(solution.entry_symbol)) {
    return broken("must be one C++ file with an entry symbol");
  }
  TRY(compiled, compiler.Compile(SourceOf(solution), solution.entry_symbol));
  if (compiled.verdict != Verdict::kPassed) {
    return broken("does not compile: " + compiled.diagnostics);
  }
  return compiled.object;
}

// Some of the processors that we may use ourselves, for candidates.
std::vector<int> FirstProcessors(int most) {
  std::vector<int> processors = ProcessorsOf(0);
  if (processors.size() > static_cast<std::size_t>(most)) {
    processors.resize(static_cast<std::size_t>(most));
  }
  return processors;
}

}  // namespace

std::uint64_t MemoryFor(std::size_t workloads) {
  return std::clamp(MemoryBytes() / 2 / workloads, kLeastMemory, kMostMemory);
}

CpuTaskBench::CpuTaskBench() = default;
CpuTaskBench::~CpuTaskBench() = default;

bool CpuTaskBench::IsOf(const Task& other) const {
  return SameTask(task, other);
}

Result<std::unique_ptr<CpuTaskBench>> CpuTaskBench::Open(
    const Compiler& compiler, const TaskBenchTerms& terms, const Task& task,
    ThreadPool& pool) {
  if (task.workloads.empty()) {
    return Fail(Errc::kUsage, task.definition.name + ": has no workload");
  }
  auto adopted = std::make_unique<CpuTaskBench>();
  adopted->task = task;
  const CpuRunnerOptions runner{.runner = terms.runner,
                                .scratch = compiler.cache(),
                                .environment = {},
                                .threads = terms.threads,
                                .processors = FirstProcessors(terms.threads),
                                .timeout_s = terms.call_timeout_s,
                                .cancelled = terms.cancelled};
  CpuBenchOptions options{.session = runner,
                          .candidate = runner,
                          .root = {{}, task.root.entry_symbol},
                          .oracle = {{}, task.oracle.entry_symbol},
                          .seed = terms.seed,
                          .stream = terms.stream};
  options.candidate.cpu_limit_s = kCandidateCpuSeconds;
  options.candidate.memory_bytes = MemoryFor(task.workloads.size());
  // What candidates derived from the root include is compiled ahead.
  auto precompiled = std::async(std::launch::async, [&] {
    return compiler.Precompile(SourceOf(task.root));
  });
  auto oracle = std::async(std::launch::async, [&] {
    return CompileTrusted(compiler, task, task.oracle);
  });
  TRY_ASSIGN(options.root.object, CompileTrusted(compiler, task, task.root));
  TRY_ASSIGN(options.oracle.object, oracle.get());
  adopted->options = std::make_unique<CpuBenchOptions>(options);
  adopted->workloads.resize(task.workloads.size());
  const auto open = [&](std::size_t i) -> Result<void> {
    CpuBenchOptions own = options;
    own.stream += i;
    TRY_ASSIGN(adopted->workloads[i],
               CpuBench::Open(std::move(own), adopted->task,
                              adopted->task.workloads[i]));
    return {};
  };
  TRY_DONE(pool.ForEach(task.workloads.size(), open));
  for (const auto& bench : adopted->workloads) TRY_DONE(bench->EstimateRoot());
  TRY_DONE(precompiled.get());
  adopted->controls = std::make_unique<ControlCandidates>(ControlsOf(
      compiler.cache(), ProcessorIdentity(), terms.threads, adopted->task));
  return adopted;
}

Result<void> CpuTaskBench::Prestart(ThreadPool& pool) {
  return pool.ForEach(workloads.size(),
                      [&](std::size_t i) { return workloads[i]->Prestart(1); });
}

Result<void> CpuTaskBench::Reseed(ThreadPool& pool) {
  return pool.ForEach(workloads.size(),
                      [&](std::size_t i) { return workloads[i]->Reseed(); });
}

Result<void> CpuTaskBench::EnterControls(std::vector<WorkloadResult>& results) {
  return controls->Enter(results);
}

}  // namespace coppice::eval
