#include "eval/cpu/profiling.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "eval/cpu/bench.h"
#include "eval/cpu/cpu_roofline.h"
#include "eval/cpu/generated_code.h"
#include "eval/cpu/sampling.h"
#include "eval/cpu/task_bench.h"
#include "eval/host/counters.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/roofline.h"
#include "eval/sandbox/compiler.h"
#include "store/records/candidate.h"
#include "store/records/tier.h"

namespace coppice::eval {
namespace {

// Bytes that agents are told of a kernel's loops, and of the code of one.
constexpr std::size_t kMostOfRemarks = 500;
constexpr std::size_t kMostOfALoop = 700;

// Seconds of calls that are sampled for that, in the fast tier.
constexpr double kSampledS = 0.1;

}  // namespace

Result<void> HoldAgainstRoofline(
    const std::vector<std::unique_ptr<CpuBench>>& benches,
    const Compiler& compiler, int threads, Roofline& roof,
    Evaluation& evaluation) {
  for (std::size_t i = 0; i < evaluation.workloads.size(); ++i) {
    WorkloadResult& result = evaluation.workloads[i];
    const CpuBench& bench = *benches[i];
    result.floor_s = FloorSeconds(roof, bench.work());
    if (!IsBelowFloor(result)) continue;
    // The roof itself may have been measured at a bad moment.
    TRY_ASSIGN(roof, RaiseRoofline(compiler, threads));
    result.floor_s = FloorSeconds(roof, bench.work());
    if (!IsBelowFloor(result)) continue;
    evaluation.verdict = Verdict::kInconclusive;
    evaluation.log += Prefix(bench.workload()) + CondemnBelowFloor(result);
  }
  return {};
}

void FillProfiles(const std::vector<std::unique_ptr<CpuBench>>& benches,
                  const Roofline& roof, Evaluation& evaluation) {
  std::vector<Profile> profiles;
  for (std::size_t i = 0; i < evaluation.workloads.size(); ++i) {
    WorkloadResult& result = evaluation.workloads[i];
    const CpuBench& bench = *benches[i];
    Profile profile = ProfileOf(roof, bench.work(), Median(result.samples_s));
    profile.shape = ShapeText(bench.workload());
    if (result.profile) profile.counters = result.profile->counters;
    if (!HasHardwareCounters()) {
      profile.note = "This system gives no hardware counters.";
    }
    profiles.push_back(profile);
    result.profile = std::move(profile);
  }
  evaluation.profile = Digest(profiles);
}

Result<std::string> TellCode(const CpuTaskBench& task_bench,
                             const Compiler& compiler,
                             const Candidate& candidate, const Program& program,
                             const Evaluation& evaluation) {
  const std::string loops = TellLoops(Compiler::LoopRemarks(program.object),
                                      candidate.source, kMostOfRemarks);
  TRY(code, compiler.Disassemble(program.object));
  const auto longest = std::ranges::max_element(
      evaluation.workloads, {},
      [](const WorkloadResult& result) { return Median(result.samples_s); });
  CpuBench& bench = *task_bench.workloads[static_cast<std::size_t>(
      longest - evaluation.workloads.begin())];
  TRY(samples,
      SampleCalls(bench, task_bench.options->candidate, program,
                  evaluation.tier == Tier::kFast ? kSampledS : 3 * kSampledS));
  const std::string loop = TellLoop(code, samples, kMostOfALoop);
  if (loops.empty() && loop.empty()) return "";
  return "\n\n" + (loops.empty() ? "" : "Of its loops g++ says:\n" + loops) +
         loop;
}

}  // namespace coppice::eval
