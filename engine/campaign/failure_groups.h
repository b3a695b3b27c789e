// What failed alike in a campaign: by verdict, by the rule that was broken, and
// by the line that says what is wrong, but for the numbers in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/result.h"
#include "store/records/verdict.h"
#include "store/write/campaigns.h"

namespace coppice::engine {

struct FailureLine {
  std::int64_t node = 0;
  Verdict verdict = Verdict::kCrashed;
  std::string rule;  // That was broken; empty: none.
  std::string technique;
  std::string policy;
  std::string line;
};

// By number; a log is read once.
struct FailureLines {
  std::int64_t nodes = 0;    // That were looked at.
  std::int64_t further = 0;  // Evaluations that their verdicts are by.
  std::vector<FailureLine> failures;

  // About so many.
  std::size_t bytes() const {
    constexpr std::size_t kTexts = 64;
    return failures.capacity() * (sizeof(FailureLine) + kTexts);
  }
};

// Adds what failed since; reads all of it anew once a further evaluation has
// changed a verdict.  `further` is the campaign's number of those.
Result<void> BringUpToDate(store::Database& database,
                           const store::CampaignRow& row, std::int64_t further,
                           FailureLines& lines);

struct FailureGroup {
  Verdict verdict = Verdict::kCrashed;
  std::string rule;
  std::string line;  // Of the first.
  std::int64_t count = 0;
  std::vector<std::int64_t> nodes;                 // The first 20.
  std::map<std::string, std::int64_t> techniques;  // How many of each.
  std::map<std::string, std::int64_t> policies;
};

// The largest first.
std::vector<FailureGroup> GroupFailures(const FailureLines& lines);

}  // namespace coppice::engine
