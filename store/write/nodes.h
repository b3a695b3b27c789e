// Nodes and their evaluations.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice {
struct Candidate;
struct Evaluation;
struct Holding;
struct NodeRecord;
struct NodeSummary;
}  // namespace coppice

namespace coppice::store {

class Database;

class Nodes {
 public:
  explicit Nodes(Database& database) : database_(database) {}

  // One transaction: node, its evaluations with all samples (the screening, if
  // there is one, goes first), attempt (none for the root) to kCommitted,
  // counters, event.  Node ids are dense: `node.id` must be the campaign's
  // next; kBusy if another process took it, kLost if another took the attempt
  // over.
  //
  // A node with `same_as` brings no evaluation, but has those of that one.  One
  // without, of whose tokens there is a node by now, since another process has
  // judged them at the same time, leaves its evaluations to that.
  //
  // The candidate is the attempt's, unless tuning made another of it, now or
  // when `same_as` was made.  Lines written again are counted here.  What
  // limits one with `same_as` is what limits that.
  Result<void> Commit(CampaignId campaign, std::optional<Holding> holding,
                      const NodeRecord& node, double now_s);

  // The node of the candidate's tokens; none: they were never judged here.
  Result<std::optional<NodeId>> FindEqual(CampaignId campaign,
                                          const Candidate& candidate);

  // The node whose attempt wrote a source of these tokens, of which tuning made
  // another; none: it was never tuned here.
  Result<std::optional<NodeId>> FindTuned(CampaignId campaign,
                                          const Candidate& candidate);

  // A further evaluation of a node, which may change what it counts for
  // (store/records/worth.h): it sharpens the speedup, settles a node that was
  // inconclusive, or refutes it.  History is kept.
  //
  // `asked`: who wanted it judged again, which is taken up in the same
  // transaction; kBusy, and nothing is added, if it waits no longer.
  Result<void> AddEvaluation(CampaignId campaign, NodeId node,
                             const Evaluation& evaluation, double now_s,
                             std::optional<DirectiveId> asked = std::nullopt);

  // Those that are inconclusive, first those that were evaluated least often.
  struct Undecided {
    NodeId node{};
    std::int64_t evaluations = 0;
  };
  Result<std::vector<Undecided>> ReadUndecided(CampaignId campaign);

  // With texts, without the screening.
  Result<NodeRecord> Load(CampaignId campaign, NodeId node);

  // The attempt that it came from; none for the root.
  Result<std::optional<AttemptId>> AttemptOf(CampaignId campaign, NodeId node);

  // In order of id.
  Result<void> Scan(CampaignId campaign,
                    const std::function<void(const NodeSummary&)>& visit);

 private:
  Database& database_;
};

}  // namespace coppice::store
