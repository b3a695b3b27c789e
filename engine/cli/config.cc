// coppice config: every setting in force and where it came from, and policies
// with what may be set of them.
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "config/keys.h"
#include "engine/cli/verbs.h"
#include "engine/documents/or_null.h"
#include "engine/documents/row_sheet.h"
#include "engine/documents/table.h"
#include "search/constants.h"
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

nlohmann::ordered_json ConstantJson(const search::Constant& constant) {
  const bool has_most = constant.most < search::kMany;
  return {
      {"name", constant.name},
      {"default", constant.standard},
      {"least", constant.least},
      {"most", OrNull(has_most ? std::optional(constant.most) : std::nullopt)},
      {"whole", constant.is_whole}};
}

Result<Exit> RunPolicies(const Invocation& invocation, Streams& streams) {
  RowSheet sheet{
      "policies",
      {"policy", ForPeople("constants, as in NAME:CONSTANT=VALUE,..."),
       ForPrograms("constants")}};
  for (const std::string_view name : search::PolicyNames()) {
    const auto constants = search::ConstantsOf(name);
    sheet.rows.push_back(
        {name, Listed(constants), ArrayOf(constants, ConstantJson)});
  }
  PrintRows(invocation, sheet, streams);
  return Exit::kDone;
}

}  // namespace

Verb ConfigVerb() {
  return {
      .name = "config",
      .summary = "the settings, and where they come from; policies",
      .actions = {{.name = "config show",
                   .summary = "every setting in force, and where it came from",
                   .examples = "  coppice config show\n"
                               "  coppice config show --json\n",
                   .options = {{"json", Takes::kNothing, "", "as JSON"}},
                   .settings = config::AllNames(),
                   .run = RunShow},
                  {.name = "config policies",
                   .summary = "policies, and the constants of their rules",
                   .examples = "  coppice config policies\n"
                               "  coppice run gemv --policy "
                               "stark:epsilon=0.4,n_root=8\n",
                   .options = {{"json", Takes::kNothing, "", "as JSON"}},
                   .run = RunPolicies}},
  };
}

}  // namespace coppice::cli
