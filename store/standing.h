// What a process must know of a campaign to work on it: how it stands when the
// process begins, and what others have added since.  Each is read on one
// snapshot.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/node.h"

namespace coppice::store {

// A decision for a parent, whether its attempt is finished or not.
struct Decided {
  std::int64_t decision = 0;
  NodeId parent{};
};

struct Standing {
  std::int64_t decisions = 0;    // Made so far.
  std::int64_t quarantines = 0;  // All of them are in the nodes visited.
  std::vector<Decided> in_flight;
};

// Visits all nodes by number.
Result<Standing> ReadStanding(
    Database& database, CampaignId campaign,
    const std::function<void(const NodeSummary&)>& visit);

// A node as it was committed, whatever was found out about it later.
struct Arrival {
  NodeSummary node;
  std::optional<std::int64_t> decision;  // None: the root.
};

struct Growth {
  std::vector<Decided> decided;   // By decision.
  std::vector<Arrival> arrivals;  // By number.
};

// What there is beside the first `decisions` decisions and `nodes` nodes.
Result<Growth> ReadGrowth(Database& database, CampaignId campaign,
                          std::int64_t decisions, std::int64_t nodes);

// A decision with all that made it, to be made again.
struct DecisionRecord {
  std::int64_t decision = 0;
  NodeId parent{};
  std::string policy;
  std::string reason;
  std::int64_t nodes_seen = 0;
  std::int64_t quarantines_seen = 0;
};

struct Refutation {
  NodeId node{};
  Verdict verdict = Verdict::kInconclusive;
};

// Everything that decisions rest on.
struct Annals {
  std::vector<DecisionRecord> decisions;  // 0, 1, 2, ...
  std::vector<Arrival> arrivals;          // By number.
  std::vector<Refutation> quarantines;    // In the order made.
};

Result<Annals> ReadAnnals(Database& database, CampaignId campaign);

}  // namespace coppice::store
