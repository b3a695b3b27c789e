#include "eval/cpu/shape_check.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "eval/cpu/bench.h"
#include "eval/cpu/channel.h"
#include "eval/cpu/task_bench.h"
#include "eval/host/thread_pool.h"
#include "eval/host/waiting.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/measurement.h"
#include "eval/judge/other_shapes.h"

namespace coppice::eval {
namespace {

constexpr int kPlainCalls = 2;
constexpr std::size_t kAdversarialCalls = 2;

Result<Outcome> Check(CpuBench& bench, const Program& program,
                      const std::vector<std::uint32_t>& kinds,
                      std::mutex& turn) {
  CpuChannel channel(bench, {.program = program, .turn = &turn});
  Measurement measurement(
      channel, {.workload = bench.workload().uuid, .seed = bench.Secret()});
  TRY_DONE(measurement.Load());
  TRY_DONE(measurement.Check({.plain = kPlainCalls, .kinds = kinds}));
  return OutcomeOf(measurement, channel.Output());
}

// Numbers from 1 on.
std::vector<std::uint32_t> SomeKinds(CpuBench& bench) {
  std::vector<std::uint32_t> kinds;
  const std::size_t all = bench.adversarial().size();
  for (std::size_t i = 0; all > 0 && i < kAdversarialCalls; ++i) {
    kinds.push_back(static_cast<std::uint32_t>(1 + bench.Secret() % all));
  }
  return kinds;
}

// A few calls on plain and on adversarial inputs, all drawn by the seed of
// `options`, in processes of their own.  Those with the same `turn` call theirs
// one after the other.
Result<OnShape> CheckOnShape(const Task& task, const Workload& workload,
                             const CpuBenchOptions& options,
                             const Program& program, std::mutex& turn) {
  OnShape judged;
  auto bench = CpuBench::Open(options, task, workload);
  if (!bench) {
    // The oracle does not answer, or nothing can be made of such a shape.
    if (bench.error().code != Errc::kUsage) {
      return tl::unexpected<Error>(std::move(bench).error());
    }
    judged.root = {Verdict::kCrashed, bench.error().what};
    return judged;
  }
  const std::vector<std::uint32_t> kinds = SomeKinds(**bench);
  auto root = Check(**bench, options.root, kinds, turn);
  if (!root) {
    if (root.error().code != Errc::kUsage) {
      return tl::unexpected<Error>(std::move(root).error());
    }
    root = Outcome{Verdict::kCrashed, root.error().what};
  }
  judged.root = *std::move(root);
  if (judged.root.verdict != Verdict::kPassed) return judged;
  TRY_ASSIGN(judged.candidate, Check(**bench, program, kinds, turn));
  return judged;
}

}  // namespace

Result<void> CheckOtherShapes(const CpuTaskBench& task_bench,
                              const Program& program, std::uint64_t seed,
                              ThreadPool& pool, Evaluation& evaluation) {
  const auto start = Clock::now();
  std::mutex turn;  // Threads that spin would wait for each other's processor.
  const auto check = [&](const Workload& workload, std::uint64_t inputs_seed) {
    CpuBenchOptions options = *task_bench.options;
    options.seed = inputs_seed;
    options.stream = 0;  // All that the candidate meets is the seed's.
    options.pool_s = 0.0;
    options.candidate.memory_bytes =
        std::min(options.candidate.memory_bytes, MemoryFor(kOtherShapes));
    return CheckOnShape(task_bench.task, workload, options, program, turn);
  };
  std::vector<OtherShape> shapes(kOtherShapes);
  TRY_DONE(pool.ForEach(shapes.size(), [&](std::size_t i) -> Result<void> {
    TRY_ASSIGN(shapes[i], CheckOtherShape(task_bench.task, seed,
                                          static_cast<int>(i), check));
    return {};
  }));
  evaluation.check_s += Seconds(Clock::now() - start);
  Enter(shapes, evaluation);
  return {};
}

}  // namespace coppice::eval
