// coppice config show: every setting in force and where it came from.
#include <nlohmann/json.hpp>
#include <ostream>

#include "config/keys.h"
#include "engine/cli/actions.h"
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

Result<Exit> RunConfig(const Invocation& invocation, Streams& streams) {
  if (invocation.arguments.front() != "show") {
    return tl::unexpected<Error>(
        UnknownAction("config", invocation.arguments.front(), {"show"}));
  }
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

std::vector<std::string_view> AllKeys() {
  std::vector<std::string_view> names;
  for (const config::Key& key : config::Keys()) names.push_back(key.name);
  return names;
}

}  // namespace

Verb ConfigVerb() {
  return {
      .name = "config",
      .summary = "every setting in force, and where it came from",
      .arguments = "show",
      .examples =
          "  coppice config show\n"
          "  coppice config show --json\n",
      .options = {{"json", Takes::kNothing, "", "as JSON"}},
      .settings = AllKeys(),
      .run = RunConfig,
  };
}

}  // namespace coppice::cli
