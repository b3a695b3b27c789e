// What one decision rests on, for who makes it again without all those before
// it: 1,000,000 nodes, kept and brought up to date, and a few rows.
// store/read/snapshot.h has the same of all decisions.
//
// A decision state says what nodes counted for that were evaluated again
// between the decision and its reading.  So it must know of all evaluations
// that the nodes are by: whose `newest` is beyond its `further` were brought up
// to date since it was read, and it is read again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/read/snapshot.h"
#include "store/records/directive.h"
#include "store/records/ids.h"
#include "store/records/model_pick.h"
#include "store/records/node_summary.h"
#include "store/records/result.h"
#include "store/records/worth.h"

namespace coppice::store {

class Database;

// All nodes as they count for now, without the evaluator's seconds.
struct Summaries {
  std::int64_t further = 0;  // Evaluations of old nodes that they are by.
  std::int64_t newest = 0;   // As many that some may be by, read after others.
  std::vector<NodeSummary> nodes;

  std::size_t bytes() const { return nodes.capacity() * sizeof(NodeSummary); }
};

// What is to be added to those that are known, as in store/read/node_columns.h.
struct SummaryNews {
  bool is_all = false;
  bool is_none = false;
  std::vector<NodeSummary> changed;  // Known ones, that were evaluated again.
  Summaries added;
};

// kNotFound: there is no such campaign any more.
Result<SummaryNews> ReadNews(Database& database, CampaignId campaign,
                             const Summaries& known);
void Add(SummaryNews news, Summaries& summaries);

// A node that counted for something else.
struct FormerWorth {
  NodeId node{};
  Worth worth;
};

struct DecisionState {
  DecisionRecord decision;
  std::int64_t further = 0;  // Evaluations of old nodes that it knows of.
  // The policy whose tree it was made from: of a person's choice, the last that
  // decided before it, or else the first.
  std::string policy;
  std::optional<double> root_runtime_s;
  std::vector<Decided> in_flight;       // By decision.
  std::vector<FormerWorth> otherwise;   // By number; of those it saw.
  std::vector<AskedModel> asked{};      // If it picked models.
  std::vector<Directive> directives{};  // With the attempts made before it.
};

// None: there is no such decision.  kCorrupt if the rows contradict themselves.
Result<std::optional<DecisionState>> ReadDecisionState(Database& database,
                                                       CampaignId campaign,
                                                       std::int64_t decision);

}  // namespace coppice::store
