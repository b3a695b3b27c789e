#include "eval/cuda/tracing.h"

#include <utility>

#include "eval/cuda/bench.h"
#include "eval/cuda/profiling.h"

namespace coppice::eval::cuda {
namespace {

constexpr std::uint32_t kSet = 0;
constexpr std::uint32_t kData = 0;

// Traces the second of two calls.
Result<RunnerAnswer> TraceOne(CudaBench& bench, KernelProcess& kernel_process,
                              double timeout_s) {
  RunnerAnswer answer;
  for (int i = 0; i < 2 && answer.verdict == Verdict::kPassed; ++i) {
    TRY_DONE(bench.Stage(kSet, kData));
    TRY_ASSIGN(answer, kernel_process.TakeInventory(
                           kSet, bench.SurroundingsOf(kData), timeout_s));
  }
  return answer;
}

Traced NoTrace(std::string note, bool has_failed = false) {
  Traced traced;
  traced.note = std::move(note);
  traced.has_failed = has_failed;
  return traced;
}

}  // namespace

std::filesystem::path FindCupti(const std::filesystem::path& toolkit) {
  for (const char* folder : {"extras/CUPTI/lib64", "lib64", "lib"}) {
    for (const char* name : {"libcupti.so.13", "libcupti.so.12"}) {
      std::error_code error;
      auto file = std::filesystem::canonical(toolkit / folder / name, error);
      if (!error) return file;
    }
  }
  return {};
}

Result<Traced> Trace(const RunnerOptions& options,
                     const std::vector<std::unique_ptr<CudaBench>>& benches,
                     const std::vector<RunnerProgram>& assignments,
                     double timeout_s) {
  if (options.profiler.empty()) {
    return NoTrace("CUPTI, which would time each kernel, is not installed.");
  }
  TRY(started, RunnerProcess::Start(options));
  const std::shared_ptr<RunnerProcess> process = std::move(started);
  if (auto ready = process->Ready(); !ready) {
    if (ready.error().code == Errc::kCancelled) {
      return tl::unexpected(ready.error());
    }
    return NoTrace("CUPTI does not work here: " + ready.error().what + ".");
  }
  Traced traced;
  for (std::size_t i = 0; i < benches.size(); ++i) {
    CudaBench& bench = *benches[i];
    TRY(kernel_process,
        KernelProcess::Open(process, static_cast<std::uint32_t>(i),
                            assignments[i], bench.shapes(), bench.sets(),
                            bench.tensors(), timeout_s));
    RunnerAnswer answer;
    if (kernel_process.opened().verdict == Verdict::kPassed) {
      TRY_ASSIGN(answer, TraceOne(bench, kernel_process, timeout_s));
    } else {
      answer.verdict = kernel_process.opened().verdict;
      answer.log = kernel_process.opened().log;
    }
    if (answer.verdict != Verdict::kPassed) {
      return NoTrace("Under CUPTI it fails: " + answer.log + ".", true);
    }
    const KernelInventory& inventory = answer.reply.inventory;
    if (inventory.status != 0) {
      return NoTrace("CUPTI does not work here (error " +
                     std::to_string(inventory.status) + ").");
    }
    traced.inventories.push_back(inventory);
  }
  return traced;
}

}  // namespace coppice::eval::cuda
