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

#include "store/records/ids.h"
#include "store/records/result.h"
#include "store/records/speedup.h"
#include "store/records/verdict.h"

namespace coppice {
struct Evaluation;
}

namespace coppice::store {

class Database;

struct NodeLine {
  NodeId node{};
  std::optional<NodeId> parent;
  std::optional<NodeId> mate;  // Which it is a combination of, too.
  Verdict verdict = Verdict::kInconclusive;
  // The root's seconds over the speedup; both set if it passes.
  std::optional<double> runtime_s;
  std::optional<Speedup> speedup;
  std::string technique;          // Empty: none given.
  std::optional<NodeId> same_as;  // The node of its tokens that was judged.
  bool is_quarantined = false;    // It passed once, and was refuted since.
};

struct Ancestor {
  NodeLine line;
  std::string advice;  // Of the plan that led here; empty: none.
};

struct Totals {
  // The root's is not among them.
  VerdictCounts verdicts{};
  std::int64_t calls = 0;
  std::int64_t unanswered_calls = 0;  // On the wire, or lost with a process.
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  double cost_usd = 0.0;
  double claimed_usd = 0.0;  // Beside it: what outside agents say of theirs.
};

// What a GPU did in a campaign.
struct DeviceTime {
  std::string device;  // Its UUID.
  std::int64_t evaluations = 0;
  double busy_s = 0.0;          // They took so long,
  std::optional<double> share;  // of the campaign's wall time; none: no time.
};

// A part of a tree.
struct TreePage {
  NodeId top = kRootNode;             // It and what is below it,
  std::optional<std::int64_t> depth;  // so many generations; none: all.
  std::int64_t limit = 0;             // So many nodes; 0: all.
  // Whose way from `top` goes before others: below it, or of no effect.
  std::optional<NodeId> way_to;
};

// Its nodes by number, a parent always before its children: the way, then the
// others as committed.  Little else is read of a limited one.
Result<std::vector<NodeLine>> ReadTree(Database& database, CampaignId campaign,
                                       const TreePage& page = {});

// From the root to `node`, both included.  kNotFound if there is no such node.
Result<std::vector<Ancestor>> ReadLineage(Database& database,
                                          CampaignId campaign, NodeId node);

// kNotFound if there is no such node.
Result<NodeLine> ReadLine(Database& database, CampaignId campaign, NodeId node);

// The fastest of the first so many nodes, or the root.
Result<NodeLine> ReadBestOf(Database& database, CampaignId campaign,
                            std::int64_t nodes);

// The leaders of a campaign are its passing nodes, distinct in kernel, the
// fastest first, of equals the lower number.  The first is the one that wins;
// it is the root if nothing beats that.
struct Leader {
  NodeLine line;
  bool is_confirmed = false;  // By the full tier (store/records/worth.h).
};
Result<std::vector<Leader>> ReadLeaders(Database& database, CampaignId campaign,
                                        int limit = 10);

// A passing node's place among the leaders, from 1; of one that has the tokens
// of another, that one's.  None: it does not pass.
struct Rank {
  std::int64_t place = 0;
  std::int64_t of = 0;  // So many leaders.
};
Result<std::optional<Rank>> ReadRank(Database& database, CampaignId campaign,
                                     NodeId node);

// The log of the evaluation that a node's verdict is from.
Result<std::string> ReadLog(Database& database, CampaignId campaign,
                            NodeId node);

// All of a node in the order made, those it was committed with first.
Result<std::vector<Evaluation>> ReadEvaluations(Database& database,
                                                CampaignId campaign,
                                                NodeId node);

Result<Totals> ReadTotals(Database& database, CampaignId campaign);

// One for each GPU that the campaign of that name used, by UUID.
Result<std::vector<DeviceTime>> ReadDeviceTimes(Database& database,
                                                const std::string& campaign);

}  // namespace coppice::store
