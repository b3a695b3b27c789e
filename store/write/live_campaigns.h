// What moves while a campaign runs, for who looks on: attempts in flight, and
// what happened last.  Both are read by indexes, in one short transaction each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/attempt.h"
#include "store/records/ids.h"
#include "store/records/result.h"
#include "store/records/speedup.h"
#include "store/records/verdict.h"

namespace coppice::store {

// An attempt without a node.
struct InFlight {
  std::int64_t decision = 0;
  NodeId parent{};
  std::string policy;
  std::string reason;
  Stage stage = Stage::kReserved;
  double since_s = 0.0;  // Unix time of its last step: it, or a call, began.
  // The role of the question that is on its way; empty: none is.
  std::string role;
  std::string model;        // "openai:gpt-5.4-mini".
  double bound_usd = 0.0;   // That its requests may cost at most.
  std::int64_t tokens = 0;  // Of its answer, as far as it came.
};

// By decision.
Result<std::vector<InFlight>> ReadInFlight(Database& database,
                                           CampaignId campaign);

// A row of the table event.
struct Happening {
  std::int64_t id = 0;
  double at_s = 0.0;  // Unix time.
  std::string kind;
  std::optional<std::int64_t> subject;
  std::string detail;
  // What the node that it is about counts for now; none: it is about none.
  std::optional<Verdict> verdict{};
  std::optional<Speedup> speedup{};  // Set if it passes.
};

// The newest first.
Result<std::vector<Happening>> ReadHappenings(Database& database,
                                              CampaignId campaign, int limit);

}  // namespace coppice::store
