// Model calls with what came of each: what was asked, what was answered, and
// what the node was worth that the attempt ended in.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/ids.h"
#include "store/records/model_call.h"
#include "store/records/plan.h"
#include "store/records/speedup.h"
#include "store/records/uuid.h"
#include "store/records/verdict.h"
#include "store/records/window.h"

namespace coppice::store {

// What the calls of one attempt have in common.
struct Endeavour {
  std::int64_t decision = 0;
  Uuid uuid;
  std::string policy;
  std::vector<NodeId> lineage;           // From the root to the selected node.
  std::optional<double> parent_speedup;  // Over the root; set if it passed.
  std::optional<Plan> plan;  // Its own, without the annotated source.
  EditFootprint footprint;
  // Unset until it is committed; what the node counts for now.
  std::optional<NodeId> node;
  std::optional<Verdict> verdict;
  std::optional<Speedup> speedup;  // Set if it passes.
  std::optional<NodeId> same_as;   // The node of its tokens that was judged.
};

struct Trajectory {
  const Endeavour& attempt;
  CallId id{};
  CallIntent asked;           // Without the texts of its templates.
  std::string template_hash;  // sha256 in hexadecimal; empty: no templates.
  // What its last request was, which is the one that was answered, if any was.
  SentSampling sampling;
  std::optional<std::string> served_model;
  std::optional<Uuid> retry_of;
  CallEnd end;  // Outcome kSent: it has not ended.
  // The prices that its cost was reckoned with; empty: none were, or no price
  // is known.
  std::string price_version;
};

// Returns whether to go on.
using TrajectoryVisitor = std::function<bool(const Trajectory&)>;

// The calls of a campaign by decision, then in the order made.  Holds no more
// than one attempt's in memory and no snapshot while it visits.
Result<void> ScanTrajectories(Database& database, CampaignId campaign,
                              const TrajectoryVisitor& visit);

// Those of the attempt that made `node`; none of the root.
Result<void> ScanTrajectoriesOf(Database& database, CampaignId campaign,
                                NodeId node, const TrajectoryVisitor& visit);

// Those of the attempt that `call` is of, in whatever campaign.
Result<void> ScanTrajectoriesWith(Database& database, const Uuid& call,
                                  const TrajectoryVisitor& visit);

// What the prompts of a call were made of.
struct Ingredients {
  std::vector<WindowEntry> shown;
  std::int64_t nodes_cut = 0;  // That belonged in its window, too.
  std::string templates;
};

Result<Ingredients> ReadIngredients(Database& database, CallId call);

}  // namespace coppice::store
