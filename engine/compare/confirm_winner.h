// What a campaign of a comparison counts for: the fastest of many noisy
// measurements is fast by luck as well, so its kernel is measured once more.
#pragma once

#include <atomic>
#include <functional>

#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice {
struct Task;
}
namespace coppice::eval {
class Evaluator;
}
namespace coppice::store {
class Database;
}

namespace coppice::engine {

struct Budget;
class Clock;

// An incumbent that is refuted makes way for the next; more than so many in
// turn are left for another run.
inline constexpr int kMostRefuted = 5;

// Evaluates the incumbent at the budget in the full tier, unless that was done,
// and while it is refuted the next.  One that cannot be decided stays as it is.
// The evaluator is made when it is needed first.  False: it was to stop first.
// REQUIRES: the caller holds the campaign alone (process_lock.h).
Result<bool> ConfirmWinner(
    const std::function<Result<eval::Evaluator*>()>& evaluator,
    const Task& task, store::Database& database, CampaignId campaign,
    const Budget& budget, const Clock& clock,
    const std::atomic<bool>& draining);

}  // namespace coppice::engine
