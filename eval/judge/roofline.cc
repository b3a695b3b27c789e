#include "eval/judge/roofline.h"

#include "store/records/formatted.h"

namespace coppice::eval {
namespace {

constexpr double kBelieved = 0.9;

}  // namespace

bool IsBelowFloor(const WorkloadResult& result) {
  return result.floor_s && !result.samples_s.empty() &&
         Median(result.samples_s) < kBelieved * *result.floor_s;
}

std::string CondemnBelowFloor(WorkloadResult& result) {
  result.verdict = Verdict::kInconclusive;
  return Formatted(
      "%.3g us a call, but this machine cannot do it in less than "
      "%.3g us: the clock was deceived\n",
      1e6 * Median(result.samples_s), 1e6 * *result.floor_s);
}

}  // namespace coppice::eval
