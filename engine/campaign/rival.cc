#include "engine/campaign/rival.h"

#include "store/read/history.h"

namespace coppice::engine {

std::optional<Rival> RivalOf(const std::vector<store::Leader>& leaders) {
  if (leaders.size() < 2) return std::nullopt;
  return Rival{leaders[1].line.node,
               Over(*leaders[0].line.speedup, *leaders[1].line.speedup)};
}

}  // namespace coppice::engine
