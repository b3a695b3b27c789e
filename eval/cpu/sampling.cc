#include "eval/cpu/sampling.h"

#include <algorithm>
#include <utility>

#include "eval/cpu/bench.h"

namespace coppice::eval {
namespace {

// Shorter than a tick, and no divisor of what systems do periodically.
constexpr std::uint32_t kSampleUs = 487;

}  // namespace

Result<std::vector<std::uint64_t>> SampleCalls(CpuBench& bench,
                                               CpuRunnerOptions options,
                                               const Program& program,
                                               double seconds) {
  options.sample_us = kSampleUs;
  TRY(session,
      CpuRunner::Launch(options, bench.plan(), bench.inputs(), bench.slots()));
  TRY_DONE(session->Ready());
  TRY(observed, session->Load(program));
  const auto calls = static_cast<std::uint32_t>(
      std::min<std::size_t>(bench.slots(), bench.pool().size()));
  if (observed.verdict == Verdict::kPassed) {
    TRY_ASSIGN(observed, session->Arm(calls));
  }
  for (std::uint32_t slot = 0; slot < calls; ++slot) {
    bench.LoadSlot(slot, *bench.pool()[slot]);
  }
  while (observed.verdict == Verdict::kPassed && seconds > 0.0) {
    for (std::uint32_t slot = 0; slot < calls; ++slot) {
      bench.StartOutputs(slot, *session);
    }
    TRY(called, session->Call(0, calls));
    seconds -= called.wall_s;
    observed = std::move(called);
  }
  bench.ClearSlots();
  if (observed.verdict != Verdict::kPassed) return std::vector<std::uint64_t>{};
  return session->Samples();
}

}  // namespace coppice::eval
