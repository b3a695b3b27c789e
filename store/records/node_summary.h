// A node, as far as the search goes by it.
#pragma once

#include <cstdint>
#include <optional>

#include "store/records/behaviour.h"
#include "store/records/ids.h"
#include "store/records/verdict.h"

namespace coppice {

// What rebuilding the in-memory tree needs of a node.
struct NodeSummary {
  NodeId id{};
  std::optional<NodeId> parent;
  Verdict verdict = Verdict::kInconclusive;
  // The root's seconds over the node's speedup, which is STARK's score s(n) on
  // a machine that drifts; set if it passes.
  std::optional<double> runtime_s;
  // Equal kernels have equal hashes; 0 if there is no candidate.
  std::uint64_t kernel_hash = 0;
  bool is_repeat = false;  // Another node of the same tokens came before it.
  bool is_frozen = false;  // A person wants nothing to be built on it.
  // Set for a wrong_output: ln of its hint's factor (hint.h), which is no
  // speed.
  std::optional<float> log_hint{};
  // What the evaluations that it was committed with took of the evaluator.
  float cost_s = 0.0F;
  Behaviour behaviour{};
};

}  // namespace coppice
