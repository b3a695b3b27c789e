// What a node takes over from the attempt that it came from, and what of it is
// stored again.  Private to this folder.
//
// REQUIRES: the caller is inside Connection::Write.
#pragma once

#include <cstdint>
#include <optional>

#include "store/blobs.h"
#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice {
struct Holding;
struct NodeRecord;
}  // namespace coppice

namespace coppice::store {

class Connection;
enum class PlanId : std::int64_t;

struct CodedWork {
  std::optional<PlanId> plan;
  std::optional<BlobId> source;
};

// The attempt must have come to exactly this node; only the root has none.
// kLost as CheckHeld, kNotFound of another campaign's, or kUsage.
Result<CodedWork> CheckOrigin(Connection& connection, CampaignId campaign,
                              const std::optional<Holding>& attempt,
                              const NodeRecord& node);

// None: it has no candidate.
Result<std::optional<Blobs::Stored>> PutSource(Connection& connection,
                                               CampaignId campaign,
                                               const NodeRecord& node);

// The row of the attempt's own plan, or of the parent's that a debugged node
// inherits, or a new one.
Result<std::optional<PlanId>> PutPlan(Connection& connection,
                                      CampaignId campaign,
                                      const CodedWork& work,
                                      const NodeRecord& node);

// The KernelHash of what tuning made another candidate of; none: it is the
// attempt's own.  kUsage: it is neither.
Result<std::optional<std::uint64_t>> WrittenHash(
    Connection& connection, const CodedWork& work, const NodeRecord& node,
    const std::optional<Blobs::Stored>& source);

}  // namespace coppice::store
