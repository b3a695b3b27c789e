// What a campaign may use, when it goes on with another budget than it began
// with: attempts, seconds, and seconds of the evaluator.
#pragma once

#include <cstdint>

#include "store/records/result.h"

namespace coppice::config {
struct Loaded;
}
namespace coppice::store {
struct CampaignRow;
struct CampaignSpec;
}  // namespace coppice::store

namespace coppice::engine {

// What a budget that the user gives does to the one that a campaign has.
enum class GivenBudget : std::uint8_t {
  kOnlyGrows,  // A lower one changes nothing.
  kIsTheOne,   // If it is of the command line, and likewise otherwise.
};

// The specification of `row` with its new budget.  `evaluator_s`: what
// evaluating took so far.  kUsage, if it is the one: it is less than what is
// used, or it leaves a finished campaign at another limit that it has reached.
Result<store::CampaignSpec> WithBudget(const config::Loaded& loaded,
                                       const store::CampaignRow& row,
                                       double evaluator_s, GivenBudget given);

// Whether the command line gives any, or a rule that ends it (stop_rules.h).
bool SaysBudget(const config::Loaded& loaded);

}  // namespace coppice::engine
