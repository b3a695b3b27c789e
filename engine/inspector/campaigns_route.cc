// GET /api/campaigns: all of all databases.
#include <nlohmann/json.hpp>

#include "engine/inspector/campaign_summary.h"
#include "engine/inspector/inspector.h"
#include "engine/inspector/routes.h"

namespace coppice::inspector {

Result<http::Answer> AnswerCampaigns(const QueryParameters& asked) {
  Json all = Json::array();
  const auto& paths = asked.inspector().files().paths();
  for (std::size_t i = 0; i < paths.size(); ++i) {
    TRY(loan, asked.Borrow(i));
    TRY(rows, store::Campaigns(*loan).List());
    for (const store::CampaignRow& row : rows) {
      TRY(summary, SummaryJson(*loan, i, paths[i], row));
      all.push_back(std::move(summary));
    }
  }
  return JsonAnswer(all);
}

}  // namespace coppice::inspector
