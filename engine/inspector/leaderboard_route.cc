// GET /api/leaderboard: the best nodes on a task, over all databases.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/inspector/inspector.h"
#include "engine/inspector/routes.h"
#include "engine/inspector/rows.h"
#include "store/read/campaign_pages.h"

namespace coppice::inspector {
namespace {

constexpr std::size_t kRanked = 100;
constexpr std::size_t kByWorkload = 10;

// Ranks what was gathered, and says who cannot be told apart from the first.
Json Ranked(Json rows, const std::string& task) {
  std::stable_sort(rows.begin(), rows.end(), [](const Json& a, const Json& b) {
    return a["speedup"] > b["speedup"];
  });
  Json ranked = Json::array();
  for (std::size_t i = 0; i < rows.size() && i < kRanked; ++i) {
    Json row = {{"rank", i + 1}};
    row.update(rows[i]);
    row["told_apart"] =
        i > 0 && Over(*SpeedupIn(rows[0]), *SpeedupIn(row)).Sign() != 0;
    row["definition"] = task;
    row["solution"] = row["c"].get<std::string>() + "/" +
                      std::to_string(row["node"].get<std::int64_t>());
    row["trace"] = row["solution"];
    ranked.push_back(std::move(row));
  }
  return ranked;
}

// The times of the first few on each workload, fastest first.
Result<Json> WorkloadsJson(const QueryParameters& asked, const Json& ranked) {
  Json workloads = Json::array();
  for (std::size_t i = 0; i < ranked.size() && i < kByWorkload; ++i) {
    TRY(loan, asked.Borrow(ranked[i]["db"].get<std::size_t>()));
    TRY(campaign,
        store::Campaigns(*loan).Find(ranked[i]["c"].get<std::string>()));
    TRY(listing, store::ReadWorkloadsOf(*loan, campaign.id,
                                        ranked[i]["node"].get<std::int64_t>()));
    for (Json& row : RowsJson(listing)) {
      auto found = std::ranges::find_if(workloads, [&](const Json& each) {
        return each["workload"] == row["workload"];
      });
      if (found == workloads.end()) {
        workloads.push_back({{"workload", row["workload"]},
                             {"shape", row["shape"]},
                             {"rows", Json::array()}});
        found = std::prev(workloads.end());
      }
      (*found)["rows"].push_back({{"db", ranked[i]["db"]},
                                  {"c", ranked[i]["c"]},
                                  {"node", ranked[i]["node"]},
                                  {"median_s", row["median_s"]},
                                  {"speedup", row["speedup"]}});
    }
  }
  for (Json& workload : workloads) {
    std::stable_sort(workload["rows"].begin(), workload["rows"].end(),
                     [](const Json& a, const Json& b) {
                       return a["speedup"] > b["speedup"];
                     });
  }
  return workloads;
}

}  // namespace

Result<http::Answer> AnswerLeaderboard(const QueryParameters& asked) {
  const std::size_t files = asked.inspector().files().paths().size();
  std::set<std::string> tasks;
  for (std::size_t i = 0; i < files; ++i) {
    TRY(loan, asked.Borrow(i));
    TRY(names, store::ReadTasks(*loan));
    tasks.insert(names.begin(), names.end());
  }
  const std::string task =
      asked.TextOr("task", tasks.empty() ? "" : *tasks.begin());
  Json rows = Json::array();
  Json experts = Json::array();
  for (std::size_t i = 0; i < files; ++i) {
    TRY(loan, asked.Borrow(i));
    TRY(leaders, store::ReadLeadersOf(*loan, task));
    for (const Json& leader : RowsJson(leaders, {"confirmed"})) {
      Json row = {{"db", i}, {"c", leader["campaign"]}};
      row.update(leader);
      row.erase("campaign");
      rows.push_back(std::move(row));
    }
    TRY(baselines, store::ReadBaselineRowsOf(*loan, task));
    for (Json& row : RowsJson(baselines, {"quoted", "decided"})) {
      row["db"] = i;
      row["c"] = row["campaign"];
      experts.push_back(std::move(row));
    }
  }
  const Json ranked = Ranked(std::move(rows), task);
  TRY(workloads, WorkloadsJson(asked, ranked));
  return JsonAnswer({{"tasks", tasks},
                     {"task", task},
                     {"rows", ranked},
                     {"experts", std::move(experts)},
                     {"workloads", std::move(workloads)}});
}

}  // namespace coppice::inspector
