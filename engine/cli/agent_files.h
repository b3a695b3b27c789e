// Files of coding agents, in which one entry is ours and all others are not.
//
// All of them are functions of a text: what is there becomes what shall be
// there.  An entry is ours if it starts a program `coppice` with `mcp`.
#pragma once

#include <string>
#include <string_view>

#include "engine/cli/agent_entry.h"
#include "store/records/result.h"

namespace coppice::cli {

// {"mcpServers": {"coppice": {...}}}, among others'.  Empty: a file that is not
// there.  What else our entry has, as `env`, stays.  kUsage: it is no JSON, or
// the entry of this name is another's.
Result<std::string> WithServerInJson(std::string_view text,
                                     const AgentEntry& entry);
// Empty if nothing is left.
Result<std::string> WithoutServerInJson(std::string_view text);

// [mcp_servers.coppice], likewise.  kUsage, too, where it is written in a way
// that is not looked into.
Result<std::string> WithServerInToml(std::string_view text,
                                     const AgentEntry& entry);
Result<std::string> WithoutServerInToml(std::string_view text);

// A skill with a last line by which it is known whether it was changed since.
std::string Sealed(std::string_view skill);
// Whether the text was sealed by us and is as it was then.
bool IsAsSealed(std::string_view text);

}  // namespace coppice::cli
