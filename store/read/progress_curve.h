// The course of a campaign: what became of each node, and what it had cost.
// Policies are compared by it at equal cost.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "store/database.h"
#include "store/records/ids.h"
#include "store/records/speedup.h"
#include "store/records/verdict.h"

namespace coppice::store {

struct Step {
  Verdict verdict = Verdict::kInconclusive;
  std::optional<Speedup> speedup;  // Over the root; set if it passes.
  bool is_proven = false;          // By the full tier.
  // What the attempt that made it took.
  std::int64_t tokens = 0;  // Input and output.
  double cost_usd = 0.0;
  double evaluator_s = 0.0;  // Compiling, checking and timing it.
};

// By number, the root first; its step costs nothing.
Result<std::vector<Step>> ReadProgressCurve(Database& database,
                                            CampaignId campaign);

// What evaluating took until the nodes were committed, without the root's; a
// campaign pays for the evaluations of old nodes beside its budget.
Result<double> ReadEvaluatorSeconds(Database& database, CampaignId campaign);

}  // namespace coppice::store
