#include "engine/cli/prompt_text.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "engine/documents/or_null.h"
#include "engine/documents/table.h"
#include "store/records/ids.h"
#include "store/records/model_call.h"
#include "store/records/window.h"

namespace coppice::cli {
namespace {

void PrintPart(Role role, std::string_view part, const std::string& text,
               Streams& streams) {
  streams.out << "==== " << Name(role) << " agent: " << part << "\n"
              << (streams.out_is_terminal ? Printable(text) : text)
              << (text.ends_with('\n') ? "" : "\n");
}

}  // namespace

std::optional<Role> RoleOf(const Invocation& invocation) {
  const auto word = invocation.Text("role");
  for (const Role role : {Role::kPlan, Role::kCode, Role::kDebug}) {
    if (word == Name(role)) return role;
  }
  return std::nullopt;  // The option takes no other words.
}

nlohmann::ordered_json WindowJson(const std::vector<WindowEntry>& shown) {
  return ArrayOf(shown, [](const WindowEntry& entry) -> nlohmann::ordered_json {
    return {{"node", Index(entry.node)}, {"kinship", Name(entry.kinship)}};
  });
}

void PrintPrompt(Role role, const std::string& system, const std::string& user,
                 Streams& streams) {
  PrintPart(role, "system", system, streams);
  PrintPart(role, "user", user, streams);
}

}  // namespace coppice::cli
