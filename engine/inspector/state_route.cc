// GET /api/state: what the server is, whatever the page shows.
#include <nlohmann/json.hpp>

#include "engine/inspector/inspector.h"
#include "engine/inspector/page_files.h"
#include "engine/inspector/routes.h"
#include "engine/inspector/rows.h"
#include "engine/process/version.h"
#include "store/read/campaign_pages.h"
#include "store/read/spend.h"

namespace coppice::inspector {

Result<http::Answer> AnswerState(const QueryParameters& asked) {
  Inspector& inspector = asked.inspector();
  const double now_s = inspector.clock().UnixSeconds();
  double spent_usd = 0.0;
  Json cap = nullptr;
  Json databases = Json::array();
  const auto& paths = inspector.files().paths();
  for (std::size_t i = 0; i < paths.size(); ++i) {
    databases.push_back({{"db", i}, {"path", paths[i].filename().string()}});
    TRY(loan, asked.Borrow(i));
    TRY(spent, store::ReadDayCost(*loan, now_s));
    spent_usd += spent;
    TRY(caps, store::ReadCaps(*loan));
    for (const Json& row : RowsJson(caps)) {
      if (row["what"] != "day_cap_usd") continue;
      if (cap.is_null() || row["limit"] < cap) cap = row["limit"];
    }
  }
  return JsonAnswer({{"version", engine::Version()},
                     {"read_only", inspector.terms().is_read_only},
                     {"databases", std::move(databases)},
                     {"user", inspector.terms().user},
                     {"has_assistant", inspector.terms().assistant != nullptr},
                     {"has_browser_models", !inspector.terms().models.empty()},
                     {"spent_today_usd", spent_usd},
                     {"cap_usd_day", cap},
                     {"now_s", now_s}});
}

}  // namespace coppice::inspector
