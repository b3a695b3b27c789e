// GET /api/history: all evaluations of the same kernel, whatever the campaign,
// the database, the machine and its driver.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/inspector/inspector.h"
#include "engine/inspector/routes.h"
#include "engine/inspector/rows.h"
#include "store/read/node_pages.h"

namespace coppice::inspector {

Result<http::Answer> AnswerHistory(const QueryParameters& asked) {
  TRY(node, asked.Count("n"));
  Json all = Json::array();
  std::optional<std::int64_t> hash;
  {
    TRY(chosen, asked.Choose());
    TRY_ASSIGN(
        hash, store::KernelHashOf(chosen.database(), chosen.campaign.id, node));
  }
  if (!hash) return JsonAnswer(all);  // It has no candidate.
  const std::size_t files = asked.inspector().files().paths().size();
  for (std::size_t i = 0; i < files; ++i) {
    TRY(loan, asked.Borrow(i));
    TRY(listing, store::ReadKernelHistory(*loan, *hash));
    for (const Json& row : RowsJson(listing)) {
      Json one = {{"db", i}};
      one.update(row);
      all.push_back(std::move(one));
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Json& a, const Json& b) {
    return a["evaluated_at_s"] < b["evaluated_at_s"];
  });
  std::optional<Speedup> before;
  for (Json& row : all) {
    const auto speedup = SpeedupIn(row);
    row["delta_to_previous"] = speedup && before
                                   ? Json(speedup->ratio / before->ratio - 1.0)
                                   : Json(nullptr);
    if (speedup) before = speedup;
  }
  return JsonAnswer(all);
}

}  // namespace coppice::inspector
