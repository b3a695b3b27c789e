#include "store/records/worth.h"

#include <vector>

#include "store/records/tier.h"

namespace coppice {
namespace {

bool Fails(Verdict verdict) {
  return verdict != Verdict::kPassed && verdict != Verdict::kInconclusive;
}

}  // namespace

Worth WorthOf(std::span<const Evidence> findings) {
  Worth worth;
  std::vector<Speedup> sessions;
  bool passed_in_full = false;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Evidence& finding = findings[i];
    const bool settles = worth.verdict == Verdict::kInconclusive &&
                         finding.verdict != Verdict::kInconclusive;
    const bool refutes =
        worth.verdict == Verdict::kPassed && Fails(finding.verdict);
    if (!finding.further || settles || refutes) {
      worth.verdict = finding.verdict;
      worth.decided_by = i;
      worth.is_refuted = refutes && finding.further;
    }
    passed_in_full |=
        finding.tier == Tier::kFull && finding.verdict == Verdict::kPassed;
    if (finding.speedup) sessions.push_back(*finding.speedup);
  }
  if (worth.verdict != Verdict::kPassed) return worth;
  worth.is_confirmed = passed_in_full;
  if (!sessions.empty()) worth.speedup = Pool(sessions);
  return worth;
}

Worth WorthOfRoot() {
  return {Verdict::kPassed, Speedup{1.0, Interval{1.0, 1.0}}};
}

}  // namespace coppice
