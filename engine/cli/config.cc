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
#include "engine/documents/document.h"
#include "engine/documents/table.h"
#include "search/policy.h"

namespace coppice::cli {
namespace {

void PrintJson(const std::vector<config::Origin>& origins, Streams& streams) {
  nlohmann::ordered_json settings = nlohmann::ordered_json::array();
  for (const auto& [key, value, origin] : origins) {
    settings.push_back({{"key", key}, {"value", value}, {"origin", origin}});
  }
  PrintDocument(settings, streams.out);
}

Result<Exit> RunShow(const Invocation& invocation, Streams& streams) {
  if (invocation.Has("json")) {
    PrintJson(invocation.config.origins, streams);
    return Exit::kDone;
  }
  Table table({{"key"}, {"value"}, {"origin"}});
  for (const auto& [key, value, origin] : invocation.config.origins) {
    table.AddRow({key, value, origin});
  }
  table.Print(streams);
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
  if (!invocation.Has("json")) {
    Table table({{"policy"}, {"constants, as in NAME:CONSTANT=VALUE,..."}});
    for (const std::string_view name : search::PolicyNames()) {
      table.AddRow({std::string(name), Listed(search::ConstantsOf(name))});
    }
    table.Print(streams);
    return Exit::kDone;
  }
  nlohmann::ordered_json policies = nlohmann::ordered_json::array();
  for (const std::string_view name : search::PolicyNames()) {
    policies.push_back(
        {{"policy", name},
         {"constants", ConstantsJson(search::ConstantsOf(name))}});
  }
  PrintDocument(policies, streams.out);
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
