// The settings that the campaigns of a comparison share.
#pragma once

#include <cstdint>
#include <vector>

#include "store/records/result.h"

namespace coppice::config {
struct Loaded;
}
namespace coppice::store {
struct CampaignRow;
struct CampaignSetting;
}  // namespace coppice::store

namespace coppice::engine {

struct Budget;
struct Cell;
struct Grid;

// Into `loaded`: what the grid's budget means and no other limit of time and no
// rule to stop by, which would end some campaigns before it, one attempt at a
// time, and, where the user says nothing now, who the agents of the campaigns
// are that are there already.  kUsage if the user says something else of those
// than their campaigns: what was not made alike cannot be compared.
Result<void> Settle(const Grid& grid,
                    const std::vector<store::CampaignRow>& rows,
                    config::Loaded& loaded);

// The settings to store with a new campaign of the cell.
std::vector<store::CampaignSetting> SettingsOf(const Cell& cell,
                                               const Budget& budget,
                                               const config::Loaded& loaded);

// Campaigns of other kinds of budget than attempts are given so many.
inline constexpr std::int64_t kManyAttempts = 1'000'000;

}  // namespace coppice::engine
