// What is kept of a campaign for those to come: settings `remember`, `library`.
#pragma once

namespace coppice::store {
struct CampaignRow;
}

namespace coppice::cli {

struct CampaignMeans;

// What it tried is kept, if the user wants that.  The campaign is whole without
// it.
void Remember(const store::CampaignRow& row, const CampaignMeans& means);

}  // namespace coppice::cli
