#include "engine/campaign/campaign_state.h"

#include "engine/campaign/process_lock.h"

namespace coppice::engine {

Result<std::string> StateOf(CampaignId campaign, store::CampaignState state,
                            std::int64_t nodes,
                            const std::filesystem::path& file) {
  switch (state) {
    case store::CampaignState::kFinished:
      return "finished";
    case store::CampaignState::kPaused:
      return "paused";
    case store::CampaignState::kRunning:
      break;
  }
  TRY(held, ProcessLock::IsAnyone(file, campaign));
  if (held) return "running";
  return nodes == 0 ? "waiting" : "interrupted";
}

}  // namespace coppice::engine
