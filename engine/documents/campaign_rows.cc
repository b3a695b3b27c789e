#include "engine/documents/campaign_rows.h"

#include <utility>

#include "engine/campaign/campaign_state.h"
#include "store/write/directives.h"

namespace coppice::cli {

Result<Standing> ReadStanding(store::Database& database,
                              const std::filesystem::path& file,
                              store::CampaignRow row) {
  TRY(state, engine::StateOf(row.id, row.state, row.nodes, file));
  TRY(totals, store::ReadTotals(database, row.id));
  TRY(leaders, store::ReadLeaders(database, row.id, 2));
  std::optional<store::NodeLine> best;
  if (!leaders.empty()) best = leaders.front().line;
  TRY(devices, store::ReadDeviceTimes(database, row.spec.name));
  TRY(pending, store::CountPending(database, row.id));
  TRY(is_steered, store::IsSteered(database, row.id));
  return Standing{
      std::move(row),           std::move(state),   totals,  std::move(best),
      engine::RivalOf(leaders), std::move(devices), pending, is_steered};
}

}  // namespace coppice::cli
