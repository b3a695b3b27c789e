// What is measured beside a campaign, to compare its best kernel with.
#pragma once

#include <cstdint>
#include <vector>

#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice::engine {
struct CampaignReport;
enum class TorchBaseline : std::uint8_t;
}  // namespace coppice::engine
namespace coppice::store {
struct CampaignRow;
}

namespace coppice::cli {

struct CampaignJob;
struct CampaignMeans;

// A line for each that is measured now; without a display only for what failed.
Result<void> AddTorchBaselines(
    const CampaignJob& job, const std::vector<engine::TorchBaseline>& baselines,
    CampaignId campaign, const CampaignMeans& means);

// Judges the expert of the task as it was when the campaign began, since an
// expert that came later is no part of what was finished.  A report is worth
// having without it.
void AddExpert(const CampaignJob& job, const store::CampaignRow& row,
               const CampaignMeans& means, engine::CampaignReport& report);

}  // namespace coppice::cli
