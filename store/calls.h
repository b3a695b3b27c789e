// The ledger of model calls: a row before each is sent and after it ends.  The
// end of a call and what was made of its answer are one transaction.
#pragma once

#include <string>

#include "store/database.h"
#include "store/records/attempt.h"
#include "store/records/model_call.h"
#include "store/records/window.h"

namespace coppice::store {

class Calls {
 public:
  explicit Calls(Database& database) : database_(database) {}

  // The intent and what the agent is shown of the window; of what is cut only
  // how much.
  Result<CallId> Begin(AttemptId attempt, const CallIntent& intent,
                       const Window& window);

  // The call ended with nothing usable: the attempt keeps its stage.
  Result<void> End(CallId call, const CallEnd& end);

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
