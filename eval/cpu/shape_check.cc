#include "eval/cpu/shape_check.h"

#include <vector>

#include "eval/cpu/channel.h"
#include "eval/judge/measurement.h"
#include "eval/judge/sitting.h"

namespace coppice::eval {
namespace {

constexpr int kPlainCalls = 2;
constexpr std::size_t kKinds = 2;

Result<Outcome> Check(Bench& bench, const Program& program,
                      const std::vector<std::uint32_t>& kinds) {
  CpuChannel channel(bench, {.program = program});
  Measurement measurement(
      channel, {.workload = bench.workload().uuid, .seed = bench.Secret()});
  TRY_DONE(measurement.Load());
  TRY_DONE(measurement.Check({.plain = kPlainCalls, .kinds = kinds}));
  if (measurement.Passing()) return Outcome{};
  return Outcome{measurement.result().verdict,
                 measurement.log() + "\n" + Quote(channel.Output()),
                 measurement.result().breach};
}

// Numbers from 1 on.
std::vector<std::uint32_t> SomeKinds(Bench& bench) {
  std::vector<std::uint32_t> kinds;
  const std::size_t all = bench.adversarial().size();
  for (std::size_t i = 0; all > 0 && i < kKinds; ++i) {
    kinds.push_back(static_cast<std::uint32_t>(1 + bench.Secret() % all));
  }
  return kinds;
}

}  // namespace

Result<std::optional<Outcome>> CheckOnShape(const Task& task,
                                            const Workload& workload,
                                            const BenchOptions& options,
                                            const Program& program) {
  const auto none = std::optional<Outcome>();
  auto bench = Bench::Open(options, task, workload);
  // The oracle does not answer, or nothing can be made of such a shape.
  if (!bench && bench.error().code == Errc::kUsage) return none;
  if (!bench) return tl::unexpected<Error>(std::move(bench).error());
  const std::vector<std::uint32_t> kinds = SomeKinds(**bench);
  TRY(root, Check(**bench, options.root, kinds));
  if (root.verdict != Verdict::kPassed) return none;
  TRY(candidate, Check(**bench, program, kinds));
  return std::optional<Outcome>(std::move(candidate));
}

}  // namespace coppice::eval
