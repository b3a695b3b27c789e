#include "store/records/ticket.h"

namespace coppice {
namespace {

constexpr Role kRoles[] = {Role::kPlan, Role::kCode, Role::kDebug};

}  // namespace

std::string NameOf(Roles roles) {
  std::string text;
  for (const Role role : kRoles) {
    if (!roles.Has(role)) continue;
    if (!text.empty()) text += '+';
    text += Name(role);
  }
  return text;
}

std::optional<Roles> RolesNamed(std::string_view text) {
  Roles roles;
  while (true) {
    const std::size_t end = text.find_first_of("+,");
    const std::string_view word = text.substr(0, end);
    const Roles before = roles;
    for (const Role role : kRoles) {
      if (word == Name(role)) roles = roles.With(role);
    }
    if (roles == before) return std::nullopt;
    if (end == std::string_view::npos) return roles;
    text.remove_prefix(end + 1);
  }
}

std::string_view Name(TicketState state) {
  switch (state) {
    case TicketState::kOpen:
      return "open";
    case TicketState::kTold:
      return "told";
    case TicketState::kGivenUp:
      return "given_up";
    case TicketState::kLost:
      return "lost";
  }
  return "?";
}

}  // namespace coppice
