// A node: one candidate with everything observed about it.  Immutable once
// committed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/records/behaviour.h"
#include "store/records/candidate.h"
#include "store/records/evaluation.h"
#include "store/records/ids.h"
#include "store/records/plan.h"
#include "store/records/repeated_lines.h"
#include "store/records/tried_configuration.h"
#include "store/records/uuid.h"
#include "store/records/worth.h"

namespace coppice {

struct NodeRecord {
  NodeId id{};
  Uuid uuid;
  std::optional<NodeId> parent;  // None for the root.
  // None if the agent's answer held no kernel (verdict no_candidate).  Tuned,
  // it is not the attempt's own source, but the best configuration of that.
  std::optional<Candidate> candidate;
  // The plan it realises; a debugged node inherits its parent's.
  std::optional<Plan> plan;
  EditFootprint footprint;
  // In the order tried, the attempt's own source first; empty: it leaves no
  // number open, or was not tuned.
  std::vector<TriedConfiguration> trials{};
  RepeatedLines again{};  // As it was read.
  Behaviour behaviour{};
  // The first node of the same tokens, whose evaluations stand for its own.
  std::optional<NodeId> same_as;
  // The cheap one that made it a would-be best, which had to prove itself.
  std::optional<Evaluation> screening;
  // The one that its worth's verdict is of.
  Evaluation evaluation;
  Worth worth;  // What it counts for now.
  // The root's seconds over its speedup; set if it passes, as it was read.
  std::optional<double> runtime_s;
};

}  // namespace coppice
