// The one that comes next to a campaign's winner.
#pragma once

#include <optional>
#include <vector>

#include "store/records/ids.h"
#include "store/records/speedup.h"

namespace coppice::store {
struct Leader;
}

namespace coppice::engine {

struct Rival {
  NodeId node{};
  Speedup winner_over;  // How many times as fast as it the winner is.

  bool IsToldApart() const { return winner_over.Sign() != 0; }
};

// None where nobody comes second.
std::optional<Rival> RivalOf(const std::vector<store::Leader>& leaders);

}  // namespace coppice::engine
