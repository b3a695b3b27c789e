// What the headers of stored enums declare: their headers are everywhere, and
// how a name is found need not be.
#include "store/records/names.h"

#include "store/records/attempt.h"
#include "store/records/model_call.h"
#include "store/records/outcome.h"
#include "store/records/ticket.h"
#include "store/records/verdict.h"
#include "store/records/window.h"

namespace coppice {

std::string_view Name(Stage stage) { return NameIn(kStageNames, stage); }

std::string_view Name(Kinship kinship) {
  return NameIn(kKinshipNames, kinship);
}

std::string_view Name(Breach breach) { return NameIn(kBreachNames, breach); }

std::string_view Name(Role role) { return NameIn(kRoleNames, role); }

std::string_view Name(TicketState state) {
  return NameIn(kTicketStateNames, state);
}

std::string_view Name(Verdict verdict) {
  return NameIn(kVerdictNames, verdict);
}

std::optional<Verdict> ParseVerdict(std::string_view name) {
  return NamedIn<Verdict>(kVerdictNames, name);
}

}  // namespace coppice
