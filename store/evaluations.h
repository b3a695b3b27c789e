// Evaluations with their workloads and samples.  Private to this folder.
//
// REQUIRES: the caller is inside Connection::Write or Read.
#pragma once

#include <cstdint>

#include "store/records/evaluation.h"
#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice::store {

class Connection;

// `ordinal` 0 is the evaluation that a node is committed with.
Result<void> InsertEvaluation(Connection& connection, CampaignId campaign,
                              NodeId node, std::int64_t ordinal,
                              const Evaluation& evaluation, double now_s);

Result<Evaluation> LoadEvaluation(Connection& connection, CampaignId campaign,
                                  NodeId node, std::int64_t ordinal);

}  // namespace coppice::store
