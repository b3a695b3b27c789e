// All evaluations of a node, or of a baseline, each with when it was made.
#pragma once

#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/evaluation.h"
#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice::store {

struct DatedEvaluation {
  double evaluated_at_s = 0.0;  // Unix time.
  bool further = false;         // Made of a node that was there already.
  // The node counts for it, or the baseline: the one that it was committed
  // with, or which settled or refuted it; of a baseline the latest.
  bool decides = false;
  Evaluation evaluation;
};

// In the order made.  A node of another's tokens has none of its own.
Result<std::vector<DatedEvaluation>> ReadDatedEvaluations(Database& database,
                                                          CampaignId campaign,
                                                          NodeId node);
Result<std::vector<DatedEvaluation>> ReadDatedEvaluations(
    Database& database, CampaignId campaign, const std::string& baseline);

}  // namespace coppice::store
