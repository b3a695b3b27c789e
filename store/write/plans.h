// Plans and candidates as rows: shared by attempts and nodes.  Private to this
// folder.
//
// REQUIRES: the caller is inside Connection::Write or Read.
#pragma once

#include <cstdint>
#include <optional>

#include "store/blobs.h"
#include "store/records/ids.h"
#include "store/records/plan.h"
#include "store/records/result.h"

namespace coppice::store {

class Connection;

enum class PlanId : std::int64_t {};

// `like`: the parent's source, which the annotated one is with marks added.
Result<PlanId> InsertPlan(Connection& connection, const Plan& plan,
                          std::optional<BlobId> like);

Result<Plan> LoadPlan(Connection& connection, PlanId id);

// The source of a node; none if it has no candidate.
std::optional<BlobId> SourceOf(Connection& connection, CampaignId campaign,
                               NodeId node);

}  // namespace coppice::store
