// GET /api/lineage: the way from the root to a node, with its sources.
#include <nlohmann/json.hpp>

#include "engine/inspector/blame.h"
#include "engine/inspector/routes.h"
#include "engine/inspector/rows.h"
#include "store/read/node_pages.h"

namespace coppice::inspector {

Result<http::Answer> AnswerLineage(const QueryParameters& asked) {
  TRY(node, asked.Count("n"));
  TRY(chosen, asked.Choose());
  TRY(steps,
      store::ReadLineageSources(chosen.database(), chosen.campaign.id, node));
  if (steps.rows.empty()) {
    return Fail(Errc::kNotFound,
                "n=" + std::to_string(node) + ": there is no such node");
  }
  Json lineage = RowsJson(steps);
  std::vector<std::string_view> sources;
  for (const Json& step : lineage) {
    sources.push_back(
        step["source"].is_string()
            ? std::string_view(step["source"].get_ref<const std::string&>())
            : std::string_view());
  }
  lineage.back()["lines"] = Blame(sources);
  for (Json& step : lineage) {
    CutText(step, "source", "source_cut", asked.TextOr("whole", "0") == "1");
  }
  return JsonAnswer(lineage);
}

}  // namespace coppice::inspector
