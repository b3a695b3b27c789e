#include "engine/cli/standing.h"

#include <utility>

#include "engine/presence.h"

namespace coppice::cli {

Result<std::string> StateOf(const store::CampaignRow& row,
                            const std::filesystem::path& file) {
  switch (row.state) {
    case store::CampaignState::kFinished:
      return "finished";
    case store::CampaignState::kPaused:
      return "paused";
    case store::CampaignState::kRunning:
      break;
  }
  TRY(held, engine::Presence::IsAnyone(file, row.id));
  if (held) return "running";
  return row.nodes == 0 ? "waiting" : "interrupted";
}

Result<Standing> ReadStanding(store::Database& database,
                              const std::filesystem::path& file,
                              store::CampaignRow row) {
  TRY(state, StateOf(row, file));
  TRY(totals, store::ReadTotals(database, row.id));
  TRY(leaders, store::ReadLeaders(database, row.id, 2));
  std::optional<store::NodeLine> best;
  if (!leaders.empty()) best = leaders.front().line;
  TRY(devices, store::ReadDeviceTimes(database, row.spec.name));
  return Standing{
      std::move(row),  std::move(state),         totals,
      std::move(best), engine::RivalOf(leaders), std::move(devices)};
}

}  // namespace coppice::cli
