#include "store/open_call.h"

#include "store/connection.h"

namespace coppice::store {

Result<void> CheckOpen(const Connection& connection, CallOutcome outcome,
                       const std::string& name) {
  switch (outcome) {
    case CallOutcome::kSent:
      break;
    case CallOutcome::kUnknown:
      return connection.FailHere(
          Errc::kBusy, name + " was given up: its attempt was adopted");
    case CallOutcome::kAnswered:
    case CallOutcome::kFailed:
      return connection.FailHere(Errc::kUsage, name + " has ended already");
  }
  return {};
}

}  // namespace coppice::store
