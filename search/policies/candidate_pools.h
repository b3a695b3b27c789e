// The pools that policies draw from which draft, improve and debug, as an
// index.  To them the root is the place where drafts start: it is in no pool.
//
//   draft    an attempt on the root
//   improve  an attempt on a passing node
//   debug    an attempt on a failing leaf that has a candidate
#pragma once

#include <cstdint>
#include <optional>

#include "search/id_set.h"
#include "search/lineage.h"
#include "search/policy.h"
#include "search/tree_index.h"

namespace coppice::search {

class CandidatePools final : public TreeIndex {
 public:
  // A failing leaf with more failed repairs than this behind it, itself among
  // them, is given up: 0 debugs only what was made from a passing node or from
  // the root.
  explicit CandidatePools(int max_failed_repairs)
      : max_failed_repairs_(max_failed_repairs) {}

  void OnAdd(const Tree& tree, NodeId node) override;
  void OnFlight(const Tree& tree, NodeId parent) override;

  std::optional<NodeId> Fastest() const { return fastest_; }
  const IdSet& Passing() const { return passing_; }
  const IdSet& PassingLeaves() const { return passing_leaves_; }
  const IdSet& DebugLeaves() const { return debug_leaves_; }
  const Lineage& Descents() const { return lineage_; }

 private:
  void Refresh(const Tree& tree, NodeId node);

  int max_failed_repairs_;
  Lineage lineage_;
  std::optional<NodeId> fastest_;
  IdSet passing_;
  IdSet passing_leaves_;
  IdSet debug_leaves_;
};

// Ties: the lower id.  REQUIRES: both pass.
bool IsFaster(const Tree& tree, NodeId a, NodeId b);

// What a node has to offer: its log speedup if it passes, else that of the
// passing node above it which it was made from (0 if there is none).
double Promise(const Tree& tree, const Lineage& lineage, NodeId node);

// The root, while it has fewer than `drafts` children and attempts in flight.
std::optional<Selection> SelectDraft(const Tree& tree, int drafts);

// With this probability (one draw) a uniform debug leaf, if there is one.
std::optional<Selection> SelectDebug(const CandidatePools& pools,
                                     double probability, RandomStream& stream);

// The fastest passing node; if nothing passes, a draft.
Selection SelectFastest(const Tree& tree, const CandidatePools& pools);

// The fastest of `entrants` uniform draws, with replacement, from the
// `youngest` nodes.  REQUIRES: entrants >= 1, nodes has as many members >= 1.
Selection SelectByTournament(const Tree& tree, const IdSet& nodes,
                             std::int64_t youngest, int entrants,
                             RandomStream& stream);

}  // namespace coppice::search
