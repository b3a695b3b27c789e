// The table of operations, as tools of the protocol.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "engine/service/operation.h"

namespace coppice::mcp {

// {"tools": [...]}, in the table's order.
nlohmann::ordered_json ToolList(std::span<const service::Operation> operations);

}  // namespace coppice::mcp
