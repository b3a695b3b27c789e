// Texts by which a user sets an agent to work: hosts show them as slash
// commands.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "store/records/result.h"

namespace coppice::mcp {

// {"prompts": [...]}.
nlohmann::ordered_json PromptList();

// {"messages": [...]}.  kUsage names every wrong argument, kNotFound the
// prompts that there are.
Result<nlohmann::ordered_json> GetPrompt(
    std::string_view name,
    const std::map<std::string, std::string, std::less<>>& arguments);

}  // namespace coppice::mcp
