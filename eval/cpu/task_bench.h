// What is kept for the C++ task that was evaluated last.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice {
struct WorkloadResult;
}

namespace coppice::eval {

class Compiler;
class ControlCandidates;
class CpuBench;
struct CpuBenchOptions;
class ThreadPool;

// What a candidate's process may use of a processor: beyond any deadline.
inline constexpr std::uint64_t kCandidateCpuSeconds = 1200;

// For one process of a candidate, of which there is one for each workload at a
// time: together they get half of the machine's memory.
std::uint64_t MemoryFor(std::size_t workloads);

struct TaskBenchTerms {
  std::filesystem::path runner;
  int threads = 1;
  double call_timeout_s = 10.0;
  const std::atomic<bool>* cancelled = nullptr;
  std::uint64_t seed = 0;    // Of all inputs; keep it secret.
  std::uint64_t stream = 0;  // The first; each workload has one.
};

struct CpuTaskBench {
  // kUsage: the task's root or oracle is none.
  static Result<std::unique_ptr<CpuTaskBench>> Open(const Compiler& compiler,
                                                    const TaskBenchTerms& terms,
                                                    const Task& task,
                                                    ThreadPool& pool);
  CpuTaskBench();
  ~CpuTaskBench();

  bool IsOf(const Task& other) const;

  // A runner for each workload's next candidate.
  Result<void> Prestart(ThreadPool& pool);
  Result<void> Reseed(ThreadPool& pool);  // CpuBench::Reseed of each.
  // ControlCandidates::Enter.
  Result<void> EnterControls(std::vector<WorkloadResult>& results);

  Task task;
  std::unique_ptr<CpuBenchOptions> options;  // Of all, but for their streams.
  std::vector<std::unique_ptr<CpuBench>> workloads;
  std::unique_ptr<ControlCandidates> controls;
};

}  // namespace coppice::eval
