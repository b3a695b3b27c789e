// GET /api/compare: policies on tasks at equal budget, as the views
// policy_curve and fast_p have them, for each database.
#include <nlohmann/json.hpp>
#include <set>

#include "engine/inspector/inspector.h"
#include "engine/inspector/routes.h"
#include "engine/inspector/rows.h"
#include "store/read/campaign_pages.h"
#include "store/write/directives.h"

namespace coppice::inspector {
namespace {

constexpr std::int64_t kPoints = 200;

// Rows that follow each other are of one curve while these stay.
bool IsOfCurve(const Json& curve, const Json& row) {
  return curve["task"] == row["task"] && curve["policy"] == row["policy"] &&
         curve["agents"] == row["agents"];
}

void AddCurves(const store::Listing& listing, std::size_t file, Json& curves) {
  const std::size_t first = curves.size();
  for (std::size_t i = 0; i < listing.rows.size(); ++i) {
    const Json row = RowJson(listing, i);
    if (curves.size() == first || !IsOfCurve(curves.back(), row)) {
      curves.push_back({{"db", file},
                        {"task", row["task"]},
                        {"policy", row["policy"]},
                        {"agents", row["agents"]},
                        {"campaigns", row["campaigns"]},
                        {"points", Json::array()}});
    }
    curves.back()["points"].push_back({{"attempts", row["attempts"]},
                                       {"campaigns", row["campaigns"]},
                                       {"mean", row["best_speedup"]},
                                       {"low", row["least_speedup"]},
                                       {"high", row["greatest_speedup"]}});
  }
}

}  // namespace

Result<http::Answer> AnswerCompare(const QueryParameters& asked) {
  Json curves = Json::array();
  Json fast = Json::array();
  Json steered = Json::array();
  std::set<std::string> tasks;
  std::set<std::string> policies;
  const std::size_t files = asked.inspector().files().paths().size();
  for (std::size_t i = 0; i < files; ++i) {
    TRY(loan, asked.Borrow(i));
    TRY(listing, store::ReadPolicyCurves(*loan, kPoints));
    AddCurves(listing, i, curves);
    TRY(names, store::ReadSteered(*loan));
    for (const std::string& name : names) {
      steered.push_back({{"db", i}, {"c", name}});
    }
    TRY(fast_p, store::ReadFastP(*loan));
    for (Json& row : RowsJson(fast_p)) {
      row["db"] = i;
      fast.push_back(std::move(row));
    }
  }
  for (const Json& curve : curves) {
    tasks.insert(curve["task"].get<std::string>());
    policies.insert(curve["policy"].get<std::string>());
  }
  return JsonAnswer({{"policies", policies},
                     {"tasks", tasks},
                     {"curves", std::move(curves)},
                     {"fast_p", std::move(fast)},
                     {"steered", std::move(steered)}});
}

}  // namespace coppice::inspector
