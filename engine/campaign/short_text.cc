#include "engine/campaign/short_text.h"

#include <cmath>
#include <cstddef>

#include "store/records/formatted.h"

namespace coppice::engine {
namespace {

// From so much of a unit on, three digits round to all of it.
constexpr double kAllOfIt = 0.9995;

}  // namespace

std::string DurationText(double seconds) {
  if (seconds < kAllOfIt * 1e-3) return Formatted("%.3g us", seconds * 1e6);
  if (seconds < kAllOfIt) return Formatted("%.3g ms", seconds * 1e3);
  return Formatted("%.2f s", seconds);
}

std::string ClockText(double seconds) {
  const long whole = std::lround(seconds);
  if (whole < 3600) return Formatted("%ld:%02ld", whole / 60, whole % 60);
  return Formatted("%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60,
                   whole % 60);
}

std::string FailureText(const VerdictCounts& verdicts) {
  std::string text;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    if (verdict == Verdict::kPassed || verdicts[i] == 0) continue;
    if (!text.empty()) text += ' ';
    text += std::to_string(verdicts[i]);
    text += ' ';
    text += Name(verdict);
  }
  return text.empty() ? "no failures" : text;
}

}  // namespace coppice::engine
