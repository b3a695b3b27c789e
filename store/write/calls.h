// The ledger of model calls: a row before each is sent and after it ends.  The
// end of a call and what was made of its answer are one transaction.
//
// kLost if the attempt was taken over since the call began, or before it could.
// Nothing is made of its answer then, but what it cost is written nevertheless.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "store/records/ids.h"
#include "store/records/result.h"
#include "store/records/window.h"

namespace coppice {
struct CallEnd;
struct CallIntent;
struct Candidate;
struct EditFootprint;
struct Holding;
struct Plan;
enum class Role : std::uint8_t;
}  // namespace coppice

namespace coppice::store {

class Database;

struct Rejected {
  std::string answer;
  std::string fault;
};

class Calls {
 public:
  explicit Calls(Database& database) : database_(database) {}

  // The intent and the window, both what the agent is shown and what was cut.
  Result<CallId> Begin(const Holding& holding, const CallIntent& intent,
                       const Window& window);

  // The call ended with nothing usable: the attempt keeps its stage.  An answer
  // that will be asked for once more has its fault as error.
  Result<void> End(CallId call, const CallEnd& end);

  // The attempt's last answer of that role that nothing was made of: ended so.
  Result<std::optional<Rejected>> LastRejected(AttemptId attempt, Role role);

  // The plan agent's answer; the attempt becomes kPlanned.
  Result<void> EndWithPlan(CallId call, const CallEnd& end, const Plan& plan);

  // The code or debug agent's answer; the attempt becomes kCoded.
  Result<void> EndWithCandidate(CallId call, const CallEnd& end,
                                const Candidate& candidate,
                                const EditFootprint& footprint);

  // An answer that holds no plan or no candidate, or the last failure of a
  // call that is not tried again: kCoded, without one.
  Result<void> EndWithoutCandidate(CallId call, const CallEnd& end,
                                   const std::string& reason);

 private:
  Database& database_;
};

}  // namespace coppice::store
