// What people look at beside a node's record: its place in the tree, how it
// came to be, and what a campaign has come to so far.
//
// The looking verbs of the command line read these; programs of others read
// the views of schema.sql.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/evaluation.h"
#include "store/records/ids.h"
#include "store/records/verdict.h"

namespace coppice::store {

struct NodeLine {
  NodeId node{};
  std::optional<NodeId> parent;
  Verdict verdict = Verdict::kInconclusive;
  std::optional<double> runtime_s;  // Set if passed.
  std::optional<double> speedup;    // Likewise.
  std::string technique;            // Empty: none given.
  // It passed when it was committed; its verdict is of what refuted it.
  bool is_quarantined = false;
};

struct Ancestor {
  NodeLine line;
  std::string advice;  // Of the plan that led here; empty: none.
};

// The attempt that made a node.
struct Decision {
  std::int64_t decision = 0;
  std::string policy;
  std::string reason;
};

struct Totals {
  // Of nodes other than the root.
  VerdictCounts verdicts{};
  std::int64_t calls = 0;
  std::int64_t unanswered_calls = 0;  // On the wire, or lost with a process.
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  double cost_usd = 0.0;
};

// All nodes by number, a parent always before its children.
Result<std::vector<NodeLine>> ReadTree(Database& database, CampaignId campaign);

// From the root to `node`, both included.  kNotFound if there is no such node.
Result<std::vector<Ancestor>> ReadLineage(Database& database,
                                          CampaignId campaign, NodeId node);

// Leaders of the campaign, best first, without the quarantined.  Those that an
// evaluation of the full tier confirmed come first, by the speedup it measured
// (the root's is 1); the others follow by rank.
Result<std::vector<NodeId>> ReadLeaders(Database& database,
                                        CampaignId campaign);

// None for the root.
Result<std::optional<Decision>> ReadDecision(Database& database,
                                             CampaignId campaign, NodeId node);

// All of a node in the order made, those it was committed with first.
Result<std::vector<Evaluation>> ReadEvaluations(Database& database,
                                                CampaignId campaign,
                                                NodeId node);

Result<Totals> ReadTotals(Database& database, CampaignId campaign);

}  // namespace coppice::store
