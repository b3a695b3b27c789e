// Everything that is shown of a node, for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace coppice::cli {

struct Portrait;

nlohmann::ordered_json PortraitJson(const Portrait& portrait);

}  // namespace coppice::cli
