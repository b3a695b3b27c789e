// coppice config: every setting in force and where it came from, and policies
// with what may be set of them.
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/keys.h"
#include "engine/cli/verbs.h"
#include "engine/documents/row_sheet.h"
#include "search/policy.h"

namespace coppice::cli {
namespace {

Result<Exit> RunShow(const Invocation& invocation, Streams& streams) {
  RowSheet sheet{"settings", {"key", "value", "origin"}};
  for (const auto& [key, value, origin] : invocation.config.origins) {
    sheet.rows.push_back({key, value, origin});
  }
  PrintRows(invocation, sheet, streams);
  return Exit::kDone;
}

nlohmann::ordered_json ConstantsJson(
    const std::vector<search::Constant>& constants) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const search::Constant& constant : constants) {
    nlohmann::ordered_json row = {{"name", constant.name},
                                  {"default", constant.standard},
                                  {"least", constant.least},
                                  {"most", nullptr},
                                  {"whole", constant.is_whole}};
    if (constant.most < search::kMany) row["most"] = constant.most;
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<Exit> RunPolicies(const Invocation& invocation, Streams& streams) {
  RowSheet sheet{
      "policies",
      {"policy", ForPeople("constants, as in NAME:CONSTANT=VALUE,..."),
       ForPrograms("constants")}};
  for (const std::string_view name : search::PolicyNames()) {
    const auto constants = search::ConstantsOf(name);
    sheet.rows.push_back({name, Listed(constants), ConstantsJson(constants)});
  }
  PrintRows(invocation, sheet, streams);
  return Exit::kDone;
}

}  // namespace

Verb ConfigVerb() {
  return {
      .name = "config",
      .summary = "the settings, and where they come from; policies",
      .arguments = "",
      .examples = "",
      .options = {},
      .settings = {},
      .actions = {{.name = "config show",
                   .summary = "every setting in force, and where it came from",
                   .arguments = "",
                   .examples = "  coppice config show\n"
                               "  coppice config show --json\n",
                   .options = {{"json", Takes::kNothing, "", "as JSON"}},
                   .settings = config::AllNames(),
                   .run = RunShow},
                  {.name = "config policies",
                   .summary = "policies, and the constants of their rules",
                   .arguments = "",
                   .examples = "  coppice config policies\n"
                               "  coppice run gemv --policy "
                               "stark:epsilon=0.4,n_root=8\n",
                   .options = {{"json", Takes::kNothing, "", "as JSON"}},
                   .settings = {},
                   .run = RunPolicies}},
  };
}

}  // namespace coppice::cli
