// What a process must know of a campaign to work on it: how it stands when the
// process begins, and what others have added since.  Each is read on one
// snapshot.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/directive.h"
#include "store/records/ids.h"
#include "store/records/model_pick.h"
#include "store/records/node_summary.h"
#include "store/records/result.h"
#include "store/records/worth.h"

namespace coppice::store {

class Database;

// A decision for a parent, whether its attempt is finished or not.
struct Decided {
  std::int64_t decision = 0;
  NodeId parent{};
};

struct Snapshot {
  std::int64_t decisions = 0;  // Made so far.
  std::int64_t further = 0;    // Evaluations; all are in the nodes visited.
  std::vector<Decided> in_flight;
};

// Visits all nodes by number.
Result<Snapshot> ReadSnapshot(
    Database& database, CampaignId campaign,
    const std::function<void(const NodeSummary&)>& visit);

struct Arrival {
  NodeSummary node;
  std::optional<std::int64_t> decision;  // None: the root.
};

struct Growth {
  std::int64_t further = 0;       // Evaluations of old nodes so far: if there
                                  // are more, nodes that are known may count
                                  // for something else by now.
  std::vector<Decided> decided;   // By decision.
  std::vector<Arrival> arrivals;  // By number; as they count for now.
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
  std::int64_t further_seen = 0;
  std::optional<std::int64_t> attempts_left{};  // Of the budget.
  std::optional<NodeId> mate{};  // To be combined with the parent.
  std::vector<ModelPick> picks{};
  std::optional<DirectiveId> directive{};  // By which a person chose.
};

struct Evaluated {
  NodeId node{};
  std::int64_t further = 0;  // Its number; 0: the node was committed with it.
  Evidence finding;
};

// Everything that decisions rest on.
struct Annals {
  std::optional<double> root_runtime_s;
  std::int64_t further = 0;               // Evaluations of old nodes.
  std::vector<DecisionRecord> decisions;  // 0, 1, 2, ...
  std::vector<Arrival> arrivals;          // By number.
  // By number of the node that was judged: that of the first of its tokens.
  std::vector<NodeId> originals;
  std::vector<Evaluated> evaluations;   // By node, in the order made.
  std::vector<AskedModel> asked{};      // By decision and role.
  std::vector<Directive> directives{};  // By id.
};

Result<Annals> ReadAnnals(Database& database, CampaignId campaign);

class Connection;
class Statement;

// Private to this folder.  What DecisionAt reads, of rows of attempt.
inline constexpr std::string_view kDecisionColumns =
    "decision, parent_number, policy, reason, nodes_seen, further_seen,"
    " attempts_left, (SELECT p.parent_number FROM attempt_parent p"
    "  WHERE p.attempt_id = attempt.attempt_id AND p.position = 1),"
    " attempt_id, directive_id";
// REQUIRES: as ParentAt has it; there are so many nodes.
DecisionRecord DecisionAt(Connection& connection, const Statement& row,
                          std::int64_t nodes);
// Reads columns from `first` on: further (0: none), verdict, speedup,
// speedup_low, speedup_high.
Evidence FindingAt(const Statement& row, int first);

}  // namespace coppice::store
