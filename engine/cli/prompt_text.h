// Prompts on the command line: `prompt` prints what an agent would be asked,
// `show --prompts` what it was, in one form, so that they can be compared.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/documents/verb.h"

namespace coppice {
enum class Role : std::uint8_t;
struct WindowEntry;
}  // namespace coppice

namespace coppice::cli {

inline constexpr Option kRoleOption{"role", Takes::kText, "plan|code|debug",
                                    "of the agent"};

// [{"node": 3, "kinship": "child"}, ...]
nlohmann::ordered_json WindowJson(const std::vector<WindowEntry>& shown);

// What --role says, if it is given.
std::optional<Role> RoleOf(const Invocation& invocation);

// "==== plan agent: system", the text, "==== plan agent: user", the text.  As
// they are; on a terminal without control characters.
void PrintPrompt(Role role, const std::string& system, const std::string& user,
                 Streams& streams);

}  // namespace coppice::cli
