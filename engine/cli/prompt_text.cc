#include "engine/cli/prompt_text.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "engine/documents/table.h"

namespace coppice::cli {
namespace {

void PrintPart(Role role, std::string_view part, const std::string& text,
               Streams& streams) {
  streams.out << "==== " << Name(role) << " agent: " << part << "\n"
              << (streams.out_is_terminal ? Printable(text) : text)
              << (text.ends_with('\n') ? "" : "\n");
}

}  // namespace

Result<Role> ParseRole(std::string_view word) {
  for (const Role role : {Role::kPlan, Role::kCode, Role::kDebug}) {
    if (Name(role) == word) return role;
  }
  return Fail(Errc::kUsage,
              "--role " + std::string(word) + ": expected plan, code or debug");
}

nlohmann::ordered_json WindowJson(const std::vector<WindowEntry>& shown) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (const WindowEntry& entry : shown) {
    nodes.push_back(
        {{"node", Index(entry.node)}, {"kinship", Name(entry.kinship)}});
  }
  return nodes;
}

void PrintPrompt(Role role, const std::string& system, const std::string& user,
                 Streams& streams) {
  PrintPart(role, "system", system, streams);
  PrintPart(role, "user", user, streams);
}

}  // namespace coppice::cli
