#include "search/landscapes/evaluation_cost.h"

#include <cmath>

namespace coppice::search {

double EvaluationSeconds(Verdict verdict, double runtime_s) {
  switch (verdict) {
    case Verdict::kCompileFailed:
    case Verdict::kNoCandidate:
      return kCompile_s;
    case Verdict::kPassed:
      return kCompile_s + kRuns * runtime_s;
    default:
      return kCompile_s + runtime_s;
  }
}

double EvaluationSeconds(const Point& point, double root_runtime_s) {
  return EvaluationSeconds(
      point.verdict, root_runtime_s * std::exp(-point.position.log_speedup));
}

}  // namespace coppice::search
