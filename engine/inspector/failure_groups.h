// Failing nodes with the line of each that says what failed.  A log is read
// once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/records/verdict.h"

namespace coppice::inspector {

struct FailureLine {
  std::int64_t node = 0;
  Verdict verdict = Verdict::kCrashed;
  std::string rule;  // That was broken; empty: none.
  std::string technique;
  std::string policy;
  std::string line;
};

struct FailureLines {
  std::int64_t nodes = 0;    // That were looked at.
  std::int64_t further = 0;  // Evaluations that their verdicts are by.
  std::vector<FailureLine> failures;
};

}  // namespace coppice::inspector
