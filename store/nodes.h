// Nodes and their evaluations.
#pragma once

#include <functional>
#include <optional>

#include "store/database.h"
#include "store/records/attempt.h"
#include "store/records/node.h"

namespace coppice::store {

// The hash that NodeSummary carries.
std::uint64_t SourceHash(std::string_view source);

class Nodes {
 public:
  explicit Nodes(Database& database) : database_(database) {}

  // One transaction: node, its evaluations with all samples (the screening, if
  // there is one, goes first), attempt (none for the root) to kCommitted,
  // counters, leaderboard, event.  Node ids are dense: `node.id` must be the
  // campaign's next; kBusy if another process took it, kLost if another took
  // the attempt over.
  Result<void> Commit(CampaignId campaign, std::optional<Holding> holding,
                      const NodeRecord& node, double now_s);

  // A further evaluation of a committed node (confirmation); history is kept.
  // One that fails quarantines a passing node other than the root, in the same
  // transaction; an inconclusive one does not.
  Result<void> AddEvaluation(CampaignId campaign, NodeId node,
                             const Evaluation& evaluation, double now_s);

  // With texts, without the screening.
  Result<NodeRecord> Load(CampaignId campaign, NodeId node);

  // Unix time.
  Result<double> CommittedAt(CampaignId campaign, NodeId node);

  // That it came from; none for the root.
  Result<std::optional<AttemptId>> AttemptOf(CampaignId campaign, NodeId node);

  // In order of id.
  Result<void> Scan(CampaignId campaign,
                    const std::function<void(const NodeSummary&)>& visit);

 private:
  Database& database_;
};

}  // namespace coppice::store
