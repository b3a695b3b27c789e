// coppice config show: every setting in force and where it came from.
#include <nlohmann/json.hpp>
#include <ostream>

#include "config/keys.h"
#include "engine/cli/document.h"
#include "engine/cli/table.h"
#include "engine/cli/verbs.h"

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

}  // namespace

Verb ConfigVerb() {
  return {
      .name = "config",
      .summary = "the settings, and where they come from",
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
                   .run = RunShow}},
  };
}

}  // namespace coppice::cli
