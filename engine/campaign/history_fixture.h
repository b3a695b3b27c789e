// For tests: completes annals of which nodes and decisions are written down.
#pragma once

#include <cstdint>
#include <optional>

#include "store/read/snapshot.h"

namespace coppice::engine {

// Adds what each node was committed with; nothing further, as yet.
inline void Evaluate(store::Annals& annals) {
  annals.root_runtime_s = 4.0;
  for (const store::Arrival& arrival : annals.arrivals) {
    std::optional<Speedup> speedup;
    if (arrival.node.runtime_s) {
      speedup = Speedup{4.0 / *arrival.node.runtime_s, std::nullopt};
    }
    annals.originals.push_back(arrival.node.id);
    annals.evaluations.push_back(
        {arrival.node.id, 0, {arrival.node.verdict, speedup, false}});
  }
}

// Adds a further evaluation that refutes a node.
inline void Refute(store::Annals& annals, std::int64_t node) {
  annals.evaluations.push_back({NodeId{node},
                                ++annals.further,
                                {Verdict::kWrongOutput, std::nullopt, true}});
}

}  // namespace coppice::engine
