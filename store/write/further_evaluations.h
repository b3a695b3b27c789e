// Evaluations of nodes that are there already.  Private to this folder.
//
// REQUIRES: the caller is inside Connection::Write.
#pragma once

#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice {
struct Evaluation;
}

namespace coppice::store {

class Connection;

// With events, and what the node counts for then.  REQUIRES: `original` is no
// other's tokens, and has an evaluation.
Result<void> InsertFurther(Connection& connection, CampaignId campaign,
                           NodeId original, const Evaluation& evaluation,
                           double now_s);

}  // namespace coppice::store
