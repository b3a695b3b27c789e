#include "eval/cuda/loaded_task.h"

#include <future>
#include <utility>

#include "eval/cuda/adversarial.h"
#include "eval/cuda/host_clock.h"
#include "eval/cuda/launch_plan.h"
#include "eval/cuda/runner_pool.h"
#include "eval/cuda/tool_run.h"
#include "eval/cuda/toolchain.h"
#include "eval/host/machine.h"
#include "eval/judge/same_task.h"
#include "store/records/random.h"

namespace coppice::eval::cuda {
namespace {

constexpr double kCalibrationSeconds = 60.0;
constexpr int kAdversarialAhead = 2;  // Kinds that the first candidate meets.

}  // namespace

Result<std::unique_ptr<LoadedTask>> LoadedTask::Make(const Toolchain& toolchain,
                                                     RunnerPool& runners,
                                                     const Task& task,
                                                     InputSource& inputs) {
  if (task.workloads.empty()) {
    return Fail(Errc::kUsage, task.definition.name + ": has no workload");
  }
  auto loaded_task = std::make_unique<LoadedTask>();
  loaded_task->task = task;
  std::vector<std::unique_ptr<AdversarialInputs>> adversarial;
  for (const Workload& workload : loaded_task->task.workloads) {
    RandomStream stream(inputs.seed, Purpose::kInputs, ~inputs.next_stream++);
    TRY(ahead,
        AdversarialInputs::Make(loaded_task->task, workload, stream.NextU64()));
    for (int i = 0; i < kAdversarialAhead; ++i) ahead->BeginAnother();
    adversarial.push_back(std::move(ahead));
  }
  // All three make their contexts while the compiler works.
  TRY(trusted_runner, runners.Start());
  TRY(root_runner, runners.Start());
  TRY_DONE(runners.StartNext());
  auto compiling = std::async(std::launch::async, [&] {
    return PrepareTrusted(toolchain, task, task.oracle, PlanSide::kOracle);
  });
  TRY(root, PrepareTrusted(toolchain, task, task.root, PlanSide::kKernel));
  TRY(oracle, compiling.get());
  TRY_DONE(trusted_runner->Ready());
  TRY_DONE(root_runner->Ready());
  loaded_task->runners = {trusted_runner, root_runner};
  for (std::size_t i = 0; i < task.workloads.size(); ++i) {
    CudaBenchOptions options{.root = root.assignments[i],
                             .oracle = oracle.assignments[i],
                             .number = static_cast<std::uint32_t>(i),
                             .seed = inputs.seed,
                             .stream = inputs.next_stream++,
                             .adversarial = std::move(adversarial[i])};
    TRY(bench,
        CudaBench::Open(loaded_task->runners, std::move(options),
                        loaded_task->task, loaded_task->task.workloads[i]));
    loaded_task->benches.push_back(std::move(bench));
  }
  loaded_task->root = std::move(root);
  loaded_task->oracle = std::move(oracle);
  return loaded_task;
}

LoadedTask::~LoadedTask() = default;

Result<void> LoadedTask::OpenClocks(InputSource& inputs,
                                    std::uint64_t memory_bytes) {
  while (clocks.size() < benches.size()) {
    const std::size_t workload = clocks.size();
    TRY(clock, HostClock::Open(runners,
                               {.root = root.assignments[workload],
                                .oracle = oracle.assignments[workload],
                                .number = ClockNumber(workload),
                                .seed = inputs.seed,
                                .stream = inputs.next_stream++,
                                .adversarial = nullptr},
                               *benches[workload], memory_bytes));
    clocks.push_back(std::move(clock));
  }
  return {};
}

std::uint32_t LoadedTask::ClockNumber(std::size_t workload) const {
  return static_cast<std::uint32_t>(task.workloads.size() + workload);
}

void LoadedTask::BeginInputs() {
  for (const auto& bench : benches) bench->adversarial().BeginAnother();
}

Result<Abilities> LoadedTask::Calibrate(const std::string& device,
                                        const std::atomic<bool>* cancelled) {
  TRY(lock, MeasurementLock::Acquire(cancelled, device));
  TRY(answer, runners.trusted_runner->Ask(RequestFor(RequestKind::kCalibrate),
                                          kCalibrationSeconds));
  if (answer.verdict != Verdict::kPassed) {
    return Fail(Errc::kUnavailable, "CUDA: calibration: " + answer.log);
  }
  return answer.reply.abilities;
}

Result<void> LoadedTask::CheckHealth() {
  for (const auto& bench : benches) TRY_DONE(bench->CheckRoot());
  return {};
}

}  // namespace coppice::eval::cuda
