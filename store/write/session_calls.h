// The tools that agents called in their sessions.  An agent's role in an
// attempt is one session, however often it was cut off: each of its runs is a
// model call.
//
// kLost if the attempt was taken over since the model call began.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/model_call.h"
#include "store/records/session_call.h"
#include "store/records/uuid.h"

namespace coppice::store {

// One start of the agent.
struct SessionRun {
  Uuid uuid;            // Of its model call.
  double used_s = 0.0;  // To the end of its last tool.
  // Its last request, and whether how that ended is not known; none: there was
  // none.
  std::optional<WireCallId> wire{};
  bool is_unknown = false;
  double cost_usd = 0.0;  // That is known.
};

class SessionCalls {
 public:
  explicit SessionCalls(Database& database) : database_(database) {}

  // The next number of the session that `call` is a run of.
  Result<SessionCall> Begin(CallId call, const std::string& tool,
                            const std::string& arguments, double now_s);
  // One that has not ended is begun once more, in the run `call`.
  Result<void> BeginAgain(SessionCallId id, CallId call);
  Result<void> End(SessionCallId id, SessionCallState state,
                   const std::string& answer, double now_s);

  // The calls of the session that `call` is a run of, by number.
  Result<std::vector<SessionCall>> Read(CallId call);
  // Its runs before `call`, the first first.
  Result<std::vector<SessionRun>> ReadRuns(CallId call);

 private:
  Database& database_;
};

}  // namespace coppice::store
