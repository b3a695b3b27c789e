#include "engine/cli/evaluation_text.h"

#include "engine/process/terminal_text.h"
#include "store/records/evaluation.h"
#include "store/records/joined.h"
#include "store/records/paired_rounds.h"
#include "store/records/speedup_text.h"
#include "store/records/tier.h"

namespace coppice::cli {

std::string_view TierName(Tier tier) {
  return tier == Tier::kFull ? "full" : "fast";
}

std::string AxesText(const Workload& workload) {
  return Joined(workload.axes, " ", [](const auto& axis) {
    return axis.first + "=" + std::to_string(axis.second);
  });
}

std::string MeasuredText(const Speedup& speedup, Protocol protocol) {
  const bool is_paired = protocol == Protocol::kCoppice;
  return SpeedupText(speedup, kInterval) +
         (is_paired ? " by paired rounds" : " by means") +
         (speedup.Sign() == 0 ? "; cannot be told from the root" : "");
}

std::string WorkloadSpeedup(const Evaluation& evaluation,
                            const WorkloadResult& workload) {
  if (workload.verdict != Verdict::kPassed || workload.samples_s.empty() ||
      workload.root_samples_s.empty()) {
    return "-";
  }
  // A benchmark's one workload is not timed in rounds.
  if (evaluation.workloads.size() == 1 && evaluation.speedup) {
    return SpeedupText(*evaluation.speedup);
  }
  return SpeedupText(SpeedupOf({workload}));
}

std::string HintLine(const Hint& hint) {
  return HintText(hint) + "; no speed, for it may skip work";
}

std::string LogText(std::string_view log) {
  const bool is_cut = !log.empty() && !log.ends_with('\n');
  return engine::Printable(log) + (is_cut ? "\n" : "");
}

std::int64_t MadeAgain(const Evaluation& evaluation) {
  std::int64_t rounds = 0;
  for (const WorkloadResult& workload : evaluation.workloads) {
    rounds += workload.discarded_samples;
  }
  return rounds;
}

std::int64_t MadeAgain(const std::vector<Evaluation>& evaluations) {
  std::int64_t rounds = 0;
  for (const Evaluation& evaluation : evaluations) {
    rounds += MadeAgain(evaluation);
  }
  return rounds;
}

std::string BusyText(std::int64_t made_again, std::string_view of) {
  return "busy machine: " + std::to_string(made_again) + " of " +
         std::string(of) + (made_again == 1 ? " was" : " were") + " made again";
}

}  // namespace coppice::cli
