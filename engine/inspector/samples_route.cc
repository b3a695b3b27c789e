// GET /api/samples: all timed rounds of an evaluation, by workload.
#include <nlohmann/json.hpp>

#include "engine/inspector/routes.h"
#include "engine/inspector/rows.h"
#include "store/read/node_pages.h"

namespace coppice::inspector {

Result<http::Answer> AnswerSamples(const QueryParameters& asked) {
  TRY(node, asked.Count("n"));
  TRY(ordinal, asked.CountOr("ordinal", 0));
  TRY(chosen, asked.Choose());
  TRY(samples,
      store::ReadSamples(chosen.database(), chosen.campaign.id, node, ordinal));
  Json workloads = Json::array();
  for (std::size_t i = 0; i < samples.rows.size(); ++i) {
    const Json row = RowJson(samples, i);
    if (workloads.empty() || workloads.back()["position"] != row["position"]) {
      workloads.push_back({{"position", row["position"]},
                           {"workload", row["workload"]},
                           {"shape", row["shape"]},
                           {"runtime_s", Json::array()},
                           {"root_runtime_s", Json::array()},
                           {"session", Json::array()}});
    }
    for (const char* key : {"runtime_s", "root_runtime_s", "session"}) {
      workloads.back()[key].push_back(row[key]);
    }
  }
  return JsonAnswer({{"workloads", std::move(workloads)}});
}

}  // namespace coppice::inspector
