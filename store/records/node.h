// A node: one candidate with everything observed about it.  Immutable once
// committed.
#pragma once

#include <optional>
#include <string>

#include "store/records/candidate.h"
#include "store/records/evaluation.h"
#include "store/records/ids.h"
#include "store/records/plan.h"
#include "store/records/uuid.h"

namespace coppice {

struct NodeRecord {
  NodeId id{};
  Uuid uuid;
  std::optional<NodeId> parent;  // None for the root.
  // None if the agent's answer held no kernel (verdict no_candidate).
  std::optional<Candidate> candidate;
  // The plan it realises; a debugged node inherits its parent's.
  std::optional<Plan> plan;
  EditFootprint footprint;
  // The cheap one that made it a would-be best, which had to prove itself.
  std::optional<Evaluation> screening;
  // What it counts for: the last one it was committed with, or, once a further
  // one has refuted it (quarantine), that one.
  Evaluation evaluation;
};

// What rebuilding the in-memory tree needs of a node.  A quarantined one has
// the verdict that refuted it.
struct NodeSummary {
  NodeId id{};
  std::optional<NodeId> parent;
  Verdict verdict = Verdict::kInconclusive;
  std::optional<double> runtime_s;
  // Equal sources have equal hashes; 0 if there is no candidate.
  std::uint64_t source_hash = 0;
};

}  // namespace coppice
