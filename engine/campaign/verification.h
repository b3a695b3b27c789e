// The full tier again over a campaign's leaders.  What fails is quarantined by
// the store, in the transaction that adds the evaluation.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "store/records/evaluation.h"
#include "store/records/ids.h"
#include "store/records/result.h"
#include "store/records/speedup.h"
#include "store/records/worth.h"

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

class Clock;

struct Verified {
  NodeId node{};
  Speedup claimed;  // What it counted for before,
  Worth worth;      // and after:
  Evaluation evaluation;

  bool IsQuarantined() const { return worth.is_refuted; }
};

struct Verification {
  std::vector<Verified> nodes;  // In the order evaluated.
  bool is_cut = false;          // Somebody asked to stop.
};

// Until each of the first `top` leaders has been evaluated here; as the
// quarantined go, others move up.  The root is none of them.  `begins` is
// called before each.  REQUIRES: the caller holds the campaign alone
// (process_lock.h).
Result<Verification> VerifyLeaders(eval::Evaluator& evaluator, const Task& task,
                                   store::Database& database,
                                   CampaignId campaign, std::size_t top,
                                   const Clock& clock,
                                   const std::atomic<bool>& drain,
                                   const std::function<void(NodeId)>& begins);

}  // namespace coppice::engine
