// A campaign in a line: what the list of campaigns shows, and the head of its
// own page.
#pragma once

#include "engine/inspector/query_parameters.h"
#include "engine/inspector/rows.h"
#include "store/database.h"
#include "store/write/campaigns.h"

namespace coppice::inspector {

Result<Json> SummaryJson(store::Database& database, std::size_t file,
                         const std::filesystem::path& path,
                         const store::CampaignRow& row);

}  // namespace coppice::inspector
