// Rules by which a campaign ends before its budget does: settings stop_*.
//
// They are about the best kernel so far and nothing else, so a campaign that
// goes on after a crash ends where it would have.  An attempt under way when a
// rule is met is finished; if it is a gain that no rule ends at, the campaign
// goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "store/records/ids.h"
#include "store/records/result.h"
#include "store/records/speedup.h"

namespace coppice {
struct Task;
}
namespace coppice::config {
struct Settings;
}
namespace coppice::store {
class Database;
}

namespace coppice::engine {

struct Progress;

struct StopRules {
  std::optional<double> speedup{};  // Over the root: reached at this,
  struct Baseline {
    std::string name;  // As users type it.
    Speedup speedup;   // Over the root.
  };
  std::optional<Baseline> baseline{};          // and told from this.
  std::optional<std::int64_t> without_gain{};  // Attempts.
};

// What is held against rules: how many times as fast as the root the best is
// at least, by its interval; 0 without one.
double ReachedSpeedup(const Progress& progress);

// The rule that is met, in words, with its option, or that nothing is left to
// propose; none: it goes on.
std::optional<std::string> MetRule(const StopRules& rules,
                                   const Progress& progress);

// As it is stored.  kUsage if no baseline has that name.
Result<std::string> StoredBaseline(const std::string& name);

// Before a campaign is there: kUsage if nothing would measure the baseline.
Result<void> CheckRules(const config::Settings& settings, const Task& task);

// kUsage if the baseline has no speed in the campaign: it was not measured, or
// did not pass.
Result<StopRules> StopRulesOf(const config::Settings& settings,
                              store::Database& database, CampaignId campaign);

}  // namespace coppice::engine
