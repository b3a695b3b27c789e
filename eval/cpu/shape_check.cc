#include "eval/cpu/shape_check.h"

#include <vector>

#include "eval/cpu/bench.h"
#include "eval/cpu/channel.h"
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

}  // namespace

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

}  // namespace coppice::eval
