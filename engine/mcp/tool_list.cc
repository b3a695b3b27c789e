#include "engine/mcp/tool_list.h"

#include <nlohmann/json.hpp>

namespace coppice::mcp {

using nlohmann::ordered_json;

ordered_json ToolList(std::span<const service::Operation> operations) {
  ordered_json tools = ordered_json::array();
  for (const service::Operation& operation : operations) {
    const service::Annotations& effects = operation.effects;
    tools.push_back(
        {{"name", operation.name},
         {"title", operation.title},
         {"description", operation.description},
         {"inputSchema", ordered_json::parse(operation.request_schema)},
         {"outputSchema", ordered_json::parse(operation.result_schema)},
         {"annotations",
          {{"title", operation.title},
           {"readOnlyHint", effects.read_only},
           {"destructiveHint", false},  // A history only grows.
           {"idempotentHint", effects.idempotent},
           {"openWorldHint", effects.open_world}}}});
  }
  return {{"tools", std::move(tools)}};
}

}  // namespace coppice::mcp
