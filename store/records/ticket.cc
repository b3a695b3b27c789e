#include "store/records/ticket.h"

#include "store/records/names.h"

namespace coppice {

std::string NameOf(Roles roles) {
  std::string text;
  for (const std::string_view name : kRoleNames) {
    if (!roles.Has(*NamedIn<Role>(kRoleNames, name))) continue;
    if (!text.empty()) text += '+';
    text += name;
  }
  return text;
}

std::optional<Roles> RolesNamed(std::string_view text) {
  Roles roles;
  while (true) {
    const std::size_t end = text.find_first_of("+,");
    const auto role = NamedIn<Role>(kRoleNames, text.substr(0, end));
    if (!role || roles.Has(*role)) return std::nullopt;
    roles = roles.With(*role);
    if (end == std::string_view::npos) return roles;
    text.remove_prefix(end + 1);
  }
}

}  // namespace coppice
