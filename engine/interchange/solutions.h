// Nodes of a campaign as solutions of FlashInfer-Bench.
#pragma once

#include <string>

#include "store/records/result.h"

namespace coppice {
struct NodeRecord;
struct Solution;
struct Task;
}  // namespace coppice
namespace coppice::store {
struct CampaignRow;
}

namespace coppice::engine {

// The root's solution; of another node that with the node's source, by author
// "coppice" and named CAMPAIGN.nodeN, or the node's own document, under that
// name.  REQUIRES: it has a candidate.
Solution SolutionOf(const store::CampaignRow& campaign, const Task& task,
                    const NodeRecord& node);

// The solution that a node was imported from.  `reason` is its attempt's.
Solution ImportedSolution(const Task& task, const NodeRecord& node,
                          const std::string& reason);

// The expert's own, or the root as torch compiles it, by the author that the
// baseline is stored as.  kCorrupt: there is none of this name.
Result<Solution> BaselineSolution(const Task& task,
                                  const std::string& baseline);

// An imported node's reason, and its candidate and plan, from which the
// solution comes back whole.
std::string ReasonFor(const Solution& solution);
void Plant(const Solution& solution, const Task& task, NodeRecord& node);

}  // namespace coppice::engine
