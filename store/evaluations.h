// Evaluations with their workloads and samples.  Private to this folder.
//
// REQUIRES: the caller is inside Connection::Write or Read.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "store/records/evaluation.h"
#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice::store {

class Connection;

// Of what an evaluation is: a node, or the baseline of a name.
using Judged = std::variant<NodeId, std::string>;

std::int64_t CountEvaluations(Connection& connection, CampaignId campaign,
                              const Judged& judged);

// `ordinal` 0 is the evaluation that a node is committed with.
Result<void> InsertEvaluation(Connection& connection, CampaignId campaign,
                              const Judged& judged, std::int64_t ordinal,
                              const Evaluation& evaluation, double now_s);

Result<Evaluation> LoadEvaluation(Connection& connection, CampaignId campaign,
                                  const Judged& judged, std::int64_t ordinal);

}  // namespace coppice::store
