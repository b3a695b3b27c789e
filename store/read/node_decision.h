// How a node came to be: the decision that its attempt was made by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/records/ids.h"
#include "store/records/model_pick.h"
#include "store/records/result.h"

namespace coppice::store {

class Database;

// The attempt that made a node.
struct Decision {
  std::int64_t decision = 0;
  std::string policy;
  std::string reason;
  std::optional<NodeId> mate;  // To be combined with the parent.
  std::vector<ModelPick> picks{};
};

// None for the root.
Result<std::optional<Decision>> ReadDecision(Database& database,
                                             CampaignId campaign, NodeId node);

}  // namespace coppice::store
